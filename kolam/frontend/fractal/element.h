/// What the elements of lists are: tensors, lists, and tuples, pairs, arrays and structs of these.
#pragma once

#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/pytree.h"
#include "kolam/frontend/fractal/list.h"

#include <array>
#include <tuple>
#include <type_traits>

namespace kolam::fractal {

template <class E> class FractalTensor;
template <class... E> class Iterator;

namespace detail {

/// How a type of elements is taken apart into tensors and lists, its parts, and put together.
///
///     kDepths        the depth of each part: 0 for a tensor
///     append(e, data), take(next)      its parts, and the element of the next ones
///     path(name)     how each part is reached: `[0]`
template <class E> struct Element {
  static_assert(
      HasFields<E>,
      "an element of a list is a kolam::Tensor, a FractalTensor, a tuple, pair or array of "
      "these, or a struct with a function `auto fields(S& x) { return std::tie(x.a, x.b); "
      "}` beside it");
  static constexpr std::array<int64_t, 1> kDepths = {0};
  static void append(const E&, Data&) {}
  static E take(const Datum*&);
};

template <HasFields E> struct Element<E> {
  using Fields = decltype(fields(std::declval<E&>()));
  template <size_t i> using Field = std::decay_t<std::tuple_element_t<i, Fields>>;
  using Tuple = decltype([]<size_t... i>(std::index_sequence<i...>) {
    return std::tuple<Field<i>...>();
  }(std::make_index_sequence<std::tuple_size_v<Fields>>()));

  static constexpr auto kDepths = Element<Tuple>::kDepths;
  static void append(const E& element, Data& data) {
    Element<Tuple>::append(Tuple(fields(const_cast<E&>(element))), data);
  }
  static E take(const Datum*& next) {
    E element;
    fields(element) = Element<Tuple>::take(next);
    return element;
  }
};

template <> struct Element<Tensor> {
  static constexpr std::array<int64_t, 1> kDepths = {0};
  static void append(const Tensor& element, Data& data) { data.emplace_back(element); }
  static Tensor take(const Datum*& next) { return std::get<Tensor>(*next++); }
};

template <class E> struct Element<FractalTensor<E>> {
  static constexpr auto kDepths = [] {
    auto depths = Element<E>::kDepths;
    for (int64_t& depth : depths)
      ++depth;
    return depths;
  }();
  static void append(const FractalTensor<E>& element, Data& data) {
    for (const List& part : element.parts())
      data.emplace_back(part);
  }
  static FractalTensor<E> take(const Datum*& next) {
    std::vector<List> parts;
    for (size_t part = 0; part < kDepths.size(); ++part)
      parts.push_back(std::get<List>(*next++));
    return FractalTensor<E>::from_parts(std::move(parts));
  }
};

template <class... E> struct Element<Iterator<E...>> : Element<FractalTensor<std::tuple<E...>>> {
  static Iterator<E...> take(const Datum*& next) {
    return Iterator<E...>(Element<FractalTensor<std::tuple<E...>>>::take(next));
  }
};

template <class... E> struct Element<std::tuple<E...>> {
  static constexpr auto kDepths = [] {
    std::array<int64_t, (Element<E>::kDepths.size() + ... + 0)> all{};
    size_t part = 0;
    auto add = [&](const auto& depths) {
      for (int64_t depth : depths)
        all[part++] = depth;
    };
    (add(Element<E>::kDepths), ...);
    return all;
  }();
  static void append(const std::tuple<E...>& element, Data& data) {
    std::apply([&](const E&... part) { (Element<E>::append(part, data), ...); }, element);
  }
  // Braces: parts are taken in order.
  static std::tuple<E...> take(const Datum*& next) { return {Element<E>::take(next)...}; }
};

template <class A, class B> struct Element<std::pair<A, B>> {
  static constexpr auto kDepths = Element<std::tuple<A, B>>::kDepths;
  static void append(const std::pair<A, B>& element, Data& data) {
    Element<A>::append(element.first, data);
    Element<B>::append(element.second, data);
  }
  static std::pair<A, B> take(const Datum*& next) {
    A first = Element<A>::take(next);
    return {std::move(first), Element<B>::take(next)};
  }
};

template <class E, size_t n> struct Element<std::array<E, n>> {
  static constexpr auto kDepths = [] {
    constexpr size_t each = Element<E>::kDepths.size();
    std::array<int64_t, n * each> all{};
    for (size_t part = 0; part < all.size(); ++part)
      all[part] = Element<E>::kDepths[part % each];
    return all;
  }();
  static void append(const std::array<E, n>& element, Data& data) {
    for (const E& part : element)
      Element<E>::append(part, data);
  }
  static std::array<E, n> take(const Datum*& next) {
    std::array<E, n> element;
    for (E& part : element)
      part = Element<E>::take(next);
    return element;
  }
};

/// The parts of an element.
template <class E> Data to_data(const E& element) {
  Data data;
  Element<E>::append(element, data);
  return data;
}

/// The element of parts.
template <class E> E from_data(const Data& data) {
  const Datum* next = data.data();
  return Element<E>::take(next);
}

/// A state or result as an element: arrays and numbers are tensors.
template <class T> struct AsElement {
  using Type = T;
  static T convert(T value) { return value; }
};
template <class T>
  requires std::is_arithmetic_v<T> || std::is_same_v<T, Array>
struct AsElement<T> {
  using Type = Tensor;
  static Tensor convert(const T& value) {
    if constexpr (std::is_same_v<T, Array>)
      return value;
    else
      return full({}, value);
  }
};
template <class... T> struct AsElement<std::tuple<T...>> {
  using Type = std::tuple<typename AsElement<T>::Type...>;
  static Type convert(const std::tuple<T...>& value) {
    return std::apply([](const T&... part) { return Type{AsElement<T>::convert(part)...}; }, value);
  }
};
template <class A, class B> struct AsElement<std::pair<A, B>> {
  using Type = std::pair<typename AsElement<A>::Type, typename AsElement<B>::Type>;
  static Type convert(const std::pair<A, B>& value) {
    return {AsElement<A>::convert(value.first), AsElement<B>::convert(value.second)};
  }
};

template <class T> using AsElementType = typename AsElement<std::decay_t<T>>::Type;
/// Throws `[scalar-does-not-fit]`; the caller holds a CallScope, as numbers carry no line.
template <class T> AsElementType<T> as_element(const T& value) {
  return AsElement<T>::convert(value);
}

/// The parts of an initial value; a number has no dtype of its own yet.
using Given = std::variant<Datum, Operand>;
template <class T> void append_given(const T& value, std::vector<Given>& given) {
  if constexpr (std::is_arithmetic_v<T>) {
    given.emplace_back(Operand(value));
  } else if constexpr (requires { std::get<0>(value); } && !HasFields<T>) {
    std::apply([&](const auto&... part) { (append_given(part, given), ...); }, value);
  } else {
    for (Datum& part : to_data(AsElement<T>::convert(value)))
      given.emplace_back(std::move(part));
  }
}
template <class T> std::vector<Given> to_given(const T& value) {
  std::vector<Given> given;
  append_given(value, given);
  return given;
}

/// The lists of all values of a type, one an instance: a tuple becomes a tuple of lists, and so
/// does a zip; a struct stays one.
template <class E> struct Deepened {
  using Type = FractalTensor<E>;
  static Type take(const List*& next) {
    constexpr size_t count = Element<E>::kDepths.size();
    std::vector<List> parts(next, next + count);
    next += count;
    return Type::from_parts(std::move(parts));
  }
};
template <class... E> struct Deepened<std::tuple<E...>> {
  using Type = std::tuple<typename Deepened<E>::Type...>;
  static Type take(const List*& next) { return {Deepened<E>::take(next)...}; }
};
template <class... E>
struct Deepened<Iterator<E...>> : Deepened<std::tuple<FractalTensor<E>...>> {};
template <class A, class B> struct Deepened<std::pair<A, B>> {
  using Type = std::pair<typename Deepened<A>::Type, typename Deepened<B>::Type>;
  static Type take(const List*& next) {
    auto first = Deepened<A>::take(next);
    return {std::move(first), Deepened<B>::take(next)};
  }
};
template <class E, size_t n> struct Deepened<std::array<E, n>> {
  using Type = std::array<typename Deepened<E>::Type, n>;
  static Type take(const List*& next) {
    Type lists;
    for (auto& list : lists)
      list = Deepened<E>::take(next);
    return lists;
  }
};

template <class E> typename Deepened<E>::Type deepen(const std::vector<List>& lists) {
  const List* next = lists.data();
  return Deepened<E>::take(next);
}

} // namespace detail
} // namespace kolam::fractal
