// Reads lists at places given by expressions over j0, j1, L and a0 (ir/lists.td, kolam.access).
#include "kolam/frontend/fractal/access.h"

#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/frontend/fractal/places.h"
#include "kolam/language/promotion.h"

#include <algorithm>
#include <limits>

namespace kolam::fractal::detail {
namespace {

bool all_on_host(const Parts& xs) {
  return std::ranges::none_of(xs, [](const List& list) { return list.is_traced(); });
}

/// `apply` on the elements of each part.
Parts mapped(const Parts& xs, const std::function<runtime::List(const runtime::List&)>& apply) {
  Parts results;
  for (const List& list : xs)
    results.emplace_back(apply(list.host()));
  return results;
}

Datum element(const runtime::List& list, int64_t place) {
  if (list.depth() > 1)
    return List(list.sublist(place));
  return Tensor(list.leaf(place));
}

/// The places in an array of integers, counted from the front. Throws `[list-index]`.
std::vector<int64_t> known_places(const Array& given, int64_t length) {
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max(); // outside of every list
  Tensor far = given.dtype() == DType::u64 ? minimum(given, kFar) : Tensor(given);
  Array wide = astype(far, DType::i64).array();
  std::vector<int64_t> places(wide.values<int64_t>().begin(), wide.values<int64_t>().end());
  for (int64_t& place : places)
    place = checked_place(place, length);
  return places;
}

/// `places` as a list of integer scalars. Throws `[bad-index]`.
List as_places(const Datum& places) {
  auto* list = std::get_if<List>(&places);
  auto* tensor = std::get_if<Tensor>(&places);
  bool is_vector = tensor ? tensor->rank() == 1 : list->depth() == 1 && list->leaf_shape().empty();
  DType dtype = tensor ? tensor->dtype() : list->dtype();
  if (!is_vector || !is_integer(dtype) || dtype == DType::u64)
    fail(ErrorKind::type, "bad-index",
         "argument 'index': expected places as integers that int64 holds, in one dim, but got " +
             describe(places));
  return list ? *list : pack(*tensor, {});
}

/// The bounds of `slice` over a0, a1, ... in place of the program's symbols, whose values go to
/// `scalars`.
Slice with_scalars(Slice slice, std::vector<Tensor>& scalars) {
  std::map<std::string, Extent> names;
  for (std::optional<Extent>* bound : {&slice.start, &slice.stop}) {
    if (!*bound)
      continue;
    for (const std::string& symbol : (*bound)->symbols())
      if (!names.contains(symbol)) {
        names.emplace(symbol, Extent::symbol("a" + std::to_string(scalars.size())));
        scalars.push_back(extent(Extent::symbol(symbol)));
      }
    *bound = (*bound)->substitute(names);
  }
  return slice;
}

bool is_known(const Slice& slice) {
  auto known = [](const std::optional<Extent>& bound) { return !bound || bound->is_constant(); };
  return known(slice.start) && known(slice.stop);
}

/// The places that `box` takes of a list with elements.
Parts sliced(const Parts& xs, const SliceBox& box) {
  int64_t start = *box.start.constant(), size = *box.size.constant();
  if (box.step == 1 && !box.reversed)
    return mapped(xs, [&](const runtime::List& list) { return list.slice(start, start + size); });
  std::vector<int64_t> places(size);
  for (int64_t i = 0; i < size; ++i)
    places[i] = start + i * box.step;
  if (box.reversed)
    for (int64_t& place : places)
      place = xs[0].host().size() - 1 - place;
  return mapped(xs, [&](const runtime::List& list) { return list.take(places); });
}

} // namespace

Tensor length(const Parts& xs, Here where) {
  Scope scope("len", where);
  require_one_length(xs);
  return list_length(xs[0]);
}

Tensor leaf_count(const Parts& xs, Here where) {
  Scope scope("numel", where);
  List leaves = xs[0];
  if (!leaves.is_traced())
    return Array::scalar(leaves.host().leaf_count());
  while (leaves.depth() > 1)
    leaves = list_flatten(leaves);
  return list_length(leaves);
}

Data index(const Parts& xs, const Operand& i) {
  CallScope scope("index", i.where());
  require_one_length(xs);
  auto* tensor = std::get_if<Tensor>(&i.value());
  bool is_scalar = !tensor || tensor->rank() == 0;
  Tensor place = integer_scalar("i", is_scalar ? i : i.with(reshape(i, {})));
  Data results;
  for (const List& list : xs)
    if (!list.is_traced() && !place.is_traced())
      results.push_back(
          element(list.host(), checked_place(place.item<int64_t>(), list.host().size())));
    else
      results.push_back(list_index(list, place));
  return results;
}

Parts slice(const Parts& xs, const Slice& slice, Here where) {
  Scope scope("index", where);
  const auto [L, j0, j1, a0] = Symbols();
  if (all_on_host(xs) && is_known(slice))
    return sliced(xs, resolve_slice(slice, xs[0].host().size()));
  Access form{"index", {}, {}};
  SliceBox box = resolve_slice(with_scalars(slice, form.scalars), L);
  Extent place = box.start + Extent(box.step) * j0;
  form.lengths = {box.size};
  form.index = {box.reversed ? L - 1 - place : place};
  return accessed(xs, form);
}

namespace {

/// A bound counted from the end where it is below 0, then clipped into [lowest, length + lowest]:
/// of what explain follows.
Tensor resolved(const Operand& bound, const char* argument, const Tensor& length, int64_t lowest) {
  Tensor given = integer_scalar(argument, bound);
  Tensor is_negative = minimum(maximum(int64_t{0} - given, int64_t{0}), int64_t{1});
  Tensor from_front = given + length * is_negative;
  return minimum(maximum(from_front, lowest), lowest == 0 ? length : length + lowest);
}

/// A bound that is known now.
std::optional<Extent> known_bound(const std::optional<Operand>& bound, const char* argument) {
  if (!bound)
    return std::nullopt;
  if (auto* extent = std::get_if<Extent>(&bound->value()))
    return *extent;
  if (auto* number = std::get_if<int64_t>(&bound->value()))
    return Extent(*number);
  return Extent(integer_scalar(argument, *bound).item<int64_t>());
}

bool is_traced(const std::optional<Operand>& bound) {
  auto* tensor = bound ? std::get_if<Tensor>(&bound->value()) : nullptr;
  return tensor && tensor->is_traced();
}

} // namespace

Parts slice_by_data(const Parts& xs, const TracedSlice& slice, Here where) {
  Scope scope("index", where);
  if (!is_traced(slice.start) && !is_traced(slice.stop))
    return detail::slice(
        xs, Slice{known_bound(slice.start, "start"), known_bound(slice.stop, "stop"), slice.step},
        where);
  const auto [L, j0, j1, a0] = Symbols();
  const int64_t step = slice.step;
  if (step == 0)
    return detail::slice(xs, Slice{{}, {}, 0}, where); // throws
  // Downwards places go from L - 1 to 0, and a stop may lie in front of 0.
  const int64_t lowest = step > 0 ? 0 : -1;
  Tensor length = detail::length(xs);
  Access form{"index", {}, {}};
  auto place = [&](const std::optional<Operand>& bound, const char* argument, const Extent& end) {
    if (!bound)
      return end;
    form.scalars.push_back(resolved(*bound, argument, length, lowest));
    return Extent::symbol("a" + std::to_string(form.scalars.size() - 1));
  };
  Extent start = place(slice.start, "start", step > 0 ? Extent(0) : L - 1);
  Extent stop = place(slice.stop, "stop", step > 0 ? L : Extent(-1));
  Extent size = max(step > 0 ? stop - start : start - stop, 0);
  form.lengths = {step == 1 ? size : ceildiv(size, Extent(step > 0 ? step : -step))};
  form.index = {start + Extent(step) * j0};
  return accessed(xs, form);
}

Parts gather(const Parts& xs, const Datum& given, Here where) {
  Scope scope("gather", where);
  List places = as_places(given);
  if (all_on_host(xs) && !places.is_traced()) {
    std::vector<int64_t> known = known_places(places.host().leaves(), xs[0].host().size());
    return mapped(xs, [&](const runtime::List& list) { return list.take(known); });
  }
  require_one_length(xs);
  SourceLocation user = CallScope::current_location();
  return map({places}, [&](const Data& place) {
    CallScope inner("gather", user);
    return index(xs, std::get<Tensor>(place[0]));
  });
}

Parts reverse(const Parts& xs, Here where) {
  Scope scope("reverse", where);
  const auto [L, j0, j1, a0] = Symbols();
  return accessed(xs, {"reverse", {L}, {L - 1 - j0}});
}

Parts dilate(const Parts& xs, int64_t dilation, Here where) {
  Scope scope("dilate", where);
  const auto [L, j0, j1, a0] = Symbols();
  require_at_least("dilation", dilation, 1);
  return accessed(
      xs, {"dilate", {dilation, ceildiv(max(L - j0, 0), dilation)}, {j0 + Extent(dilation) * j1}});
}

Parts interleave(const Parts& rows, int64_t dilation, Here where) {
  Scope scope("dilated_map", where);
  const auto [L, j0, j1, a0] = Symbols();
  if (std::ranges::any_of(rows, [](const List& list) { return list.depth() < 2; }))
    fail(ErrorKind::type, "list-type", "expected f to give a list, but got a tensor");
  return accessed(
      rows, {"dilated_map", {Extent::symbol("N")}, {modulo(j0, dilation), floordiv(j0, dilation)}});
}

Parts split(const Parts& xs, int64_t n, Here where) {
  Scope scope("split", where);
  const auto [L, j0, j1, a0] = Symbols();
  require_at_least("n", n, 1);
  require_length(xs, n, "split");
  Extent each = floordiv(L, n);
  Extent rest = L - Extent(n) * each; // of the last row
  return accessed(xs, {"split", {n, each + floordiv(j0 + 1, n) * rest}, {j0 * each + j1}});
}

Parts zip(const std::vector<Parts>& lists, Here where) {
  Scope scope("zip", where);
  if (lists.empty())
    fail(ErrorKind::value, "no-operands", "expected at least one list, but got none");
  Parts all;
  for (size_t number = 0; number < lists.size(); ++number) {
    const List &here = lists[number][0], &first = lists[0][0];
    if (!here.is_traced() && !first.is_traced() && here.host().size() != first.host().size())
      fail(ErrorKind::value, "list-lengths",
           "expected lists of one length, but got " + std::to_string(first.host().size()) +
               " for xs[0] and " + std::to_string(here.host().size()) + " for xs[" +
               std::to_string(number) + "]");
    all.insert(all.end(), lists[number].begin(), lists[number].end());
  }
  return all;
}

Parts enumerate(const std::vector<Parts>& lists, Here where) {
  Scope scope("enumerate", where);
  Parts all = zip(lists);
  all.insert(all.begin(), list_positions(lists[0][0]));
  return all;
}

std::pair<Parts, Parts> product(const Parts& xs, const Parts& ys, Here where) {
  Scope scope("product", where);
  const auto [L, j0, j1, a0] = Symbols();
  Access columns{"product", {a0, L}, {j1}, {length(ys)}};
  Access rows{"product", {L, a0}, {j0}, {length(xs)}};
  return {accessed(xs, columns), accessed(ys, rows)};
}

Parts join(const std::vector<Parts>& lists, Here where) {
  Scope scope("join", where);
  if (lists.empty())
    fail(ErrorKind::value, "no-operands", "expected at least one list, but got none");
  for (const Parts& parts : lists)
    require_one_length(parts);
  Parts results;
  for (size_t part = 0; part < lists[0].size(); ++part) {
    std::vector<List> pieces;
    for (size_t number = 0; number < lists.size(); ++number) {
      if (describe(lists[number]) != describe(lists[0]))
        fail(ErrorKind::type, "list-type",
             "argument 'xs[" + std::to_string(number) + "]': expected " + describe(lists[0]) +
                 ", as xs[0] is, but got " + describe(lists[number]));
      pieces.push_back(lists[number][part]);
    }
    results.push_back(list_join(pieces));
  }
  return results;
}

Parts single(const Data& element, Here where) {
  Scope scope("join", where);
  const auto [L, j0, j1, a0] = Symbols();
  Parts results;
  for (const Datum& datum : element)
    if (auto* list = std::get_if<List>(&datum))
      results.push_back(list_access(*list, {"join", {1, L}, {j1}}));
    else
      results.push_back(pack(expand_dims(std::get<Tensor>(datum), 0), {}));
  return results;
}

List list_of(const Data& elements, Here where) {
  Scope scope("FractalTensor", where);
  for (const Datum& element : elements)
    if (std::visit([](const auto& value) { return value.is_empty(); }, element))
      fail(ErrorKind::value, "empty-tensor", "expected elements, but got an empty handle");
  if (std::ranges::any_of(elements, [](const Datum& datum) {
        return std::visit([](const auto& value) { return value.is_traced(); }, datum);
      })) {
    std::vector<Parts> lists;
    for (const Datum& element : elements)
      lists.push_back(single({element}));
    return join(lists)[0];
  }
  std::vector<Array> leaves;
  std::vector<runtime::List> lists;
  for (const Datum& element : elements)
    if (auto* tensor = std::get_if<Tensor>(&element))
      leaves.push_back(tensor->array());
    else
      lists.push_back(std::get<List>(element).host());
  return lists.empty() ? runtime::List::from_leaves(leaves) : runtime::List::from_lists(lists);
}

Parts repeat(const Data& element, const Operand& n) {
  CallScope scope("repeat", n.where());
  const auto [L, j0, j1, a0] = Symbols();
  Tensor count = integer_scalar("n", n);
  if (auto* number = std::get_if<int64_t>(&n.value()))
    require_at_least("n", *number, 0);
  else if (!count.is_traced())
    require_at_least("n", count.item<int64_t>(), 0);
  Parts results;
  for (const Datum& datum : element)
    if (auto* list = std::get_if<List>(&datum))
      results.push_back(list_access(*list, {"repeat", {a0, L}, {j1}, {count}}));
    else
      results.push_back(list_access(single({datum})[0], {"repeat", {a0}, {0}, {count}}));
  return results;
}

Tensor flatten_leaves(const List& xs, int64_t axis, Here where) {
  Scope scope("flatten", where);
  Tensor all = leaves(xs);
  int64_t dim = language::normalize_axis(axis, std::max<int64_t>(all.rank() - 1, 1));
  if (all.rank() == 1)
    return all;
  Shape shape = xs.leaf_shape();
  shape[dim] = shape[dim] * all.shape()[0];
  return reshape(moveaxis(all, 0, dim), shape);
}

Tensor stack(const List& xs, int64_t axis, Here where) {
  Scope scope("stack", where);
  if (xs.depth() != 1)
    fail(ErrorKind::value, "list-depth", "expected a list of tensors, but got " + xs.type_text());
  Tensor all = leaves(xs);
  return moveaxis(all, 0, language::normalize_axis(axis, all.rank()));
}

List unbind(const Tensor& x, int64_t axis, Here where) {
  Scope scope("unbind", where);
  return pack(moveaxis(x, language::normalize_axis(axis, x.rank()), 0), {});
}

List slices(const Tensor& x, int64_t axis, Here where) {
  Scope scope("slices", where);
  int64_t dim = language::normalize_axis(axis, x.rank());
  return pack(expand_dims(moveaxis(x, dim, 0), dim + 1), {});
}

} // namespace kolam::fractal::detail
