// Reads lists at places given by expressions over j0, j1, L and a0 (ir/lists.td, kolam.access).
#include "kolam/frontend/fractal/access.h"

#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/language/promotion.h"

#include <algorithm>
#include <numeric>

namespace kolam::fractal::detail {
namespace {

const Extent& length_symbol() {
  static const Extent L = Extent::symbol("L");
  return L;
}
Extent place_symbol(int dim) { return Extent::symbol("j" + std::to_string(dim)); }
Extent scalar_symbol(size_t number) { return Extent::symbol("a" + std::to_string(number)); }

/// `float32[n, 4]` or `list<float32[4]>`.
std::string describe(const Datum& datum) {
  if (auto* list = std::get_if<List>(&datum))
    return list->type_text();
  const Tensor& tensor = std::get<Tensor>(datum);
  return std::string(name(tensor.dtype())) + to_string(tensor.shape());
}

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

/// `number` is at least `least`. Throws `[list-argument]`.
void require_at_least(const char* argument, int64_t number, int64_t least) {
  if (number < least)
    fail(ErrorKind::value, "list-argument",
         "argument '" + std::string(argument) + "': expected at least " + std::to_string(least) +
             ", but got " + std::to_string(number));
}

/// Windows with a centre. Throws `[list-argument]`.
void require_centred(int64_t window, int64_t dilation) {
  require_at_least("window", window, 1);
  require_at_least("dilation", dilation, 1);
  if (window % 2 == 0)
    fail(ErrorKind::value, "list-argument",
         "argument 'window': expected an odd number, as windows have a centre, but got " +
             std::to_string(window));
}

/// An integer scalar as i64. Throws `[shape-mismatch]` and `[dtype-mismatch]`.
Tensor integer_scalar(const char* argument, const Operand& given) {
  auto* tensor = std::get_if<Tensor>(&given.value());
  Tensor scalar = tensor ? *tensor : full({}, given);
  if (scalar.rank() != 0)
    language::fail_argument(ErrorKind::value, "shape-mismatch", argument, "an integer scalar",
                            describe(scalar));
  if (!is_integer(scalar.dtype()) || scalar.dtype() == DType::u64)
    language::fail_argument(ErrorKind::type, "dtype-mismatch", argument,
                            "an integer that int64 holds", describe(scalar));
  return astype(scalar, DType::i64);
}

/// The types of the parts of a list.
std::string describe(const Parts& xs) {
  std::string text;
  for (const List& list : xs)
    text += (text.empty() ? "" : ", ") + list.type_text();
  return text;
}

/// `given` as a leaf of a list; a number fills it. Throws `[list-type]`, `[scalar-does-not-fit]`.
Tensor as_leaf(const List& list, const Operand& given) {
  auto* tensor = std::get_if<Tensor>(&given.value());
  if (!tensor)
    return full(list.leaf_shape(), given, list.dtype());
  if (tensor->dtype() != list.dtype() || tensor->shape() != list.leaf_shape())
    fail(ErrorKind::type, "list-type",
         "argument 'value': expected " + std::string(name(list.dtype())) +
             to_string(list.leaf_shape()) + ", as the leaves are, but got " + describe(*tensor));
  return *tensor;
}

/// A leaf for each part: `value`, or zeros where nothing is given. Elements that are lists have no
/// value that could lie outside: then none without `value`.
std::vector<Tensor> pads(const Parts& xs, const std::vector<Operand>& value) {
  if (std::ranges::any_of(xs, [](const List& list) { return list.depth() > 1; })) {
    if (value.empty())
      return {};
    fail(ErrorKind::type, "list-type",
         "argument 'value': expected a list of tensors around it, but got " + describe(xs));
  }
  if (!value.empty() && value.size() != xs.size())
    fail(ErrorKind::type, "list-type",
         "argument 'value': expected a value for each of the " + std::to_string(xs.size()) +
             " parts of an element, but got " + std::to_string(value.size()));
  std::vector<Tensor> results;
  for (size_t part = 0; part < xs.size(); ++part)
    results.push_back(as_leaf(xs[part], value.empty() ? Operand(0) : value[part]));
  return results;
}

/// Each part read by `form`, with the pad of its number where there are some.
Parts accessed(const Parts& xs, Access form, const std::vector<Tensor>& pads = {}) {
  Parts results;
  for (size_t part = 0; part < xs.size(); ++part) {
    if (!pads.empty())
      form.pad = pads[part];
    results.push_back(list_access(xs[part], form));
  }
  return results;
}

Extent modulo(const Extent& place, const Extent& divisor) {
  return place - divisor * floordiv(place, divisor);
}

/// Throws `[window-too-large]` where the list has fewer than `least` elements.
void require_length(const Parts& xs, const Extent& least, const char* name,
                    const std::string& expected) {
  int64_t count = *least.constant();
  if (count > 0)
    require(length(xs) >= count, "window-too-large",
            "expected a list" + expected + ", but got a shorter one", name);
}

/// A place of a list with elements, counted from the front. Throws `[list-index]`.
int64_t checked_place(int64_t place, int64_t length) {
  if (place >= -length && place < length)
    return place < 0 ? place + length : place;
  std::string expected =
      length ? "a place from -" + std::to_string(length) + " to " + std::to_string(length - 1)
             : "no place in an empty list";
  fail(ErrorKind::index, "list-index",
       "expected " + expected + ", but got " + std::to_string(place));
}

Datum element(const runtime::List& list, int64_t place) {
  if (list.depth() > 1)
    return List(list.sublist(place));
  return Tensor(list.leaf(place));
}

/// The integers of a host list or tensor of places.
std::vector<int64_t> known_places(const Array& given, int64_t length) {
  Array wide = astype(Tensor(given), DType::i64).array();
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
        names.emplace(symbol, scalar_symbol(scalars.size()));
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

Tensor length(const Parts& xs, Here where) { return list_length(xs[0], where); }

Data index(const Parts& xs, const Operand& i) {
  CallScope scope("index", i.where());
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
  if (all_on_host(xs) && is_known(slice))
    return sliced(xs, resolve_slice(slice, xs[0].host().size()));
  Access form{"index", {}, {}};
  SliceBox box = resolve_slice(with_scalars(slice, form.scalars), length_symbol());
  Extent place = box.start + Extent(box.step) * place_symbol(0);
  form.lengths = {box.size};
  form.index = {box.reversed ? length_symbol() - 1 - place : place};
  return accessed(xs, form);
}

Parts gather(const Parts& xs, const Datum& given, Here where) {
  Scope scope("gather", where);
  List places = as_places(given);
  if (all_on_host(xs) && !places.is_traced()) {
    std::vector<int64_t> known = known_places(places.host().leaves(), xs[0].host().size());
    return mapped(xs, [&](const runtime::List& list) { return list.take(known); });
  }
  SourceLocation user = CallScope::current_location();
  return map({places}, [&](const Data& place) {
    CallScope inner("gather", user);
    return index(xs, std::get<Tensor>(place[0]));
  });
}

Parts reverse(const Parts& xs, Here where) {
  Scope scope("reverse", where);
  return accessed(xs, {"reverse", {length_symbol()}, {length_symbol() - 1 - place_symbol(0)}});
}

Parts slide(const Parts& xs, int64_t window, const SlideOptions& options, Here where) {
  Scope scope("slide", where);
  require_at_least("window", window, 1);
  require_at_least("dilation", options.dilation, 1);
  require_at_least("stride", options.stride, 1);
  require_at_least("padding", options.padding, 0);
  Extent reach = Extent(options.dilation) * Extent(window - 1) + 1;
  Extent padding = options.padding, stride = options.stride;
  require_length(xs, reach - 2 * padding, "slide",
                 ", with its padding, of at least " + reach.to_string() + " elements");
  Access form{"slide",
              {floordiv(length_symbol() + 2 * padding - reach, stride) + 1, window},
              {stride * place_symbol(0) + Extent(options.dilation) * place_symbol(1) - padding}};
  return accessed(xs, form, options.padding ? pads(xs, options.value) : std::vector<Tensor>());
}

Parts shifted_slide(const Parts& xs, int64_t window, int64_t dilation, Here where) {
  Scope scope("shifted_slide", where);
  require_centred(window, dilation);
  Extent place = place_symbol(0) + Extent(dilation) * (place_symbol(1) - Extent(window / 2));
  return accessed(xs,
                  {"shifted_slide", {length_symbol(), window}, {modulo(place, length_symbol())}});
}

Parts window(const Operand& i, const Parts& xs, int64_t window, int64_t dilation,
             const std::vector<Operand>& value) {
  CallScope scope("window", i.where());
  require_centred(window, dilation);
  Extent place = scalar_symbol(0) + Extent(dilation) * (place_symbol(0) - Extent(window / 2));
  return accessed(xs, {"window", {window}, {place}, {integer_scalar("i", i)}}, pads(xs, value));
}

Parts shifted_window(const Operand& i, const Parts& xs, int64_t window, int64_t dilation) {
  CallScope scope("shifted_window", i.where());
  require_centred(window, dilation);
  Extent place = scalar_symbol(0) + Extent(dilation) * (place_symbol(0) - Extent(window / 2));
  return accessed(
      xs, {"shifted_window", {window}, {modulo(place, length_symbol())}, {integer_scalar("i", i)}});
}

Parts dilate(const Parts& xs, int64_t dilation, Here where) {
  Scope scope("dilate", where);
  require_at_least("dilation", dilation, 1);
  Extent row = place_symbol(0);
  return accessed(xs, {"dilate",
                       {dilation, ceildiv(max(length_symbol() - row, 0), dilation)},
                       {row + Extent(dilation) * place_symbol(1)}});
}

Parts interleave(const Parts& rows, int64_t dilation, Here where) {
  Scope scope("dilated_map", where);
  if (std::ranges::any_of(rows, [](const List& list) { return list.depth() < 2; }))
    fail(ErrorKind::type, "list-type", "expected f to give a list, but got a tensor");
  return accessed(rows, {"dilated_map",
                         {Extent::symbol("N")},
                         {modulo(place_symbol(0), dilation), floordiv(place_symbol(0), dilation)}});
}

Parts split(const Parts& xs, int64_t n, Here where) {
  Scope scope("split", where);
  require_at_least("n", n, 1);
  require_length(xs, n, "split", " of at least " + std::to_string(n) + " elements");
  Extent each = floordiv(length_symbol(), n), row = place_symbol(0);
  Extent rest = length_symbol() - Extent(n) * each; // of the last row
  return accessed(
      xs, {"split", {n, each + floordiv(row + 1, n) * rest}, {row * each + place_symbol(1)}});
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

std::pair<Parts, Parts> product(const Parts& xs, const Parts& ys, Here where) {
  Scope scope("product", where);
  Extent other = scalar_symbol(0);
  Access columns{"product", {other, length_symbol()}, {place_symbol(1)}, {length(ys)}};
  Access rows{"product", {length_symbol(), other}, {place_symbol(0)}, {length(xs)}};
  return {accessed(xs, columns), accessed(ys, rows)};
}

Parts join(const std::vector<Parts>& lists, Here where) {
  Scope scope("join", where);
  if (lists.empty())
    fail(ErrorKind::value, "no-operands", "expected at least one list, but got none");
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
  Parts results;
  for (const Datum& datum : element)
    if (auto* list = std::get_if<List>(&datum))
      results.push_back(list_access(*list, {"join", {1, length_symbol()}, {place_symbol(1)}}));
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
  Tensor count = integer_scalar("n", n);
  if (auto* number = std::get_if<int64_t>(&n.value()))
    require_at_least("n", *number, 0);
  else if (!count.is_traced())
    require_at_least("n", count.item<int64_t>(), 0);
  Parts results;
  for (const Datum& datum : element)
    if (auto* list = std::get_if<List>(&datum))
      results.push_back(list_access(
          *list, {"repeat", {scalar_symbol(0), length_symbol()}, {place_symbol(1)}, {count}}));
    else
      results.push_back(
          list_access(single({datum})[0], {"repeat", {scalar_symbol(0)}, {0}, {count}}));
  return results;
}

Tensor flatten_leaves(const List& xs, int64_t axis, Here where) {
  Scope scope("flatten", where);
  Tensor all = leaves(xs);
  if (all.rank() == 1)
    return all;
  int64_t dim = language::normalize_axis(axis, all.rank() - 1);
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
