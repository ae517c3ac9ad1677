/// The parallel functions: a function for each element of a list, alone or with a state.
///
/// A function takes the state first, where there is one, then the element; the element of a zip is
/// a tuple, and a function of its parts one by one will do as well. What else it needs a lambda
/// captures, and a struct with operator() holds, which may be an element or argument itself. A
/// function that gives a tuple, or a zip, makes a tuple of lists. Outside of `jit` each call runs
/// at once.
#pragma once

#include "kolam/frontend/fractal/views.h"

namespace kolam::fractal {

/// How a scan runs.
struct ScanOptions {
  /// Chunks of 4096 elements start anew and are combined with what came before: another order.
  bool associative = false;
};

namespace detail {

/// As `scan` from the first element on, or with `reverse` from the last: it is the first state.
/// `states` says which results the caller is to see: of an empty list all states are none, and for
/// the last one the run raises `[list-empty]`.
enum class Seen : uint8_t { last, all };
ScanResult scan_from_first(const std::vector<List>& lists, const ScanOptions& options,
                           const Body& body, Seen states, Here where);
/// States as elements of lists, where numbers take the dtype of the leaves; nullopt where they are
/// of other types. Throws `[scalar-does-not-fit]`.
std::optional<Data> as_elements(const std::vector<Given>& states, const std::vector<List>& lists);
/// Which states are given as numbers.
std::vector<bool> numbers_among(const std::vector<Given>& states);

template <class T> constexpr bool is_list = requires { T::depth(); };

/// A tensor as an operand that carries the user's line; anything else as it is.
template <class T> auto at_line(const T& x, Here where) {
  if constexpr (std::is_same_v<T, Tensor>)
    return Operand(x, where);
  else
    return x;
}
/// f(x...); an array function gets the user's line.
template <class F, class... X> auto call_at(Here where, F& f, const X&... x) {
  if constexpr (std::is_function_v<std::remove_pointer_t<F>> &&
                std::is_invocable_v<F&, decltype(at_line(x, where))...>)
    return f(at_line(x, where)...);
  else
    return f(x...);
}
/// f(first..., element), or f(first..., parts of the element...).
template <class F, class E, class... First>
auto call(Here where, F& f, const E& element, const First&... first) {
  if constexpr (std::is_invocable_v<F&, const First&..., const E&>) {
    return call_at(where, f, first..., element);
  } else {
    static_assert(
        requires { std::tuple_size<E>::value; },
        "expected a function of the state, where there is one, and the element");
    return std::apply([&](const auto&... part) { return call_at(where, f, first..., part...); },
                      element);
  }
}
template <class F, class E, class... First>
using CallResult =
    AsElementType<decltype(call(std::declval<Here>(), std::declval<F&>(), std::declval<const E&>(),
                                std::declval<const First&>()...))>;

/// The body of a scan: states of type S, elements of type E.
template <class S, class E, class F> Body scan_body(F& f, std::string_view name, Here where) {
  using Next = CallResult<F, E, S>;
  static_assert(std::is_convertible_v<Next, S>,
                "expected a function that gives a state of the type that it takes");
  return [&f, name, where](const Data& data) {
    const Datum* next = data.data();
    S state = Element<S>::take(next);
    auto given = call(where, f, Element<E>::take(next), state);
    Scope scope(name, where);
    return to_data<S>(as_element(given));
  };
}

/// The last state and all of them.
template <class S> struct Scanned {
  ScanResult result;
  S last() const { return from_data<S>(result.last); }
  typename Deepened<S>::Type all() const { return deepen<S>(result.all); }
};

template <class S, class E, class F>
Scanned<S> scanned_from(const S& state, const ScanOptions& options, F& f,
                        const FractalTensor<E>& xs, Here where) {
  return {
      scan(to_data(state), xs.parts(), options, scan_body<S, E>(f, options.name, where), where)};
}
template <class I, class E, class F>
auto scanned(ScanOptions options, F& f, const FractalTensor<E>& xs, const I& initializer,
             Here where) {
  Scope scope(options.name, where);
  options.numbers = numbers_among(to_given(initializer));
  return scanned_from(as_element(initializer), options, f, xs, where);
}
template <class E, class F>
Scanned<E> scanned(const ScanOptions& options, F& f, const FractalTensor<E>& xs, Seen states,
                   Here where) {
  return {
      scan_from_first(xs.parts(), options, scan_body<E, E>(f, options.name, where), states, where)};
}

/// Lists of lists, row by row in the order of what was dilated.
template <class E>
FractalTensor<E> interleaved(const FractalTensor<FractalTensor<E>>& rows, int64_t dilation,
                             Here where) {
  return FractalTensor<E>::from_parts(interleave(rows.parts(), dilation, where));
}
/// Raises `[list-lengths]` when run unless what a function gave for a row is as long.
template <class T> void require_as_long(const Parts& row, const T& given, Here where) {}
template <class E>
void require_as_long(const Parts& row, const FractalTensor<E>& given, Here where) {
  require_one_length(row[0], given.parts()[0], "dilated_map", where);
}
template <class... Rows>
void require_as_long(const Parts& row, const std::tuple<Rows...>& given, Here where) {
  std::apply([&](const Rows&... part) { (require_as_long(row, part, where), ...); }, given);
}
template <class A, class B>
void require_as_long(const Parts& row, const std::pair<A, B>& given, Here where) {
  require_as_long(row, given.first, where);
  require_as_long(row, given.second, where);
}
template <class... Rows>
auto interleaved(const std::tuple<Rows...>& rows, int64_t dilation, Here where) {
  return std::apply(
      [&](const Rows&... row) { return std::tuple{interleaved(row, dilation, where)...}; }, rows);
}
template <class A, class B>
auto interleaved(const std::pair<A, B>& rows, int64_t dilation, Here where) {
  return std::pair{interleaved(rows.first, dilation, where),
                   interleaved(rows.second, dilation, where)};
}

} // namespace detail

/// results[i] = f(xs[i]): instances are independent and run in any order.
///
///     map([](Tensor x) { return x + x; }, list<int>({1, 2}))   is   list<int>({2, 4})
///
/// Throws `[list-lengths]` where lists that were zipped have different lengths.
template <class F, class E>
auto map(F&& f, const FractalTensor<E>& xs, Here where = Here::current()) {
  using R = detail::CallResult<F, E>;
  return detail::deepen<R>(detail::map(
      xs.parts(),
      [&f, where](const Data& parts) {
        auto given = detail::call(where, f, detail::from_data<E>(parts));
        detail::Scope scope("map", where);
        return detail::to_data<R>(detail::as_element(given));
      },
      where));
}

/// The same of lists of one length, read side by side as `zip` has them.
template <class F, class... Lists>
auto map(F&& f, const std::tuple<Lists...>& xs, Here where = Here::current()) {
  detail::Scope scope("map", where);
  return map(f, zip(xs, where), where);
}
template <class F, class A, class B>
auto map(F&& f, const std::pair<A, B>& xs, Here where = Here::current()) {
  detail::Scope scope("map", where);
  return map(f, zip(xs.first, xs.second, where), where);
}

/// f of each leaf, at all depths; the structure stays.
template <class F, class E>
auto forall(F&& f, const FractalTensor<E>& xs, Here where = Here::current()) {
  detail::Scope scope("forall", where);
  if constexpr (detail::is_list<E>)
    return map([&](const E& row) { return forall(f, row, where); }, xs, where);
  else
    return map(f, xs, where);
}

/// The elements for which p gives true, in order. `p` gives a bool scalar: throws `[list-type]`.
template <class P, class E>
FractalTensor<E> filter(P&& p, const FractalTensor<E>& xs, Here where = Here::current()) {
  static_assert(std::is_same_v<detail::CallResult<P, E>, Tensor>,
                "expected a function that gives one bool for an element");
  detail::Scope scope("filter", where);
  FractalTensor<Tensor> mask = map(p, xs, where);
  return FractalTensor<E>::from_parts(detail::filter(xs.parts(), mask.parts()[0], where));
}

/// The leaves for which p gives true, at all depths; rows stay and may become empty.
template <class P, class E>
auto filterall(P&& p, const FractalTensor<E>& xs, Here where = Here::current()) {
  detail::Scope scope("filterall", where);
  if constexpr (detail::is_list<E>)
    return map([&](const E& row) { return filterall(p, row, where); }, xs, where);
  else
    return filter(p, xs, where);
}

/// All states of a fold from the left, the initial one left out: [f(I, x0), f(f(I, x0), x1), ...].
///
///     scan([](Tensor s, Tensor x) { return s + x; }, list<int>({1, 2, 3}), 10)   is   [11 13 16]
///
/// f gives what it takes as state. Without `initializer` the state starts as x0, which is then the
/// first result; a plain number is int32 or float32, `Array::scalar(0.0)` float64. Throws
/// `[carry-mismatch]` where f gives another dtype, shape or depth, with both.
template <class F, class E, class S>
auto scan(F&& f, const FractalTensor<E>& xs, const S& initializer, ScanOptions options = {},
          Here where = Here::current()) {
  return detail::scanned({"scan", false, options.associative}, f, xs, initializer, where).all();
}
template <class F, class E>
auto scan(F&& f, const FractalTensor<E>& xs, ScanOptions options = {},
          Here where = Here::current()) {
  return detail::scanned({"scan", false, options.associative}, f, xs, detail::Seen::all, where)
      .all();
}
/// The same.
template <class F, class E, class S>
auto scanl(F&& f, const FractalTensor<E>& xs, const S& initializer, ScanOptions options = {},
           Here where = Here::current()) {
  return scan(f, xs, initializer, options, where);
}
template <class F, class E>
auto scanl(F&& f, const FractalTensor<E>& xs, ScanOptions options = {},
           Here where = Here::current()) {
  return scan(f, xs, options, where);
}

/// All states of a fold from the right; place i holds that of the elements from i on. Throws as
/// `scan`.
template <class F, class E, class S>
auto scanr(F&& f, const FractalTensor<E>& xs, const S& initializer, ScanOptions options = {},
           Here where = Here::current()) {
  return detail::scanned({"scanr", true, options.associative}, f, xs, initializer, where).all();
}
template <class F, class E>
auto scanr(F&& f, const FractalTensor<E>& xs, ScanOptions options = {},
           Here where = Here::current()) {
  return detail::scanned({"scanr", true, options.associative}, f, xs, detail::Seen::all, where)
      .all();
}

/// The last state of `scan`; of an empty list the initial one. Throws as `scan`, and `[list-empty]`
/// where there is neither an initial value nor an element.
template <class F, class E, class S>
auto fold(F&& f, const FractalTensor<E>& xs, const S& initializer, Here where = Here::current()) {
  return detail::scanned({"fold", false, false}, f, xs, initializer, where).last();
}
template <class F, class E>
E fold(F&& f, const FractalTensor<E>& xs, Here where = Here::current()) {
  return detail::scanned({"fold", false, false}, f, xs, detail::Seen::last, where).last();
}

/// The same.
template <class F, class E, class S>
auto foldl(F&& f, const FractalTensor<E>& xs, const S& initializer, Here where = Here::current()) {
  return fold(f, xs, initializer, where);
}
template <class F, class E>
E foldl(F&& f, const FractalTensor<E>& xs, Here where = Here::current()) {
  return fold(f, xs, where);
}

/// The first state of `scanr`; of an empty list the initial one. Throws as `fold`.
template <class F, class E, class S>
auto foldr(F&& f, const FractalTensor<E>& xs, const S& initializer, Here where = Here::current()) {
  return detail::scanned({"foldr", true, false}, f, xs, initializer, where).last();
}
template <class F, class E>
E foldr(F&& f, const FractalTensor<E>& xs, Here where = Here::current()) {
  return detail::scanned({"foldr", true, false}, f, xs, detail::Seen::last, where).last();
}

/// The elements combined by f, which is associative: chunks of 64 from the left, chunks pairwise,
/// the initial value first.
///
/// A plain number as initial value has the dtype of the elements. Where the initial value is of
/// another type than these, it is a `fold`. Throws `[carry-mismatch]`, `[scalar-does-not-fit]`, and
/// `[list-empty]` for an empty list without an initial value.
template <class F, class E>
E reduce(F&& f, const FractalTensor<E>& xs, Here where = Here::current()) {
  return detail::from_data<E>(
      detail::reduce({}, xs.parts(), detail::scan_body<E, E>(f, "reduce", where), where));
}
template <class F, class E, class S>
auto reduce(F&& f, const FractalTensor<E>& xs, const S& initializer, Here where = Here::current()) {
  detail::Scope scope("reduce", where);
  if constexpr (std::is_same_v<detail::AsElementType<S>, E>)
    if (auto states = detail::as_elements(detail::to_given(initializer), xs.parts()))
      return detail::from_data<E>(
          detail::reduce(*states, xs.parts(), detail::scan_body<E, E>(f, "reduce", where), where));
  return detail::scanned({"reduce", false, false}, f, xs, initializer, where).last();
}

/// f on each of `dilation` strided sub-lists x[r], x[r + dilation], ...; results are put back in
/// the order of xs. f gives a list as long as it takes, or a tuple of such lists. Throws
/// `[list-lengths]`.
template <class F, class E>
auto dilated_map(F&& f, const FractalTensor<E>& xs, int64_t dilation,
                 Here where = Here::current()) {
  detail::Scope scope("dilated_map", where);
  auto rows = map(
      [&](const FractalTensor<E>& row) {
        auto given = f(row);
        detail::require_as_long(row.parts(), given, where);
        return given;
      },
      dilate(xs, dilation, where), where);
  static_assert(
      requires { detail::interleaved(rows, dilation, where); },
      "expected a function that gives a list, or a tuple of lists");
  return detail::interleaved(rows, dilation, where);
}

} // namespace kolam::fractal
