// Calls reads and updates of elements at an index.
#include "kolam/frontend/array/at.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/language/at.h"

namespace kolam {
namespace {

using language::Builder;
using language::IndexItem;
using language::Outside;
using language::Update;
using language::Values;

Outside outside_of(std::string_view mode) {
  if (mode.empty())
    return Outside::standard;
  if (mode == "drop" || mode == "fill")
    return Outside::drop;
  if (mode == "clip")
    return Outside::clip;
  if (mode == "promise_in_bounds" || mode == "promise")
    return Outside::promise;
  language::fail_argument(ErrorKind::value, "unknown-mode", "mode",
                          "one of 'drop', 'fill', 'clip', 'promise_in_bounds'",
                          "'" + std::string(mode) + "'");
}

bool is_mask(const Index& item) {
  auto* tensor = std::get_if<Tensor>(&item.value());
  return tensor && !tensor->is_empty() && tensor->dtype() == DType::boolean;
}

/// The places of the true elements: an index array for each dim of the mask.
std::vector<Index> places_of(const Array& mask) {
  std::vector<std::vector<int64_t>> places(mask.rank());
  std::vector<int64_t> place(mask.rank());
  for (bool is_kept : mask.values<bool>()) {
    for (int64_t d = 0; is_kept && d < mask.rank(); ++d)
      places[d].push_back(place[d]);
    for (int64_t d = mask.rank() - 1; d >= 0 && ++place[d] == mask.shape()[d]; --d)
      place[d] = 0;
  }
  std::vector<Index> items;
  for (std::vector<int64_t>& along : places)
    items.emplace_back(Array::of(along));
  return items;
}

/// The extents of the dims of `x` that the item at `position` stands for, as far as there are such.
Shape covered_by(const Shape& x, const std::vector<Index>& items, size_t position) {
  auto dims_of = [](const Index& item) -> int64_t {
    if (is_mask(item))
      return std::get<Tensor>(item.value()).rank();
    bool is_none = std::holds_alternative<NewAxis>(item.value()) ||
                   std::holds_alternative<Ellipsis>(item.value());
    return is_none ? 0 : 1;
  };
  int64_t named = 0, first = 0;
  for (const Index& item : items)
    named += dims_of(item);
  for (size_t i = 0; i < position; ++i)
    first += std::holds_alternative<Ellipsis>(items[i].value()) ? std::ssize(x) - named
                                                                : dims_of(items[i]);
  int64_t last = std::min<int64_t>(first + dims_of(items[position]), std::ssize(x));
  return first < last && first >= 0 ? Shape(x.begin() + first, x.begin() + last) : Shape();
}

/// Masks whose elements are known as index arrays, so that a value may be given for each element
/// that they keep; the others, and those beside which nothing is picked, stay.
std::vector<Index> with_places(const Operand& x, const std::vector<Index>& items,
                               bool is_scalar_value) {
  auto* tensor = std::get_if<Tensor>(&x.value());
  Shape shape = tensor ? tensor->shape() : Shape();
  auto is_plain = [](const Index& item) {
    auto* range = std::get_if<Slice>(&item.value());
    return is_mask(item) || std::holds_alternative<Ellipsis>(item.value()) ||
           (range && !range->start && !range->stop && range->step == 1);
  };
  bool stays = is_scalar_value && std::count_if(items.begin(), items.end(), is_mask) == 1 &&
               std::all_of(items.begin(), items.end(), is_plain);
  std::vector<Index> result;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!is_mask(items[i]) || stays || std::get<Tensor>(items[i].value()).is_traced() ||
        std::get<Tensor>(items[i].value()).rank() == 0) {
      result.push_back(items[i]);
      continue;
    }
    const Array& mask = std::get<Tensor>(items[i].value()).array();
    Shape covered = covered_by(shape, items, i);
    for (size_t d = 0; d < covered.size(); ++d)
      if (covered[d] != Extent(mask.shape()[d]))
        fail(ErrorKind::index, "shape-mismatch",
             "argument 'index': expected a mask of extent " + covered[d].to_string() + " in dim " +
                 std::to_string(d) + ", but got " + std::to_string(mask.shape()[d]));
    for (Index& place : places_of(mask))
      result.push_back(std::move(place));
  }
  return result;
}

/// Adds the tensors among the items.
void add_tensors(const std::vector<Index>& items, std::vector<Operand>& operands) {
  for (const Index& item : items)
    if (auto* place = std::get_if<Tensor>(&item.value()))
      operands.push_back(Operand(*place).apart());
}

/// The items with the values of their tensors, which follow one another in `values` from `next` on.
std::vector<IndexItem> items_of(const std::vector<Index>& items, const Values& values,
                                size_t next) {
  std::vector<IndexItem> result;
  for (const Index& item : items)
    result.push_back(std::visit(
        [&](const auto& value) -> IndexItem {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Tensor>)
            return values[next++];
          else
            return value;
        },
        item.value()));
  return result;
}

bool is_scalar(const Operand& operand) {
  auto* tensor = std::get_if<Tensor>(&operand.value());
  return !tensor || (!tensor->is_empty() && tensor->rank() == 0);
}

Tensor updated(std::string_view function, const Operand& x, const std::vector<Index>& given,
               const Operand& value, Update update, std::string_view mode) {
  CallScope scope(function, x.where());
  Outside outside = outside_of(mode);
  std::vector<Index> items = with_places(x, given, is_scalar(value));
  std::vector<Operand> operands{x, value};
  add_tensors(items, operands);
  return apply(function, operands, [&](Builder& b, const Values& v) {
    return Values{language::update_at(b, v[0], items_of(items, v, 2), v[1], update, outside)};
  })[0];
}

} // namespace

At at(const Operand& x, const std::vector<Index>& items) { return {x, items}; }

Tensor At::set(const Operand& value, std::string_view mode) const {
  return updated("at.set", x_, items_, value, Update::set, mode);
}
Tensor At::add(const Operand& value, std::string_view mode) const {
  return updated("at.add", x_, items_, value, Update::add, mode);
}
Tensor At::subtract(const Operand& value, std::string_view mode) const {
  return updated("at.subtract", x_, items_, value, Update::subtract, mode);
}
Tensor At::multiply(const Operand& value, std::string_view mode) const {
  return updated("at.multiply", x_, items_, value, Update::multiply, mode);
}
Tensor At::divide(const Operand& value, std::string_view mode) const {
  return updated("at.divide", x_, items_, value, Update::divide, mode);
}
Tensor At::power(const Operand& value, std::string_view mode) const {
  return updated("at.power", x_, items_, value, Update::power, mode);
}
Tensor At::min(const Operand& value, std::string_view mode) const {
  return updated("at.min", x_, items_, value, Update::min, mode);
}
Tensor At::max(const Operand& value, std::string_view mode) const {
  return updated("at.max", x_, items_, value, Update::max, mode);
}

Tensor At::apply(const std::function<Tensor(Tensor)>& f, std::string_view mode) const {
  CallScope scope("at.apply", x_.where());
  Outside outside = outside_of(mode);
  std::vector<Index> items = with_places(x_, items_, false);
  std::vector<Operand> operands{x_};
  add_tensors(items, operands);
  return apply_traced("at.apply", operands, [&](Trace& trace, const Values& v) {
    auto cell = language::tensor_type(trace.builder(), ir::dtype_of(v[0]), {});
    Trace::Region traced = trace.region(
        {cell, cell}, [&](std::vector<Tensor> cells) { return std::vector{f(cells[0])}; },
        BodyKind::cells);
    mlir::ValueRange yields = traced.region->front().getTerminator()->getOperands();
    if (yields.size() != 1 || yields[0].getType() != cell)
      language::fail_argument(ErrorKind::type, "combiner-mismatch", "f",
                              "a function that gives a scalar of dtype " +
                                  std::string(name(ir::dtype_of(v[0]))),
                              yields.empty() ? "nothing" : language::describe(yields[0]));
    return Values{language::apply_at(trace.builder(), v[0], items_of(items, v, 1),
                                     {std::move(traced.region), std::move(traced.captures)},
                                     outside)};
  })[0];
}

Tensor At::get(std::string_view mode, const std::optional<Operand>& fill_value) const {
  CallScope scope("at.get", x_.where());
  Outside outside = fill_value && mode.empty() ? Outside::drop : outside_of(mode);
  std::vector<Index> items = with_places(x_, items_, false);
  std::vector<Operand> operands{x_};
  if (fill_value)
    operands.push_back(*fill_value);
  add_tensors(items, operands);
  return kolam::apply("at.get", operands, [&](Builder& b, const Values& v) {
    std::vector<IndexItem> places = items_of(items, v, fill_value ? 2 : 1);
    return Values{
        language::get_at(b, v[0], places, outside, fill_value ? v[1] : language::Value())};
  })[0];
}

Tensor put_along_axis(const Operand& x, const Operand& indices, const Operand& values,
                      int64_t axis) {
  std::vector<Operand> operands{x, values, indices.apart()};
  return apply("put_along_axis", operands, [&](Builder& b, const Values& v) {
    return Values{language::put_along_axis(b, v[0], v[2], v[1], axis)};
  })[0];
}

} // namespace kolam
