// Makes vectors of integers.
#include "kolam/transform/lists/integers.h"

#include "kolam/ir/location.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/cumulative.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/gather.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/language/zip_map_reduce.h"
#include "kolam/support/elementwise_host.h"
#include "kolam/support/machine.h"

namespace kolam::transform::lists {

Value Integers::constant(int64_t value) { return language::weak_constant(b, value, DType::i64); }
Value Integers::extent(const Extent& extent) { return language::extent_value(b, extent); }
Value Integers::iota(const Extent& count) { return language::iota(b, {count}, 0, DType::i64); }
Value Integers::count_from(Value begin, const Extent& count) {
  return apply(Fn::add, begin, iota(count));
}

/// The first of integers that count on from it; null where they may not.
static Value first_of_run(Value vector) {
  auto add = vector.getDefiningOp<ir::ElementwiseOp>();
  if (!add || add.getFunction() != "add" || !add.getOperand(1).getDefiningOp<ir::IotaOp>())
    return {};
  auto repeated = add.getOperand(0).getDefiningOp<ir::BroadcastOp>();
  return repeated && ir::rank_of(repeated.getOperand()) == 0 ? repeated.getOperand() : Value();
}

Value Integers::fill(const Extent& count, int64_t value) {
  return language::broadcast_to(b, constant(value), {count});
}
Value Integers::same(Value vector) {
  if (ir::rank_of(vector) == 0)
    return vector;
  if (auto op = vector.getDefiningOp<ir::ElementwiseOp>()) {
    Values operands;
    for (Value operand : op.getOperands()) {
      operands.push_back(same(operand));
      if (!operands.back())
        return {};
    }
    return language::elementwise(b, *parse_fn(op.getFunction()), operands);
  }
  auto repeated = vector.getDefiningOp<ir::BroadcastOp>();
  if (!repeated)
    return {};
  Value value = repeated.getOperand();
  if (ir::rank_of(value) == 0)
    return value;
  return ir::shape_of(value)[0] == Extent(1) ? as_scalar(value) : Value();
}
std::optional<int64_t> Integers::number(Value scalar) {
  if (!scalar || ir::rank_of(scalar) != 0 || ir::dtype_of(scalar) != DType::i64)
    return std::nullopt;
  if (auto constant = scalar.getDefiningOp<ir::ConstantOp>())
    if (auto elements = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue()))
      return elements.getSplatValue<llvm::APInt>().getSExtValue();
  auto op = scalar.getDefiningOp<ir::ElementwiseOp>();
  if (!op)
    return std::nullopt;
  std::vector<int64_t> operands, strides(op.getOperands().size(), 1);
  for (Value operand : op.getOperands()) {
    std::optional<int64_t> known = number(operand);
    if (!known)
      return std::nullopt;
    operands.push_back(*known);
  }
  std::vector<const void*> inputs;
  for (const int64_t& operand : operands)
    inputs.push_back(&operand);
  int64_t result = 0;
  apply_elementwise(*parse_fn(op.getFunction()), DType::i64, inputs, strides, &result, 1);
  return result;
}
Value Integers::as_vector(Value scalar) { return language::expand_dims(b, scalar, {0}); }
Value Integers::as_scalar(Value vector) { return language::squeeze(b, vector, language::Axes{0}); }
Value Integers::apply(Fn fn, Value x, Value y) { return language::elementwise(b, fn, {x, y}); }

/// Zeros where x is known to have no rows: no place is inside.
static Value rows_of_none(Builder& b, Value x, Shape shape) {
  return language::broadcast_to(b, language::weak_constant(b, int64_t{0}, ir::dtype_of(x)),
                                std::move(shape));
}

namespace {
/// What rows were taken of, and their places.
struct TakenRows {
  Value from, places;
};
} // namespace
/// Of x = y[p].
static std::optional<TakenRows> taken(Value x) {
  auto squeeze = x.getDefiningOp<ir::SqueezeOp>();
  auto gather = squeeze ? squeeze.getOperand().getDefiningOp<ir::GatherOp>() : ir::GatherOp();
  bool is_take = gather && gather.getMode() == "promise" && gather.getBatchedDims() == 0 &&
                 gather.getDims() == llvm::ArrayRef<int64_t>(0) &&
                 gather.getIndices().getDefiningOp<ir::ExpandDimsOp>() &&
                 ir::rank_of(x) == ir::rank_of(gather.getOperand());
  if (!is_take)
    return std::nullopt;
  return TakenRows{gather.getOperand(), gather.getIndices().getDefiningOp()->getOperand(0)};
}
/// The same, where it is better to take of y once more than to move a row twice.
static std::optional<TakenRows> taken_rows(Value x) {
  constexpr double kLargeRow = kWideRun; // a line of the cache
  Shape row = ir::shape_of(x);
  row.erase(row.begin());
  return ir::rough_count(row) < kLargeRow ? std::nullopt : taken(x);
}

static bool is_difference(ir::ElementwiseOp op) { return op.getFunction() == "subtract"; }

Value Integers::subtract(Value x, Value y) {
  auto sum = x.getDefiningOp<ir::ElementwiseOp>();
  bool is_sum = sum && sum.getFunction() == "add" && sum.getOperand(0) == y;
  return is_sum ? sum.getOperand(1) : apply(Fn::subtract, x, y);
}

bool Integers::is_counted(Value x, Value owners) {
  llvm::SetVector<Value> reached;
  reached.insert(x);
  for (size_t next = 0; next < reached.size(); ++next) {
    Value value = reached[next];
    if (value == owners || ir::rank_of(value) == 0 || value.getDefiningOp<ir::IotaOp>())
      continue;
    if (auto op = value.getDefiningOp<ir::ElementwiseOp>()) {
      reached.insert_range(op.getOperands());
    } else if (auto op = value.getDefiningOp<ir::BroadcastOp>()) {
      if (ir::rank_of(op.getOperand()) > 0)
        return false;
    } else if (std::optional<TakenRows> rows = taken(value); !rows || rows->places != owners) {
      return false;
    }
  }
  return true;
}

/// x[places] from what is known of tables at these places; null where x is computed of others.
Value Integers::computed_take(Value x, Value places, Known& known) {
  if (auto found = known.find(x); found != known.end())
    return found->second;
  auto take_all = [&](mlir::ValueRange vectors) -> std::optional<Values> {
    Values results;
    for (Value vector : vectors)
      if (Value result = computed_take(vector, places, known))
        results.push_back(result);
      else
        return std::nullopt;
    return results;
  };
  if (ir::rank_of(x) != 1)
    return ir::rank_of(x) == 0 ? x : Value();
  Value result;
  if (x.getDefiningOp<ir::IotaOp>()) {
    result = places;
  } else if (Value scalar = same(x)) {
    result = language::broadcast_to(b, scalar, {ir::shape_of(places)[0]});
  } else if (auto op = x.getDefiningOp<ir::ElementwiseOp>()) {
    if (std::optional<Values> operands = take_all(op.getOperands()))
      result = is_difference(op) ? subtract((*operands)[0], (*operands)[1])
                                 : language::elementwise(b, *parse_fn(op.getFunction()), *operands);
  } else if (std::optional<TakenRows> rows = taken(x)) {
    if (Value inner = computed_take(rows->places, places, known))
      result = take(rows->from, inner);
  }
  known[x] = result;
  return result;
}

/// What row 0 is known to be, with its leading dim; null where that is not known.
static Value first_row(Value x) {
  auto parts = x.getDefiningOp<ir::ConcatOp>();
  if (!parts || parts.getDim() != 0)
    return {};
  Value first = parts.getOperand(0);
  return ir::shape_of(first)[0] == Extent(1) ? first : Value();
}

static bool is_zero(Value scalar) { return scalar && mlir::matchPattern(scalar, mlir::m_Zero()); }

Value Integers::take(Value x, Value places) {
  if (auto taken = taken_rows(x))
    return take(taken->from, take(taken->places, places)); // no row is moved twice
  if (Value row = first_row(x); row && is_zero(same(places))) {
    Shape result = ir::shape_of(row);
    result[0] = ir::shape_of(places)[0];
    return language::broadcast_to(b, row, std::move(result));
  }
  if (auto known = known_.find(places); known != known_.end() && ir::rank_of(x) == 1) {
    Known tables = known->second;
    if (Value result = computed_take(x, places, tables))
      return result;
  }
  Shape window = ir::shape_of(x);
  const Extent window_rows = window[0];
  const bool has_no_rows = window_rows == Extent(0);
  window[0] = Extent(1);
  Shape result = window;
  result.insert(result.begin(), ir::shape_of(places)[0]);
  if (has_no_rows) {
    result.erase(result.begin() + 1);
    return rows_of_none(b, x, std::move(result));
  }
  const Extent count = result[0];
  if (window_rows == Extent(1)) { // no other place is inside
    result.erase(result.begin() + 1);
    return language::broadcast_to(b, x, std::move(result));
  }
  if (x.getDefiningOp<ir::IotaOp>())
    return places;
  Value own = first_of_run(x), first = first_of_run(places);
  if (own && first)
    return count_from(add(own, first), count);
  if (own)
    return add(own, places);
  if (first && count.constant().value_or(0) <= window_rows.constant().value_or(INT64_MAX)) {
    result.erase(result.begin() + 1);
    Values starts{first};
    while (starts.size() < result.size())
      starts.push_back(constant(0));
    return ir::DynamicSliceOp::create(b, language::tensor_type(b, ir::dtype_of(x), result), x,
                                      starts);
  }
  Value windows = ir::GatherOp::create(b, language::tensor_type(b, ir::dtype_of(x), result), x,
                                       language::expand_dims(b, places, {1}),
                                       b.getDenseI64ArrayAttr({0}), b.getDenseI64ArrayAttr({1}),
                                       b.getI64IntegerAttr(0), b.getStringAttr("promise"));
  return language::squeeze(b, windows, language::Axes{1});
}

Value Integers::row(Value x, Value place) {
  Shape shape = ir::shape_of(x);
  if (shape[0] == Extent(0))
    return rows_of_none(b, x, Shape(shape.begin() + 1, shape.end()));
  if (auto taken = taken_rows(x))
    return row(taken->from, row(taken->places, place)); // read where it lies
  Values starts{place};
  for (size_t dim = 1; dim < shape.size(); ++dim)
    starts.push_back(constant(0));
  shape[0] = Extent(1);
  Value slice =
      ir::DynamicSliceOp::create(b, language::tensor_type(b, ir::dtype_of(x), shape), x, starts);
  return language::squeeze(b, slice, language::Axes{0});
}

Value Integers::sum(Value x) { return language::combine(b, x, Fn::add, {0}); }

Value Integers::segment_sums(Value x, Value offsets) {
  return language::segment_reduce(b, offsets, {x}, language::named_monoid(Fn::add))[0];
}

Value Integers::largest(Value x) {
  Value zero = language::expand_dims(b, constant(0), {0});
  Shape shape = ir::shape_of(x);
  shape[0] = shape[0] + Extent(1);
  Value all = ir::ConcatOp::create(b, language::tensor_type(b, DType::i64, shape),
                                   mlir::ValueRange{x, zero}, b.getI64IntegerAttr(0));
  return language::combine(b, all, Fn::maximum, {0});
}

Value Integers::running_sum(Value x) {
  return language::cumulative(b, x, Fn::add, 0, DType::i64, true);
}

Extent Integers::new_symbol() {
  std::string name;
  do
    name = "_l" + std::to_string(symbols_++);
  while (taken_.contains(name));
  return Extent::symbol(name);
}

Extent Integers::bind(Value count) {
  Extent symbol = new_symbol();
  ir::BindExtentOp::create(b, count, *symbol.as_symbol());
  return symbol;
}

/// The size that a value of one element is, where it is one that has a symbol.
static std::optional<Extent> named_size(Value value) {
  while (mlir::Operation* op = value.getDefiningOp()) {
    if (auto extent = llvm::dyn_cast<ir::ExtentOp>(op)) {
      std::optional<Extent> size = Extent::parse(extent.getExpression());
      return size && size->as_symbol() ? size : std::nullopt;
    }
    if (!ir::facts_of(op).keeps_order)
      break;
    value = op->getOperand(0);
  }
  return std::nullopt;
}

Integers::Bound Integers::bound(Value scalar) {
  constexpr int64_t kSmall = 1 << 16; // bound: what memory can't hold is refused at the call
  std::optional<int64_t> known = number(scalar);
  if (known && *known > 0 && *known <= kSmall)
    return {constant(*known), Extent(*known)};
  if (std::optional<Extent> size = named_size(scalar))
    return {scalar, *size};
  return {scalar, bind(scalar)};
}

/// The rows of x at places replaced or, with kAdd, added to; what lies outside is dropped.
static Value scatter_rows(Builder& b, Value x, Value rows, Value places, llvm::StringRef combiner,
                          bool is_unique) {
  auto op = ir::ScatterOp::create(
      b, x.getType(), mlir::ValueRange{x}, mlir::ValueRange{language::expand_dims(b, rows, {1})},
      language::expand_dims(b, places, {1}), mlir::ValueRange{}, b.getDenseI64ArrayAttr({0}),
      b.getI64IntegerAttr(0), b.getStringAttr(combiner), b.getBoolAttr(is_unique),
      b.getStringAttr("drop"));
  return op->getResult(0);
}

Value Integers::owners(Value offsets, const Extent& count) {
  return ir::SegmentIdsOp::create(b, language::tensor_type(b, DType::i64, {count}), offsets);
}

Value Integers::kept(Value x, Value mask, const Extent& count) {
  return ir::CompressOp::create(b, language::tensor_type(b, ir::dtype_of(x), {count}), mask, x);
}

Integers::Places Integers::where(Value mask, const Extent& count) {
  Extent found = bind(sum(language::cast(b, mask, DType::i64)));
  return {kept(iota(count), mask, found), found};
}

Value Integers::marks(Value places, const Extent& count) {
  auto fill = [&](const Extent& extent, int64_t value) {
    return language::broadcast_to(b, language::weak_constant(b, value, DType::boolean), {extent});
  };
  Value marks = scatter_rows(b, fill(count + Extent(1), 0), fill(ir::shape_of(places)[0], 1),
                             places, "kUpdate", false);
  return language::slice_dim(b, marks, 0, Extent(0), count);
}

Value Integers::count(Value numbers, const Extent& bound) {
  Value counts = scatter_rows(b, fill(bound + Extent(1), 0), fill(ir::shape_of(numbers)[0], 1),
                              numbers, "kAdd", false);
  return language::slice_dim(b, counts, 0, Extent(0), bound);
}

Value Integers::put(Value x, Value rows, Value places) {
  return scatter_rows(b, x, rows, places, "kUpdate", true);
}

void Integers::check(Value condition, std::string_view slug, const std::string& message) {
  std::string function = ir::note_of(b.getLoc());
  language::check(b, condition, slug, function.empty() ? message : function + ": " + message);
}

} // namespace kolam::transform::lists
