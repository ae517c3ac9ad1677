/// What calls of jitted functions take: how each argument becomes a parameter of the function's
/// type.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <concepts>
#include <map>
#include <memory>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

namespace kolam::detail {

/// True inside a trace.
bool is_tracing();

/// How the argument of a call becomes one of a function's type T: it converts, unless a
/// specialization asks more of it. `number` counts arguments, `here` is the line of the call.
template <class T> struct Parameter {
  template <class Given>
  static constexpr bool kTakes =
      std::is_convertible_v<Given, T> ||
      (std::is_constructible_v<T, Given> && !std::is_arithmetic_v<std::remove_cvref_t<Given>>);
  template <class Given> static T take(Given&& given, int, const std::source_location&) {
    return static_cast<T>(std::forward<Given>(given));
  }
};

/// Memory of the caller's is read where it lies, for the time of the call.
template <> struct Parameter<Tensor> {
  template <class Given> static constexpr bool kTakes = std::is_convertible_v<Given, Tensor>;
  template <class Given> static Tensor take(Given&& given, int, const std::source_location& here) {
    if constexpr (runtime::Readable<std::remove_cvref_t<Given>>) {
      const runtime::Memory memory = runtime::memory_of(given, here);
      return is_tracing() ? runtime::copy_in(memory) : runtime::borrow(memory);
    } else {
      return static_cast<Tensor>(std::forward<Given>(given));
    }
  }
};

template <class T, class Given>
concept Takes = Parameter<T>::template kTakes<Given>;

/// Of sequences each part becomes a parameter of its own: a vector of arrays one of tensors.
template <class T> struct Parameter<std::vector<T>> {
  template <class Given>
  using Part = decltype(*std::declval<std::remove_reference_t<Given>&>().begin());
  template <class Given> static constexpr bool takes_parts() {
    if constexpr (std::is_convertible_v<Given, std::vector<T>>)
      return true;
    else if constexpr (std::ranges::input_range<std::remove_reference_t<Given>&>)
      return Takes<T, std::ranges::range_reference_t<std::remove_reference_t<Given>&>>;
    else
      return false;
  }
  template <class Given> static constexpr bool kTakes = takes_parts<Given>();
  template <class Given>
  static std::vector<T> take(Given&& given, int number, const std::source_location& here) {
    if constexpr (std::is_convertible_v<Given, std::vector<T>>) {
      return std::forward<Given>(given);
    } else {
      std::vector<T> parts;
      for (auto&& part : given)
        parts.push_back(Parameter<T>::take(std::forward<decltype(part)>(part), number, here));
      return parts;
    }
  }
};

/// So do the values of maps: what `load_npz` gives is taken as a map of tensors.
template <class Key, class T> struct Parameter<std::map<Key, T>> {
  template <class Given> static constexpr bool takes_values() {
    if constexpr (std::is_convertible_v<Given, std::map<Key, T>>)
      return true;
    else if constexpr (requires(std::remove_reference_t<Given>& map) {
                         requires std::is_convertible_v<decltype((map.begin()->first)), Key>;
                         requires Takes<T, decltype((map.begin()->second))>;
                       })
      return true;
    else
      return false;
  }
  template <class Given> static constexpr bool kTakes = takes_values<Given>();
  template <class Given>
  static std::map<Key, T> take(Given&& given, int number, const std::source_location& here) {
    if constexpr (std::is_convertible_v<Given, std::map<Key, T>>) {
      return std::forward<Given>(given);
    } else {
      std::map<Key, T> values;
      for (auto&& [key, value] : given)
        values.emplace(key, Parameter<T>::take(value, number, here));
      return values;
    }
  }
};

/// An argument of a call, for a parameter of type T: what is given stays where it is until it is
/// taken.
template <class T> class Argument {
public:
  template <class Given>
    requires(!std::is_same_v<std::remove_cvref_t<Given>, Argument>)
  Argument(Given&& given) {
    if constexpr (Takes<T, std::remove_reference_t<Given>&>) {
      given_ = const_cast<void*>(static_cast<const void*>(std::addressof(given)));
      take_ = [](void* it, int number, const std::source_location& here) -> T {
        // A variable of the caller's is copied, also where the call uses it up.
        return Parameter<T>::take(*static_cast<std::remove_reference_t<Given>*>(it), number, here);
      };
      using Handle = std::remove_reference_t<Given>;
      if constexpr (std::is_same_v<Handle, Tensor> || std::is_same_v<Handle, Array>)
        empty_ = [](void* it) { *static_cast<Handle*>(it) = Handle(); };
    } else {
      static_assert(Takes<T, std::remove_reference_t<Given>&>,
                    "an argument of this call does not convert to the type of the function's "
                    "parameter; a kolam::Tensor is made of a Tensor, an Array, a number, a "
                    "std::span or vector of numbers, or a kolam::View");
    }
  }

  T take(int number, const std::source_location& here) const { return take_(given_, number, here); }
  /// Empties the caller's handle, where it is one.
  void use_up() const {
    if (empty_)
      empty_(given_);
  }

private:
  void* given_ = nullptr;
  T (*take_)(void*, int, const std::source_location&) = nullptr;
  void (*empty_)(void*) = nullptr;
};

} // namespace kolam::detail
