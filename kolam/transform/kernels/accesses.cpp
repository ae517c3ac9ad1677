// Reads and writes through views: boxes where a view is one, else element by element.
#include "kolam/ir/signature_parts.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/gather.h"
#include "kolam/language/index.h"
#include "kolam/language/pad.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/language/scatter.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"
#include "kolam/support/machine.h"
#include "kolam/transform/kernels/views.h"

namespace kolam::transform::kernels {

using language::elementwise;

Value Arrays::pad_of(const View& view) { return filled(view, view.pad); }

Value Arrays::tail_of(const View& view) { return filled(view, view.tail ? view.tail : view.pad); }

Value Arrays::filled(const View& view, mlir::DenseElementsAttr with) {
  Value pad = language::make_constant(b, with);
  if (ir::dtype_of(pad) != view.dtype)
    pad = language::bitcast(b, pad, view.dtype);
  return language::broadcast_to(b, pad, view.shape);
}

std::optional<Arrays::Box> Arrays::box_of(const View& view) {
  Box box;
  if (view.inside)
    return std::nullopt;
  for (const Coordinate& at : view.at) {
    std::optional<Coordinate::Term> moving;
    for (const Coordinate::Term& term : at.terms) {
      if (view.shape[static_cast<size_t>(term.dim)] == Extent(1))
        continue;
      if (moving)
        return std::nullopt;
      moving = term;
    }
    if (at.table || (moving && (moving->step < 1 || llvm::is_contained(box.dims, moving->dim))))
      return std::nullopt;
    // Of none or an unknown number of elements no step is left out between the first and the last.
    if (moving && moving->step > 1 &&
        view.shape[static_cast<size_t>(moving->dim)].constant().value_or(0) < 1)
      return std::nullopt;
    Value start = at.base;
    box.starts.push_back(plus(start, at.offset == 0 && start ? Value() : scalar(at.offset)));
    Extent size = 1;
    if (moving) {
      size = (view.shape[static_cast<size_t>(moving->dim)] - 1) * moving->step + 1;
      box.dims.push_back(moving->dim);
    }
    box.sizes.push_back(size);
    box.steps.push_back(moving ? moving->step : 1);
  }
  for (size_t dim = 0; dim < view.shape.size(); ++dim)
    if (!(view.shape[dim] == Extent(1)) && !llvm::is_contained(box.dims, static_cast<int64_t>(dim)))
      return std::nullopt;
  return box;
}

Value Arrays::part_of(Value elements, const Box& box) {
  std::vector<SliceBox> boxes;
  for (auto [start, size] : llvm::zip(box.starts, box.sizes)) {
    auto range = ranges_.of(start);
    if (!range || range->least != range->most)
      return language::dynamic_slice(b, elements, box.starts, box.sizes);
    boxes.push_back({false, Extent(range->least), size, 1});
  }
  return language::slice(b, elements, boxes);
}

Value Arrays::read_with_margin(const View& view) {
  View sure = view;
  sure.inside = {};
  auto box = view.is_by_place && !view.tail ? box_of(sure) : std::nullopt;
  if (!box)
    return {};
  Value array = value(view.array);
  const Shape extents = ir::shape_of(array);
  std::vector<SliceBox> boxes;
  std::vector<PadWidth> widths;
  Values starts;
  bool moves = false;
  for (auto [start, size, extent] : llvm::zip(box->starts, box->sizes, extents)) {
    auto range = ranges_.of(start);
    auto count = size.constant(), all = extent.constant();
    if (!range || !count || !all)
      return {};
    int64_t first = range->least, end = range->most + *count;
    const int64_t low = std::max<int64_t>(0, -first), high = std::max<int64_t>(0, end - *all);
    if (low == 0 && high == 0)
      first = 0, end = *all;
    else if (end - high <= first + low) // all of it is outside
      return {};
    else
      moves |= range->least != range->most;
    boxes.push_back({false, Extent(first + low), Extent(end - high - first - low), 1});
    widths.push_back({low, high});
    starts.push_back(first == 0 ? start : plus(start, scalar(-first)));
  }
  // What loops move is read from one array around them.
  const bool is_around = array.getParentRegion() != b.getInsertionBlock()->getParent();
  if (moves && (margins_ == Margins::of_one_place || !is_around))
    return {};
  Value wide;
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    if (is_around)
      b.setInsertionPointAfterValue(array);
    wide = language::pad(b, language::slice(b, array, boxes), widths, "constant",
                         language::make_constant(b, view.pad));
  }
  box->starts = starts;
  return read_box(view, *box, wide);
}

Value Arrays::read_box(const View& view, const Box& box) {
  return read_box(view, box, value(view.array));
}

Value Arrays::read_box(const View& view, const Box& box, Value elements) {
  if (box.sizes != ir::shape_of(elements))
    elements = part_of(elements, box);
  if (llvm::any_of(box.steps, [](int64_t step) { return step != 1; })) {
    std::vector<SliceBox> strided;
    for (auto [size, step] : llvm::zip(box.sizes, box.steps))
      strided.push_back({false, Extent(0), floordiv(size - 1, step) + 1, step});
    elements = language::slice(b, elements, strided);
  }
  // Without dims of one element, in the order of the view.
  Shape shape;
  for (int64_t dim : box.dims)
    shape.push_back(view.shape[static_cast<size_t>(dim)]);
  elements = language::reshape(b, elements, shape);
  std::vector<int64_t> sorted = box.dims;
  llvm::sort(sorted);
  language::Axes order;
  for (int64_t dim : sorted)
    order.push_back(llvm::find(box.dims, dim) - box.dims.begin());
  return language::reshape(b, language::permute_dims(b, elements, order), view.shape);
}

void Arrays::write_box(const View& view, const Box& box, Value elements) {
  std::vector<int64_t> sorted = box.dims;
  llvm::sort(sorted);
  Shape shape;
  for (int64_t dim : sorted)
    shape.push_back(view.shape[static_cast<size_t>(dim)]);
  elements = language::reshape(b, elements, shape);
  language::Axes order;
  for (int64_t dim : box.dims)
    order.push_back(llvm::find(sorted, dim) - sorted.begin());
  elements = language::permute_dims(b, elements, order);
  elements = language::reshape(b, elements, box.sizes);
  Value& array = value(view.array);
  array = box.sizes == ir::shape_of(array)
              ? elements
              : language::dynamic_update_slice(b, array, elements, box.starts);
}

Value Arrays::places(const View& view, Value mask) {
  Values columns;
  Value inside = both(view.is_by_place ? Value() : view.inside, mask);
  std::vector<Coordinate> coordinates = view.at;
  if (coordinates.empty()) // of an array of one element
    coordinates.emplace_back();
  for (const Coordinate& at : coordinates) {
    columns.push_back(coordinate(at, view.shape));
    if (inside)
      columns.back() =
          elementwise(b, Fn::where,
                      {inside, columns.back(), language::broadcast_to(b, scalar(-1), view.shape)});
  }
  return as_columns(columns, view.shape);
}

Value Arrays::elements_of(const View& view) {
  auto box = box_of(view);
  // Places outside are clipped: the pad value covers what is read there.
  Value elements =
      box ? read_box(view, *box) : at_places(value(view.array), places(view, {}), view.shape);
  if (ir::dtype_of(elements) != view.dtype)
    elements = language::bitcast(b, elements, view.dtype);
  if (view.inside)
    elements = elementwise(b, Fn::where, {view.inside, elements, tail_of(view)});
  return elements;
}

Value Arrays::elements_inside(const View& view) {
  View sure = view;
  sure.inside = {};
  if (!view.windows.places)
    return elements_of(sure);
  const Windows& windows = view.windows;
  Value elements = language::gather(b, value(view.array), windows.places,
                                    {windows.dims, windows.lengths, 0, "promise"});
  elements = language::reshape(b, elements, view.shape);
  return ir::dtype_of(elements) == view.dtype ? elements
                                              : language::bitcast(b, elements, view.dtype);
}

/// Whether reading a view at once, where all of it is inside, is worth a branch: it is a box, or
/// are long ones.
bool Arrays::is_long(const View& view) {
  if (ir::rough_count(view.shape) < kPoints.long_window)
    return false;
  double length = 1;
  for (int64_t own : view.windows.lengths)
    length *= static_cast<double>(own);
  const bool has_windows = view.windows.places && length >= kPoints.long_window;
  View sure = view;
  sure.inside = {};
  return has_windows ? margins_ == Margins::of_one_place : box_of(sure).has_value();
}

Value Arrays::read(const View& view, Value mask, Value other) {
  Value elements;
  auto known = view.is_inside ? ranges_.of(view.is_inside) : Range{0, 0};
  if (Value found = view.inside ? read_with_margin(view) : Value()) {
    elements = ir::dtype_of(found) == view.dtype ? found : language::bitcast(b, found, view.dtype);
  } else if (view.inside && (!known || known->most > 0) && is_long(view)) {
    std::vector<language::Body> branches(2);
    for (const bool is_inside : {false, true}) {
      language::Body& branch = branches[is_inside ? 1 : 0];
      // Masks are made where they are needed.
      auto with_masks = [&] {
        const Windows& own = view.windows;
        return own.of ? gathered(*own.of, own.indices, own.named, view.shape) : view;
      };
      branch = language::make_body(b, {}, [&](const Values&) {
        return Values{is_inside ? elements_inside(view) : elements_of(with_masks())};
      });
    }
    elements = language::cond(b, view.is_inside, std::move(branches))[0];
  } else {
    elements = elements_of(view);
  }
  if (mask)
    elements = elementwise(b, Fn::where, {mask, elements, other ? other : pad_of(view)});
  return elements;
}

void Arrays::write_elements(const View& view, Value elements, Value mask) {
  Value& array = value(view.array);
  const Shape own = ir::shape_of(array);
  // An array of one element has one place.
  const size_t columns = std::max<size_t>(1, own.size());
  Shape updates = view.shape;
  updates.resize(updates.size() + columns, Extent(1));
  language::ScatterSpec spec;
  for (size_t dim = 0; dim < columns; ++dim)
    spec.dims.push_back(static_cast<int64_t>(dim));
  spec.mode = "element";
  spec.drops_each = true;
  Value into = own.empty() ? language::reshape(b, array, {Extent(1)}) : array;
  into = language::scatter(b, {into}, {language::reshape(b, elements, updates)}, places(view, mask),
                           spec)[0];
  array = language::reshape(b, into, own);
}

void Arrays::combine_elements(const View& view, llvm::StringRef kind, Value elements, Value mask) {
  Value& array = value(view.array);
  Shape updates = view.shape;
  updates.resize(updates.size() + view.at.size(), Extent(1));
  language::ScatterSpec spec;
  for (size_t dim = 0; dim < view.at.size(); ++dim)
    spec.dims.push_back(static_cast<int64_t>(dim));
  mlir::Type scalar = language::tensor_type(b, view.dtype, {});
  language::CombinerRegion combiner;
  combiner.region = language::make_region(b, {scalar, scalar}, [&](const Values& arguments) {
    Fn function = ir::update_function(kind, view.dtype);
    return Values{elementwise(b, function, {arguments[0], arguments[1]})};
  });
  elements = language::reshape(b, elements, updates);
  spec.drops_each = true;
  Value at = places(view, mask);
  if (kind == "add")
    spec.combiner = "kAdd";
  array = kind == "add"
              ? language::scatter(b, {array}, {elements}, at, spec)[0]
              : language::scatter(b, {array}, {elements}, at, spec, std::move(combiner))[0];
}

void Arrays::write(const View& view, Value elements, Value mask) {
  if (element_count(ir::shape_of(value(view.array))) == Extent(0))
    return;
  DType own = ir::dtype_of(value(view.array));
  Value bits = own == view.dtype ? elements : language::bitcast(b, elements, own);
  auto box = box_of(view);
  if (box && llvm::all_of(box->steps, [](int64_t step) { return step == 1; })) {
    if (mask)
      bits = elementwise(b, Fn::where, {mask, bits, read_box(view, *box)});
    return write_box(view, *box, bits);
  }
  if (view.at.empty() && element_count(view.shape) == Extent(1)) {
    Value all = language::reshape(b, bits, {Extent(1)});
    if (Value holds = both(view.inside, mask)) {
      Value array = language::reshape(b, value(view.array), {Extent(1)});
      all = elementwise(b, Fn::where, {language::reshape(b, holds, {Extent(1)}), all, array});
    }
    value(view.array) = language::reshape(b, all, {});
    return;
  }
  write_elements(view, bits, mask);
}

Value Arrays::next(llvm::StringRef kind, Value old, Value elements, Value compare) {
  if (kind == "exchange")
    return elements;
  if (compare)
    return elementwise(b, Fn::where, {elementwise(b, Fn::equal, {old, compare}), elements, old});
  return elementwise(b, ir::update_function(kind, ir::dtype_of(old)), {old, elements});
}

Value Arrays::update(const View& view, llvm::StringRef kind, Value elements, Value compare,
                     Value mask, bool needs_old) {
  if (!box_of(view) && !needs_old && !compare && kind != "exchange" && !view.at.empty() &&
      ir::dtype_of(value(view.array)) == view.dtype &&
      !(element_count(ir::shape_of(value(view.array))) == Extent(0))) {
    combine_elements(view, kind, elements, mask);
    return {};
  }
  if (!box_of(view))
    return update_one_by_one(view, kind, elements, compare, mask);
  Value old = read(view, {}, {});
  write(view, next(kind, old, elements, compare), mask);
  return mask ? elementwise(b, Fn::where, {mask, old, pad_of(view)}) : old;
}

Value Arrays::update_one_by_one(const View& view, llvm::StringRef kind, Value elements,
                                Value compare, Value mask) {
  const Shape flat{element_count(view.shape)}, one{Extent(1)};
  if (flat[0] == Extent(0) || element_count(ir::shape_of(value(view.array))) == Extent(0))
    return pad_of(view);
  const auto columns = static_cast<int64_t>(std::max<size_t>(1, view.at.size()));
  // -1 where nothing is updated.
  Value numbers =
      language::reshape(b, places(view, both(view.inside, mask)), {flat[0], Extent(columns)});
  auto as_row = [&](Value x) { return x ? language::reshape(b, x, flat) : x; };
  const Value values = as_row(elements), compares = as_row(compare);
  auto element = [&](Value row, Value i) {
    return row ? language::reshape(b, language::dynamic_slice(b, row, {i}, one), {}) : row;
  };
  auto [lower, upper] =
      language::loop_bounds(b, scalar(0), language::extent_scalar(b, flat[0], DType::i64));
  const Values inits{value(view.array), as_row(pad_of(view))};
  language::Body body = language::make_body(
      b, {lower.getType(), inits[0].getType(), inits[1].getType()}, [&](const Values& arguments) {
        Value i = arguments[0];
        value(view.array) = arguments[1];
        Value row =
            language::dynamic_slice(b, numbers, {i, scalar(0)}, {Extent(1), Extent(columns)});
        View single{view.array, view.pad, view.dtype, {}, {}, {}};
        for (int64_t dim = 0; dim < columns; ++dim) {
          Value place = language::reshape(b, language::slice_dim(b, row, 1, dim, Extent(1)), {});
          if (dim == 0)
            single.inside = elementwise(b, Fn::greater_equal, {place, scalar(0)});
          if (static_cast<size_t>(dim) < view.at.size())
            single.at.push_back({place, 0, {}, {}});
        }
        Value old = read(single, {}, {});
        write(single, next(kind, old, element(values, i), element(compares, i)), {});
        return Values{value(view.array), language::dynamic_update_slice(
                                             b, arguments[2], language::reshape(b, old, one), {i})};
      });
  Values results = language::for_loop(b, lower, upper, inits, std::move(body));
  value(view.array) = results[0];
  return language::reshape(b, results[1], view.shape);
}

} // namespace kolam::transform::kernels
