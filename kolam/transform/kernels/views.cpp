// Views: slices, gathers, reshapes and transposes of indices.
#include "kolam/transform/kernels/views.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/gather.h"
#include "kolam/language/pad.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"

namespace kolam::transform::kernels {

using language::elementwise;

int Arrays::add(Value elements) {
  arrays_.push_back(elements);
  return static_cast<int>(arrays_.size()) - 1;
}

View Arrays::whole(int array, mlir::DenseElementsAttr pad) {
  Value elements = value(array);
  View view{array, pad, ir::dtype_of(elements), ir::shape_of(elements), {}, {}};
  for (size_t dim = 0; dim < view.shape.size(); ++dim)
    view.at.push_back({{}, 0, {{static_cast<int64_t>(dim), 1}}, {}});
  return view;
}

/// A view of the same array, without places yet.
static View like(const View& view, const Shape& shape) {
  View result = view;
  result.shape = shape;
  result.at.clear();
  result.inside = result.in_ref = {};
  result.windows = {};
  result.is_by_place = false;
  return result;
}

Value Arrays::scalar(int64_t number) { return language::integer_constant(b, number, DType::i64); }

Value Arrays::plus(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return elementwise(b, Fn::add, {x, y});
}

Value Arrays::times(Value x, int64_t step) {
  return step == 1 ? x : elementwise(b, Fn::multiply, {x, scalar(step)});
}

Value Arrays::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return elementwise(b, Fn::logical_and, {x, y});
}

Value Arrays::within(Value place, const Extent& extent) {
  Value end = language::extent_scalar(b, extent, DType::i64);
  return both(elementwise(b, Fn::greater_equal, {place, scalar(0)}),
              elementwise(b, Fn::less, {place, end}));
}

Value Arrays::along(Value base, int64_t step, int64_t dim, const Shape& shape) {
  Value numbers = times(language::iota(b, shape, dim, DType::i64), step);
  return base ? plus(language::broadcast_to(b, base, shape), numbers) : numbers;
}

Value Arrays::at_places(Value tensor, Value places, const Shape& shape) {
  language::Axes dims, lengths;
  for (int64_t dim = 0; dim < ir::rank_of(tensor); ++dim) {
    dims.push_back(dim);
    lengths.push_back(1);
  }
  if (dims.empty())
    return language::broadcast_to(b, tensor, shape);
  // Of a tensor without elements all places are outside, where what is read does not matter. One
  // that may have none gets an element behind it.
  Value zero = language::integer_constant(b, 0, ir::dtype_of(tensor));
  if (element_count(ir::shape_of(tensor)) == Extent(0))
    return language::full(b, shape, zero);
  std::vector<PadWidth> widths;
  for (const Extent& extent : ir::shape_of(tensor))
    widths.push_back({0, extent.is_constant() ? 0 : 1});
  tensor = language::pad(b, tensor, widths, "constant", zero);
  return language::reshape(b, language::gather(b, tensor, places, {dims, lengths}), shape);
}

Value Arrays::as_columns(const Values& columns, const Shape& shape) {
  Values parts;
  Shape part = shape;
  part.emplace_back(1);
  for (Value column : columns)
    parts.push_back(language::reshape(b, column, part));
  return parts.size() == 1 ? parts[0]
                           : language::concat(b, parts, static_cast<int64_t>(shape.size()));
}

Value Arrays::taken(Value tensor, const Values& starts, llvm::ArrayRef<int64_t> steps,
                    const Shape& shape) {
  Values columns;
  for (auto [dim, start] : llvm::enumerate(starts))
    columns.push_back(along(start, steps[dim], static_cast<int64_t>(dim), shape));
  if (columns.empty())
    return tensor;
  return at_places(tensor, as_columns(columns, shape), shape);
}

View Arrays::sliced(const View& view, const Values& starts, llvm::ArrayRef<int64_t> steps,
                    const Shape& shape) {
  View result = like(view, shape);
  Values at; // starts as i64
  for (Value start : starts)
    at.push_back(language::cast(b, start, DType::i64));
  for (const Coordinate& own : view.at) {
    Coordinate next{own.base, own.offset, {}, {}};
    if (own.table) {
      next.table = taken(own.table, at, steps, shape);
      result.at.push_back(next);
      continue;
    }
    for (const Coordinate::Term& term : own.terms) {
      auto range = ranges_.of(at[term.dim]);
      if (range && range->least == range->most)
        next.offset += term.step * range->least;
      else
        next.base = plus(next.base, times(at[term.dim], term.step));
      next.terms.push_back({term.dim, term.step * steps[term.dim]});
    }
    result.at.push_back(next);
  }
  bool is_by_place = !view.inside || view.is_by_place;
  Value own; // where the starts and steps stay in the view
  Value all; // whether all do
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    auto range = ranges_.of(at[dim]);
    auto extent = view.shape[dim].constant(), count = shape[dim].constant();
    const bool is_whole = range && range->least == 0 && range->most == 0 && steps[dim] == 1 &&
                          shape[dim] == view.shape[dim];
    if (is_whole || (count && *count == 0))
      continue;
    if (range && extent && count) {
      int64_t last = steps[dim] * (*count - 1);
      if (range->least + std::min<int64_t>(last, 0) >= 0 &&
          range->most + std::max<int64_t>(last, 0) < *extent)
        continue;
    }
    is_by_place &= has_all(view, static_cast<int64_t>(dim));
    Value place = along(at[dim], steps[dim], static_cast<int64_t>(dim), shape);
    own = both(own, within(place, view.shape[dim]));
    auto last =
        times(plus(language::extent_scalar(b, shape[dim], DType::i64), scalar(-1)), steps[dim]);
    all = both(
        all, both(within(at[dim], view.shape[dim]), within(plus(at[dim], last), view.shape[dim])));
  }
  auto at_own = [&](Value mask) { return mask ? taken(mask, at, steps, shape) : mask; };
  result.inside = both(at_own(view.inside), own);
  result.is_by_place = is_by_place;
  result.in_ref = both(at_own(view.in_ref), own);
  result.is_inside = view.inside && !view.is_inside ? Value() : both(view.is_inside, all);
  return result;
}

Value Arrays::coordinate(const Coordinate& at, const Shape& shape) {
  if (at.table)
    return at.table;
  Value place = plus(at.base, at.offset == 0 && at.base ? Value() : scalar(at.offset));
  place = language::broadcast_to(b, place, shape);
  for (const Coordinate::Term& term : at.terms)
    place = plus(place, along({}, term.step, term.dim, shape));
  return place;
}

/// Whether a dim of a view is one of its array's, from its first to its last element.
bool Arrays::has_all(const View& view, int64_t dim) {
  const Shape array = ir::shape_of(value(view.array));
  for (auto [own, at] : llvm::enumerate(view.at)) {
    auto is_it = [&](const Coordinate::Term& term) { return term.dim == dim; };
    if (llvm::any_of(at.terms, is_it))
      return !at.base && at.offset == 0 && at.terms.size() == 1 && at.terms[0].step == 1 &&
             array[own] == view.shape[static_cast<size_t>(dim)];
  }
  return false;
}

/// Whether a view's coordinates are those of its array.
bool Arrays::is_whole(const View& view) {
  if (view.shape != ir::shape_of(value(view.array)))
    return false;
  for (auto [dim, at] : llvm::enumerate(view.at))
    if (at.base || at.table || at.offset != 0 || at.terms.size() != 1 ||
        at.terms[0].dim != static_cast<int64_t>(dim) || at.terms[0].step != 1)
      return false;
  return true;
}

/// Column `number` of indices, as i64.
Value Arrays::column(Value indices, int64_t number) {
  Shape batch = ir::shape_of(indices);
  batch.pop_back();
  Value own = language::slice_dim(b, indices, static_cast<int64_t>(batch.size()), Extent(number),
                                  Extent(1));
  return language::reshape(b, language::cast(b, own, DType::i64), batch);
}

Value Arrays::all_within(const View& view, Value indices, llvm::ArrayRef<int64_t> dims) {
  Value all;
  for (auto [number, dim] : llvm::enumerate(dims))
    all = both(all, within(column(indices, static_cast<int64_t>(number)), view.shape[dim]));
  language::Axes axes;
  for (int64_t axis = 0; axis < ir::rank_of(all); ++axis)
    axes.push_back(axis);
  return axes.empty() ? all : language::truth(b, all, Fn::logical_and, axes);
}

Windows Arrays::windows_of(const View& view, Value indices, llvm::ArrayRef<int64_t> dims) {
  Windows windows;
  Shape batch = ir::shape_of(indices);
  batch.pop_back();
  Values columns;
  int64_t before = -1; // dims of the view stand in the order of the array's
  for (auto [own, at] : llvm::enumerate(view.at)) {
    if (view.inside || at.table || at.terms.size() > 1 ||
        (at.terms.size() == 1 && (at.terms[0].step != 1 || at.terms[0].dim <= before)))
      return {};
    Value place = plus(at.base, at.offset == 0 && at.base ? Value() : scalar(at.offset));
    place = language::broadcast_to(b, place, batch);
    std::optional<int64_t> length = 1;
    if (!at.terms.empty()) {
      before = at.terms[0].dim;
      const auto* named = llvm::find(dims, before);
      if (named != dims.end())
        place = plus(place, column(indices, named - dims.begin()));
      else
        length = view.shape[static_cast<size_t>(before)].constant();
    }
    if (!length)
      return {};
    columns.push_back(place);
    windows.dims.push_back(static_cast<int64_t>(own));
    windows.lengths.push_back(*length);
  }
  if (columns.empty())
    return {};
  windows.places = as_columns(columns, batch);
  windows.of = std::make_shared<const View>(view);
  windows.indices = indices;
  windows.named.assign(dims.begin(), dims.end());
  return windows;
}

View Arrays::gathered(const View& view, Value indices, llvm::ArrayRef<int64_t> dims,
                      const Shape& shape) {
  const auto batch_rank = static_cast<size_t>(ir::rank_of(indices)) - 1;
  const Shape batch(shape.begin(), shape.begin() + static_cast<int64_t>(batch_rank));
  // By dim of the view: its coordinate, in the result's shape.
  Values own;
  Value inside;
  size_t rest = batch_rank;
  Shape padded = batch;
  padded.resize(shape.size(), Extent(1));
  for (size_t dim = 0; dim < view.shape.size(); ++dim) {
    const auto* named = llvm::find(dims, static_cast<int64_t>(dim));
    if (named == dims.end()) {
      own.push_back(along({}, 1, static_cast<int64_t>(rest++), shape));
      continue;
    }
    Value column = language::slice_dim(b, indices, static_cast<int64_t>(batch_rank),
                                       Extent(named - dims.begin()), Extent(1));
    Value place = language::broadcast_to(
        b, language::reshape(b, language::cast(b, column, DType::i64), padded), shape);
    inside = both(inside, within(place, view.shape[dim]));
    own.push_back(place);
  }
  View result = like(view, shape);
  auto at_own = [&](Value tensor) {
    return own.empty() ? tensor : at_places(tensor, as_columns(own, shape), shape);
  };
  for (const Coordinate& at : view.at) {
    Coordinate next;
    if (at.table) {
      next.table = at_own(at.table);
    } else {
      next.table = language::broadcast_to(b, plus(at.base, scalar(at.offset)), shape);
      for (const Coordinate::Term& term : at.terms)
        next.table = plus(next.table, times(own[term.dim], term.step));
    }
    result.at.push_back(next);
  }
  result.inside = both(inside, view.inside ? at_own(view.inside) : Value());
  result.is_by_place = !view.inside && is_whole(view);
  result.windows = windows_of(view, indices, dims);
  result.is_inside = result.windows.places ? all_within(view, indices, dims) : Value();
  result.in_ref = both(inside, view.in_ref ? at_own(view.in_ref) : Value());
  return result;
}

/// For each dim that does not have one element, its number among those.
static std::vector<int64_t> long_dims(const Shape& shape) {
  std::vector<int64_t> dims;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (!(shape[dim] == Extent(1)))
      dims.push_back(static_cast<int64_t>(dim));
  return dims;
}

View Arrays::reshaped(const View& view, const Shape& shape) {
  View result = like(view, shape);
  result.is_by_place = view.is_by_place;
  if (view.inside)
    result.inside = language::reshape(b, view.inside, shape);
  if (view.in_ref)
    result.in_ref = language::reshape(b, view.in_ref, shape);
  std::vector<int64_t> from = long_dims(view.shape), to = long_dims(shape);
  const bool same = llvm::equal(from, to, [&](int64_t x, int64_t y) {
    return view.shape[static_cast<size_t>(x)] == shape[static_cast<size_t>(y)];
  });
  for (const Coordinate& at : view.at) {
    Coordinate next{at.base, at.offset, {}, {}};
    if (at.table) {
      next.table = language::reshape(b, at.table, shape);
    } else if (same) {
      for (const Coordinate::Term& term : at.terms)
        if (auto found = llvm::find(from, term.dim); found != from.end())
          next.terms.push_back({to[static_cast<size_t>(found - from.begin())], term.step});
    } else {
      next.table = language::reshape(b, coordinate(at, view.shape), shape);
    }
    result.at.push_back(next);
  }
  return result;
}

View Arrays::transposed(const View& view, llvm::ArrayRef<int64_t> permutation) {
  View result = like(view, {});
  result.is_by_place = view.is_by_place;
  language::Axes axes(permutation.begin(), permutation.end());
  for (int64_t dim : permutation)
    result.shape.push_back(view.shape[static_cast<size_t>(dim)]);
  if (view.inside)
    result.inside = language::permute_dims(b, view.inside, axes);
  if (view.in_ref)
    result.in_ref = language::permute_dims(b, view.in_ref, axes);
  for (const Coordinate& at : view.at) {
    Coordinate next = at;
    if (at.table)
      next.table = language::permute_dims(b, at.table, axes);
    for (Coordinate::Term& term : next.terms)
      term.dim = llvm::find(permutation, term.dim) - permutation.begin();
    result.at.push_back(next);
  }
  return result;
}

} // namespace kolam::transform::kernels
