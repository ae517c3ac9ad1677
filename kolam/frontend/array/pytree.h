/// Pytrees: tensors inside tuples, arrays, vectors, maps and structs, flattened and put back.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <array>
#include <map>
#include <sstream>
#include <tuple>
#include <vector>

namespace kolam {

/// Flattens `value`: appends its tensors to `leaves`, and to `structure` a text that two values
/// share only if they differ in nothing but their tensors. A struct takes part through an ADL
/// function `auto fields(T& x)` that returns `std::tie(x.a, x.b)`. Leaves that are no tensors are
/// static: what they print with `<<`, floats with all digits, becomes part of the structure.
template <class T> struct Pytree;

template <class T>
concept HasFields = requires(T& x) { fields(x); };
template <class T>
concept Printable = requires(std::ostream& out, const T& x) { out << x; };

namespace detail {

/// Whether `fields(x)` gives a tuple of references to what may be changed.
template <class Fields> inline constexpr bool kAreTied = false;
template <class... Parts>
inline constexpr bool kAreTied<std::tuple<Parts...>> =
    ((std::is_lvalue_reference_v<Parts> && !std::is_const_v<std::remove_reference_t<Parts>>) &&
     ...);

} // namespace detail

template <class T> struct Pytree {
  static void flatten(const T& value, std::vector<Tensor>& leaves, std::string& structure) {
    if constexpr (HasFields<T>) {
      using Fields = decltype(fields(const_cast<T&>(value)));
      if constexpr (detail::kAreTied<Fields>) {
        structure += "{";
        std::apply([&](auto&... part) { (flatten_part(part, leaves, structure), ...); },
                   fields(const_cast<T&>(value)));
        structure += "}";
      } else {
        static_assert(detail::kAreTied<Fields>,
                      "fields(x) of a struct takes it by reference and returns "
                      "std::tie(x.a, x.b), references to its members");
      }
    } else if constexpr (Printable<T>) {
      // The length goes before the text, so that no text can end early and start another static.
      std::ostringstream text;
      text << std::hexfloat << std::boolalpha << value;
      structure += std::to_string(text.view().size()) + "'" + text.str() + "'";
    } else {
      static_assert(Printable<T>,
                    "an argument or result of a jitted function is a kolam::Tensor, a tuple, pair, "
                    "array, vector or map of these, or a value that prints with <<; a struct needs "
                    "a function `auto fields(S& x) { return std::tie(x.a, x.b); }` beside it");
    }
  }
  /// `value` with its tensors replaced by the next ones of `leaves`.
  static T unflatten(const T& value, const Tensor*& leaves) {
    T copy = value;
    if constexpr (HasFields<T>)
      if constexpr (detail::kAreTied<decltype(fields(copy))>)
        std::apply([&](auto&... part) { ((part = unflatten_part(part, leaves)), ...); },
                   fields(copy));
    return copy;
  }

private:
  template <class P>
  static void flatten_part(const P& part, std::vector<Tensor>& leaves, std::string& structure) {
    Pytree<P>::flatten(part, leaves, structure);
  }
  template <class P> static P unflatten_part(const P& part, const Tensor*& leaves) {
    return Pytree<P>::unflatten(part, leaves);
  }
};

template <> struct Pytree<Tensor> {
  static void flatten(const Tensor& value, std::vector<Tensor>& leaves, std::string& structure) {
    leaves.push_back(value);
    structure += "*,";
  }
  static Tensor unflatten(const Tensor&, const Tensor*& leaves) { return *leaves++; }
};

template <> struct Pytree<Array> {
  static void flatten(const Array& value, std::vector<Tensor>& leaves, std::string& structure) {
    Pytree<Tensor>::flatten(value, leaves, structure);
  }
  static Array unflatten(const Array&, const Tensor*& leaves) { return (leaves++)->array(); }
};

template <class... Parts> struct Pytree<std::tuple<Parts...>> {
  using Tuple = std::tuple<Parts...>;
  static void flatten(const Tuple& value, std::vector<Tensor>& leaves, std::string& structure) {
    structure += "(";
    std::apply(
        [&](const auto&... part) {
          (Pytree<std::decay_t<decltype(part)>>::flatten(part, leaves, structure), ...);
        },
        value);
    structure += ")";
  }
  static Tuple unflatten(const Tuple& value, const Tensor*& leaves) {
    return std::apply(
        [&](const auto&... part) {
          // Braces: parts are taken in order.
          return Tuple{Pytree<std::decay_t<decltype(part)>>::unflatten(part, leaves)...};
        },
        value);
  }
};

template <class A, class B> struct Pytree<std::pair<A, B>> {
  static void flatten(const std::pair<A, B>& value, std::vector<Tensor>& leaves,
                      std::string& structure) {
    structure += "(";
    Pytree<A>::flatten(value.first, leaves, structure);
    Pytree<B>::flatten(value.second, leaves, structure);
    structure += ")";
  }
  static std::pair<A, B> unflatten(const std::pair<A, B>& value, const Tensor*& leaves) {
    A first = Pytree<A>::unflatten(value.first, leaves);
    return {std::move(first), Pytree<B>::unflatten(value.second, leaves)};
  }
};

/// What sequences share.
template <class Sequence> struct SequencePytree {
  using Part = typename Sequence::value_type;
  static void flatten(const Sequence& value, std::vector<Tensor>& leaves, std::string& structure) {
    structure += "[";
    for (const Part& part : value)
      Pytree<Part>::flatten(part, leaves, structure);
    structure += "]";
  }
  static Sequence unflatten(const Sequence& value, const Tensor*& leaves) {
    Sequence copy = value;
    for (auto&& part : copy) // std::vector<bool> has no references to its parts
      part = Pytree<Part>::unflatten(part, leaves);
    return copy;
  }
};

template <class T> struct Pytree<std::vector<T>> : SequencePytree<std::vector<T>> {};
template <class T, size_t n> struct Pytree<std::array<T, n>> : SequencePytree<std::array<T, n>> {};

template <class Key, class T> struct Pytree<std::map<Key, T>> {
  static void flatten(const std::map<Key, T>& value, std::vector<Tensor>& leaves,
                      std::string& structure) {
    structure += "<";
    for (const auto& [key, part] : value) {
      Pytree<Key>::flatten(key, leaves, structure);
      Pytree<T>::flatten(part, leaves, structure);
    }
    structure += ">";
  }
  static std::map<Key, T> unflatten(const std::map<Key, T>& value, const Tensor*& leaves) {
    std::map<Key, T> copy = value;
    for (auto& [key, part] : copy)
      part = Pytree<T>::unflatten(part, leaves);
    return copy;
  }
};

} // namespace kolam
