/// Reading lists: elements, windows, parts and products. All are maps of places; no leaf is copied
/// for them, and several of them are one.
///
/// L is the length of a list. Lists may be traced, and so may places and counts that are Operands.
#pragma once

#include "kolam/frontend/fractal/fractal_tensor.h"

namespace kolam::fractal {

using detail::SlideOptions;

namespace detail {

template <class E> FractalTensor<E> as_list(Parts parts) {
  return FractalTensor<E>::from_parts(std::move(parts));
}
template <class E> FractalTensor<FractalTensor<E>> as_rows(Parts parts) {
  return FractalTensor<FractalTensor<E>>::from_parts(std::move(parts));
}

template <class... E> Iterator<E...> zip_lists(Here where, const FractalTensor<E>&... xs) {
  return Iterator<E...>(as_list<std::tuple<E...>>(zip({xs.parts()...}, where)));
}

/// The lists of the parts of tuples.
template <class E> struct Unzipped : Unzipped<typename Element<E>::Tuple> {};
template <class... E> struct Unzipped<std::tuple<E...>> {
  using Type = std::tuple<FractalTensor<E>...>;
};
template <class A, class B> struct Unzipped<std::pair<A, B>> {
  using Type = std::pair<FractalTensor<A>, FractalTensor<B>>;
};
template <class E, size_t n> struct Unzipped<std::array<E, n>> {
  using Type = std::array<FractalTensor<E>, n>;
};

/// What lists keep of a type: of a zip a list of tuples.
template <class E> struct Kept {
  using Type = E;
};
template <class... E> struct Kept<Iterator<E...>> {
  using Type = FractalTensor<std::tuple<E...>>;
};

} // namespace detail

/// The number of elements, an int64 scalar.
template <class E> Tensor length(const FractalTensor<E>& xs, Here where = Here::current()) {
  return detail::length(xs.parts(), where);
}

/// The lengths of all lists of depth d, as int64 scalars: 1 for the innermost ones, up to the depth
/// of xs; -1 for the outermost. Throws `[list-depth]`.
template <class E>
FractalTensor<Tensor> width_by_depth(const FractalTensor<E>& xs, int64_t d,
                                     Here where = Here::current()) {
  return detail::as_list<Tensor>({detail::width_by_depth(xs.parts(), d, xs.depth(), where)});
}
/// The number of leaves, an int64 scalar.
template <class E>
Tensor numel(const FractalTensor<E>& xs, Here where = Here::current())
  requires(detail::Element<E>::kDepths.size() == 1)
{
  return detail::leaf_count(xs.parts(), where);
}

/// The lengths of the elements, which are lists, as int64 scalars.
template <class E>
FractalTensor<Tensor> lengths(const FractalTensor<E>& xs, Here where = Here::current())
  requires(FractalTensor<E>::depth() > 1)
{
  return width_by_depth(xs, -2, where);
}

/// Element i, from the end where it is below 0: an integer or a tensor of one. Throws
/// `[list-index]`, of traced values when run.
template <class E> E index(const FractalTensor<E>& xs, const Operand& i) { return xs[i]; }
/// The element at 0. Throws `[list-index]` where there is none.
template <class E> E first(const FractalTensor<E>& xs, Here where = Here::current()) {
  detail::Scope scope("first", where);
  return xs[Operand(0, where)];
}
/// The element at -1. Throws `[list-index]` where there is none.
template <class E> E last(const FractalTensor<E>& xs, Here where = Here::current()) {
  detail::Scope scope("last", where);
  return xs[Operand(-1, where)];
}

/// xs[start:stop:step] as Python has it: `slice(xs, {1, -1})` is xs without its first and last
/// elements. Throws `[bad-step]`.
template <class E>
FractalTensor<E> slice(const FractalTensor<E>& xs, const Slice& slice,
                       Here where = Here::current()) {
  return detail::as_list<E>(detail::slice(xs.parts(), slice, where));
}

/// The same of bounds that only the run knows: `slice(keys, {}, i + 1)` is what Python writes as
/// keys[:i + 1]. They are integer scalars. Throws `[shape-mismatch]` and `[dtype-mismatch]`.
template <class E>
FractalTensor<E> slice(const FractalTensor<E>& xs, const std::optional<Operand>& start,
                       const std::optional<Operand>& stop, int64_t step = 1,
                       Here where = Here::current()) {
  return detail::as_list<E>(
      detail::slice_by_data(xs.parts(), detail::TracedSlice{start, stop, step}, where));
}

/// The elements at `places`, integers in a list or a rank-1 tensor; from the end where below 0.
/// Throws `[bad-index]`, and `[list-index]`, of traced values when run.
template <class E>
FractalTensor<E> gather(const FractalTensor<E>& xs, const Tensor& places,
                        Here where = Here::current()) {
  return detail::as_list<E>(detail::gather(xs.parts(), places, where));
}
template <class E>
FractalTensor<E> gather(const FractalTensor<E>& xs, const FractalTensor<Tensor>& places,
                        Here where = Here::current()) {
  return detail::as_list<E>(detail::gather(xs.parts(), places.parts()[0], where));
}

/// The elements from the last to the first.
template <class E>
FractalTensor<E> reverse(const FractalTensor<E>& xs, Here where = Here::current()) {
  return detail::as_list<E>(detail::reverse(xs.parts(), where));
}

/// Windows of elements:
///
///     result[i][j] = xs[i stride + j dilation - padding]
///
/// outside of the list `options.value`, a number or tensor for each part of an element, or zeros.
/// There are floor((L + 2 padding - dilation (window - 1) - 1) / stride) + 1 of them, none where
/// that is below 0; a padding of {3, 0} is of 3 elements before and none behind. Throws
/// `[list-argument]` for window, stride or dilation below 1 and a padding below 0.
template <class E>
FractalTensor<FractalTensor<E>> slide(const FractalTensor<E>& xs, int64_t window,
                                      const SlideOptions& options = {},
                                      Here where = Here::current()) {
  return detail::as_rows<E>(detail::slide(xs.parts(), window, options, where));
}

/// The circular window centred at each element: places modulo L. Throws `[list-argument]` for an
/// even window or a dilation below 1.
template <class E>
FractalTensor<FractalTensor<E>> shifted_slide(const FractalTensor<E>& xs, int64_t window,
                                              int64_t dilation = 1, Here where = Here::current()) {
  return detail::as_rows<E>(detail::shifted_slide(xs.parts(), window, dilation, where));
}

/// The window centred at i: xs[i - h dilation .. i + h dilation], h = (window - 1) / 2, outside of
/// the list `value` (zeros). Of elements that are lists no place may lie outside. Throws
/// `[list-argument]` for an even window or a dilation below 1, `[list-index]`, and
/// `[extent-overflow]` where int64 does not count its places.
template <class E>
FractalTensor<E> window(const Operand& i, const FractalTensor<E>& xs, int64_t window,
                        int64_t dilation = 1, const std::vector<Operand>& value = {}) {
  return detail::as_list<E>(detail::window(i, xs.parts(), window, dilation, value));
}

/// The circular window centred at i: of 0 .. 6 with window 3, that at 0 is [6 0 1]. Throws
/// `[list-argument]` as `window`, `[list-index]` of an empty list.
template <class E>
FractalTensor<E> shifted_window(const Operand& i, const FractalTensor<E>& xs, int64_t window,
                                int64_t dilation = 1) {
  return detail::as_list<E>(detail::shifted_window(i, xs.parts(), window, dilation));
}

/// The strided sub-lists: row r is [x[r], x[r + dilation], ...]; there are `dilation` rows. Throws
/// `[list-argument]` for a dilation below 1.
template <class E>
FractalTensor<FractalTensor<E>> dilate(const FractalTensor<E>& xs, int64_t dilation,
                                       Here where = Here::current()) {
  return detail::as_rows<E>(detail::dilate(xs.parts(), dilation, where));
}

/// n lists of L div n elements, the last with the rest. Throws `[list-argument]` for n below 1, and
/// `[window-too-large]` where n > L.
template <class E>
FractalTensor<FractalTensor<E>> split(const FractalTensor<E>& xs, int64_t n,
                                      Here where = Here::current()) {
  return detail::as_rows<E>(detail::split(xs.parts(), n, where));
}

/// Lists of one length, read as a list of tuples; more than four as a tuple:
/// `zip(std::tuple(a, b, c, d, e))`. Throws `[list-lengths]`, of traced lists where they are read.
template <class... Lists> auto zip(const std::tuple<Lists...>& xs, Here where = Here::current()) {
  return std::apply([&](const auto&... x) { return detail::zip_lists(where, x...); }, xs);
}
template <class A, class B>
Iterator<A, B> zip(const FractalTensor<A>& a, const FractalTensor<B>& b,
                   Here where = Here::current()) {
  return detail::zip_lists(where, a, b);
}
template <class A, class B, class C>
Iterator<A, B, C> zip(const FractalTensor<A>& a, const FractalTensor<B>& b,
                      const FractalTensor<C>& c, Here where = Here::current()) {
  return detail::zip_lists(where, a, b, c);
}
template <class A, class B, class C, class D>
Iterator<A, B, C, D> zip(const FractalTensor<A>& a, const FractalTensor<B>& b,
                         const FractalTensor<C>& c, const FractalTensor<D>& d,
                         Here where = Here::current()) {
  return detail::zip_lists(where, a, b, c, d);
}

/// The lists of the parts of tuples, pairs, arrays or structs.
template <class E> auto unzip(const FractalTensor<E>& xs) {
  using Lists = typename detail::Unzipped<E>::Type;
  return detail::from_data<Lists>(Data(xs.parts().begin(), xs.parts().end()));
}

/// 0, 1, ... for the elements of a list, or of some of one length, as int64 scalars, zipped with
/// them; more than three as a tuple: `enumerate(std::tuple(a, b, c, d))`. Throws as `zip`.
template <class... Lists>
auto enumerate(const std::tuple<Lists...>& xs, Here where = Here::current()) {
  detail::Parts parts =
      std::apply([&](const auto&... x) { return detail::enumerate({x.parts()...}, where); }, xs);
  return Iterator<Tensor, typename Lists::Element...>(
      detail::as_list<std::tuple<Tensor, typename Lists::Element...>>(std::move(parts)));
}
template <class E>
Iterator<Tensor, E> enumerate(const FractalTensor<E>& xs, Here where = Here::current()) {
  return enumerate(std::tuple(xs), where);
}
template <class A, class B>
Iterator<Tensor, A, B> enumerate(const FractalTensor<A>& a, const FractalTensor<B>& b,
                                 Here where = Here::current()) {
  return enumerate(std::tuple(a, b), where);
}
template <class A, class B, class C>
Iterator<Tensor, A, B, C> enumerate(const FractalTensor<A>& a, const FractalTensor<B>& b,
                                    const FractalTensor<C>& c, Here where = Here::current()) {
  return enumerate(std::tuple(a, b, c), where);
}

/// Two lists of lists, of a row of xs for each of ys: xss[i][j] = xs[j], yss[i][j] = ys[i]. Lists
/// of two depths are no program.
template <class A, class B>
std::pair<FractalTensor<FractalTensor<A>>, FractalTensor<FractalTensor<B>>>
product(const FractalTensor<A>& xs, const FractalTensor<B>& ys, Here where = Here::current()) {
  static_assert(FractalTensor<A>::depth() == FractalTensor<B>::depth(),
                "expected lists of one depth");
  auto [columns, rows] = detail::product(xs.parts(), ys.parts(), where);
  return {detail::as_rows<A>(columns), detail::as_rows<B>(rows)};
}

/// The elements of lists, one after the other: `join(xs, ys)`, `join({xs, ys, zs})`. Throws
/// `[list-type]` where dtypes or shapes of leaves differ, and `[no-operands]`.
template <class E>
FractalTensor<E> join(const std::vector<FractalTensor<E>>& xs, Here where = Here::current()) {
  std::vector<detail::Parts> parts;
  for (const FractalTensor<E>& list : xs)
    parts.push_back(list.parts());
  return detail::as_list<E>(detail::join(parts, where));
}
template <class E>
FractalTensor<E> join(std::initializer_list<FractalTensor<E>> xs, Here where = Here::current()) {
  return join(std::vector<FractalTensor<E>>(xs), where);
}
template <class E>
FractalTensor<E> join(const FractalTensor<E>& xs, const FractalTensor<E>& ys,
                      Here where = Here::current()) {
  return detail::as_list<E>(detail::join({xs.parts(), ys.parts()}, where));
}

/// n times x, a tensor, a list or a tuple of them: a list one level deeper, or a tuple of lists.
/// Flat copies are joined. Throws `[list-argument]` for an n below 0; a traced one counts as 0.
template <class X> auto repeat(const X& x, const Operand& n) {
  CallScope scope("repeat", n.where());
  auto element = detail::as_element(x);
  using E = typename detail::Kept<decltype(element)>::Type;
  return detail::deepen<E>(detail::repeat(detail::to_data(element), n));
}

/// All leaves in order, at any depth, joined along an axis of theirs: a tensor. Leaves of rank 0
/// give a vector. Throws `[axis-out-of-range]`.
template <class E>
Tensor flatten(const FractalTensor<E>& xs, int64_t axis = 0, Here where = Here::current()) {
  static_assert(detail::Element<E>::kDepths.size() == 1,
                "expected a list of tensors, not of tuples");
  return detail::flatten_leaves(xs.parts()[0], axis, where);
}
/// The tensors of a list as one, along a new axis. Throws `[axis-out-of-range]`.
inline Tensor stack(const FractalTensor<Tensor>& xs, int64_t axis = 0,
                    Here where = Here::current()) {
  return detail::stack(xs.parts()[0], axis, where);
}
/// The slices of a tensor along an axis, without it: a list. Throws `[axis-out-of-range]`.
inline FractalTensor<Tensor> unbind(const Tensor& x, int64_t axis = 0,
                                    Here where = Here::current()) {
  return detail::as_list<Tensor>({detail::unbind(x, axis, where)});
}
/// The slices of a tensor along an axis, which stays with extent 1: a list. Throws
/// `[axis-out-of-range]`.
inline FractalTensor<Tensor> slices(const Tensor& x, int64_t axis = 0,
                                    Here where = Here::current()) {
  return detail::as_list<Tensor>({detail::slices(x, axis, where)});
}

} // namespace kolam::fractal
