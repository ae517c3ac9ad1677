// Computes places: on numbers, on progressions over lanes, and on vectors of numbers.
#include "kolam/lower/emission.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/error.h"

namespace kolam::lower {

/// Places of lanes that do not count wrap, as the emitted code does.
static int64_t wrapped(uint64_t number) { return static_cast<int64_t>(number); }

std::optional<int64_t> constant_of(Value number) {
  auto constant = number.getDefiningOp<mlir::arith::ConstantIntOp>();
  return constant ? std::optional(constant.value()) : std::nullopt;
}

Coordinate Coordinate::of(Value numbers) {
  Coordinate result;
  (llvm::isa<mlir::VectorType>(numbers.getType()) ? result.lanes : result.base) = numbers;
  return result;
}

Value Emission::number(Value& x, Value& y, llvm::function_ref<Value()> make) {
  // Where a constant stands says nothing of how far the result may move.
  for (Value* operand : {&x, &y})
    if (auto constant = constant_of(*operand))
      *operand = i64(*constant);
  size_t depth = std::max(depth_of(x), depth_of(y));
  if (depth == frames_.size())
    return make();
  mlir::OpBuilder::InsertionGuard guard(b);
  b.restoreInsertionPoint(frames_[depth].before);
  Value result = make();
  if (auto constant = constant_of(result))
    return i64(*constant);
  return result;
}

/// A number that is another one and so many. Equal places are one number, by whatever steps they
/// are reached: elements are found by them.
static std::pair<Value, std::optional<int64_t>> moved_from(Value number) {
  auto sum = number.getDefiningOp<mlir::arith::AddIOp>();
  if (!sum)
    return {number, std::nullopt};
  return {sum.getLhs(), constant_of(sum.getRhs())};
}

Value Emission::add(Value x, Value y) {
  if (constant_of(x) == 0)
    return y;
  if (constant_of(y) == 0)
    return x;
  if (auto more = constant_of(y))
    if (auto [from, step] = moved_from(x); step)
      return add(from, i64(wrapped(static_cast<uint64_t>(*step) + static_cast<uint64_t>(*more))));
  return number(x, y, [&] { return b.createOrFold<mlir::arith::AddIOp>(x, y); });
}

Value Emission::sub(Value x, Value y) {
  if (constant_of(y) == 0)
    return x;
  if (auto less = constant_of(y))
    if (auto [from, step] = moved_from(x); step)
      return add(from, i64(wrapped(static_cast<uint64_t>(*step) - static_cast<uint64_t>(*less))));
  return number(x, y, [&] { return b.createOrFold<mlir::arith::SubIOp>(x, y); });
}

Value Emission::mul(Value x, Value y) {
  if (constant_of(x) == 1)
    return y;
  if (constant_of(y) == 1)
    return x;
  return number(x, y, [&] { return b.createOrFold<mlir::arith::MulIOp>(x, y); });
}

Value Emission::clip(Value x, Value upper) {
  const bool may_lie_below = is_less(x, i64(0)) != false,
             may_lie_above = is_less(upper, x) != false;
  return number(x, upper, [&]() -> Value {
    Value lifted = may_lie_below ? b.createOrFold<mlir::arith::MaxSIOp>(x, i64(0)) : x;
    return may_lie_above ? b.createOrFold<mlir::arith::MinSIOp>(lifted, upper) : lifted;
  });
}

Value Emission::widened(Value x) {
  if (auto known = constant_of(x))
    return i64(*known);
  mlir::Operation* op = x.getDefiningOp();
  if (op && llvm::isa<mlir::arith::ExtSIOp>(op))
    if (Value wide = widened(op->getOperand(0)))
      return wide;
  if (x.getType().isInteger(64))
    return x;
  if (!op || !ranges_.of(x))
    return {};
  if (llvm::isa<mlir::arith::TruncIOp>(op))
    return widened(op->getOperand(0));
  auto in_64_bits = [&](Value (Emission::*combined)(Value, Value)) -> Value {
    Value left = widened(op->getOperand(0)), right = widened(op->getOperand(1));
    return left && right ? (this->*combined)(left, right) : Value();
  };
  if (llvm::isa<mlir::arith::AddIOp>(op))
    return in_64_bits(&Emission::add);
  if (llvm::isa<mlir::arith::SubIOp>(op))
    return in_64_bits(&Emission::sub);
  if (llvm::isa<mlir::arith::MulIOp>(op))
    return in_64_bits(&Emission::mul);
  return {};
}

/// Whether a base is a multiple of the number of lanes, by what is known of it.
static bool is_multiple(const Coordinate& x, int64_t lanes) {
  auto known = constant_of(x.base);
  return x.is_aligned || (known && *known % lanes == 0);
}

Coordinate Emission::add(const Coordinate& x, const Coordinate& y) {
  if (x.lanes || y.lanes)
    return Coordinate::of(mlir::arith::AddIOp::create(b, lanes_of(x), lanes_of(y)));
  Coordinate sum =
      Coordinate::progression(add(x.base, y.base), wrapped(static_cast<uint64_t>(x.stride) +
                                                           static_cast<uint64_t>(y.stride)));
  sum.is_aligned = is_multiple(x, lanes_) && is_multiple(y, lanes_);
  return sum;
}

Coordinate Emission::sub(const Coordinate& x, const Coordinate& y) {
  if (x.lanes || y.lanes)
    return Coordinate::of(mlir::arith::SubIOp::create(b, lanes_of(x), lanes_of(y)));
  return Coordinate::progression(sub(x.base, y.base), wrapped(static_cast<uint64_t>(x.stride) -
                                                              static_cast<uint64_t>(y.stride)));
}

Coordinate Emission::mul(const Coordinate& x, Value y) {
  auto factor = constant_of(y);
  if (x.is_uniform()) {
    Coordinate product = mul(x.base, y);
    product.is_aligned = is_multiple(x, lanes_) || (factor && *factor % lanes_ == 0);
    return product;
  }
  int64_t stride = 0;
  if (factor && !x.lanes && !__builtin_mul_overflow(x.stride, *factor, &stride))
    return Coordinate::progression(mul(x.base, y), stride);
  return Coordinate::of(mlir::arith::MulIOp::create(b, lanes_of(x), splat(y)));
}

Coordinate Emission::clip(const Coordinate& x, Value upper) {
  if (x.is_uniform())
    return clip(x.base, upper);
  Value lifted = mlir::arith::MaxSIOp::create(b, lanes_of(x), splat(i64(0)));
  return Coordinate::of(mlir::arith::MinSIOp::create(b, lifted, splat(upper)));
}

/// The lanes that are below a number, which has so many bits where its range says so.
static Value lanes_below(Value number, const std::optional<NumberRange>& range, int lanes,
                         Emission& e) {
  constexpr int kManyLanes = 32; // size of code: whose numbers, as bytes, fill a register
  const unsigned bits = lanes >= kManyLanes ? 8 : 32;
  mlir::Type cell = e.b.getIntegerType(bits);
  auto fits = [&](const Extent& bound) {
    auto known = bound.constant();
    return known && std::abs(*known) < (int64_t{1} << (bits - 2));
  };
  int64_t first = 0;
  if (!range || range->step != 0 || !fits(range->least) || !fits(range->most))
    number = e.clip(number, e.i64(lanes));
  else if (auto less = number.getDefiningOp<mlir::arith::SubIOp>())
    if (auto by = constant_of(less.getRhs()); by && fits(*by + lanes)) {
      number = less.getLhs(); // masks beside one another are of one number
      first = *by;
    }
  llvm::SmallVector<mlir::Attribute> numbers;
  for (int lane = 0; lane < lanes; ++lane)
    numbers.push_back(e.b.getIntegerAttr(cell, first + lane));
  auto type = mlir::VectorType::get({lanes}, cell);
  Value lane = mlir::arith::ConstantOp::create(e.b, mlir::DenseElementsAttr::get(type, numbers));
  Value count = e.b.createOrFold<mlir::arith::TruncIOp>(cell, number);
  return mlir::arith::CmpIOp::create(e.b, mlir::arith::CmpIPredicate::slt, lane,
                                     ScalarBuilder::splat(e.b, count, lanes));
}

Value Emission::compare(mlir::arith::CmpIPredicate predicate, const Coordinate& x,
                        const Coordinate& y) {
  constexpr int kMostLanes = 127; // bound: what a byte counts
  // Of fewer, numbers of 64 bits fill one register, or a few: of 32 bits that is one with AVX2.
  const int kLeastLanes = machine.has_avx512() ? 32 : 8;
  if (x.is_uniform() && y.is_uniform())
    return b.createOrFold<mlir::arith::CmpIOp>(predicate, x.base, y.base);
  bool counts_lanes =
      !x.lanes && x.stride == 1 && y.is_uniform() && lanes_ >= kLeastLanes && lanes_ <= kMostLanes;
  auto below = [&](Value number) { return lanes_below(number, ranges_.of(number), lanes_, *this); };
  if (counts_lanes && predicate == mlir::arith::CmpIPredicate::slt)
    return below(sub(y.base, x.base));
  if (counts_lanes && predicate == mlir::arith::CmpIPredicate::ult) { // extents: y >= 0
    Value below_zero = below(sub(i64(0), x.base));
    Value below_bound = below(sub(y.base, x.base));
    return mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::ugt, below_bound, below_zero);
  }
  return mlir::arith::CmpIOp::create(b, predicate, lanes_of(x), lanes_of(y));
}

void Emission::assume(Value number, const Extent& least, const Extent& most, int64_t step) {
  if (!constant_of(number))
    ranges_.assume(number, {least, most, step});
}

void Emission::assume_below(Value number, Value bound) {
  if (auto range = ranges_.of(bound))
    assume(number, 0, range->most - Extent(1), 0);
}

std::optional<bool> Emission::is_less(const Coordinate& x, const Coordinate& y) const {
  if (x.lanes || y.lanes)
    return std::nullopt;
  auto numbers = ranges_.of(x.base, x.stride, counting_),
       others = ranges_.of(y.base, y.stride, counting_);
  return numbers && others ? lower::is_less(*numbers, *others) : std::nullopt;
}

Value Emission::value(const Coordinate& x) { return x.is_uniform() ? x.base : lanes_of(x); }

Value Emission::lanes_of(const Coordinate& x) {
  if (x.lanes)
    return x.lanes;
  Value base = splat(x.base);
  if (x.stride == 0)
    return base;
  llvm::SmallVector<int64_t> steps;
  for (int lane = 0; lane < lanes_; ++lane)
    steps.push_back(wrapped(static_cast<uint64_t>(lane) * static_cast<uint64_t>(x.stride)));
  auto type = llvm::cast<mlir::VectorType>(base.getType());
  Value offsets =
      mlir::arith::ConstantOp::create(b, mlir::DenseElementsAttr::get(type, llvm::ArrayRef(steps)));
  return mlir::arith::AddIOp::create(b, base, offsets);
}

Coordinate Emission::element_number(Value program_value, IndexSpan index) {
  const space::Layout* layout = nest_.layout_of(program_value);
  if (!layout)
    return ravel(index, shape(program_value));
  Coordinate number = extent(layout->offset);
  for (auto [i, stride] : llvm::zip(index, layout->strides))
    number = add(number, mul(i, extent(stride)));
  return number;
}

Values Emission::strides_of(Value program_value) {
  const space::Layout* layout = nest_.layout_of(program_value);
  Values strides;
  if (layout) {
    for (const Extent& stride : layout->strides)
      strides.push_back(extent(stride));
    return strides;
  }
  Value step = i64(1);
  Values extents = shape(program_value);
  for (Value extent : llvm::reverse(extents)) {
    strides.insert(strides.begin(), step);
    step = mul(step, extent);
  }
  return strides;
}

Coordinate Emission::ravel(IndexSpan index, ValueSpan shape) {
  Coordinate flat = i64(0);
  for (auto [i, extent] : llvm::zip(index, shape))
    flat = add(mul(flat, extent), i);
  return flat;
}

/// Whether all numbers that count through dims of these extents have 31 bits.
static bool are_narrow(ValueSpan shape) {
  int64_t all = 1;
  return llvm::all_of(shape, [&](Value extent) {
    auto known = constant_of(extent);
    return known && !__builtin_mul_overflow(all, *known, &all) && all <= INT32_MAX;
  });
}

Index Emission::unravel(const Coordinate& number, ValueSpan shape) {
  Index index(shape.size());
  Coordinate left = number;
  const bool is_narrow = are_narrow(shape);
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (dim == 0) {
      index[0] = left;
      break;
    }
    auto known = constant_of(shape[dim]);
    if (known == 1) {
      index[dim] = i64(0);
      continue;
    }
    if (known && *known > 0 && *known % lanes_ == 0 && left.stride == 1 && left.is_aligned) {
      // The lanes lie in one row.
      index[dim] =
          Coordinate::progression(mlir::arith::RemUIOp::create(b, left.base, shape[dim]), 1);
      index[dim].is_aligned = true;
      left = Coordinate(mlir::arith::DivUIOp::create(b, left.base, shape[dim]));
      continue;
    }
    // A zero extent has no elements; dividing by at least 1 keeps the code defined.
    Value extent = b.createOrFold<mlir::arith::MaxSIOp>(shape[dim], i64(1));
    Value numbers = value(left);
    if (left.is_uniform()) {
      index[dim] = Coordinate::of(b.createOrFold<mlir::arith::RemSIOp>(numbers, extent));
      left = Coordinate::of(b.createOrFold<mlir::arith::DivSIOp>(numbers, extent));
      continue;
    }
    // Processors divide vectors by multiplying, of 32 bits in a quarter of the time.
    extent = splat(extent);
    auto wide = llvm::cast<mlir::VectorType>(numbers.getType());
    auto in = [&](mlir::Type type, Value x) -> Value {
      return is_narrow ? mlir::arith::TruncIOp::create(b, type, x).getResult() : x;
    };
    auto out = [&](Value x) -> Value {
      return is_narrow ? mlir::arith::ExtSIOp::create(b, wide, x).getResult() : x;
    };
    mlir::Type narrow = wide.clone(b.getI32Type());
    Value x = in(narrow, numbers), y = in(narrow, extent);
    index[dim] = Coordinate::of(out(mlir::arith::RemSIOp::create(b, x, y)));
    left = Coordinate::of(out(mlir::arith::DivSIOp::create(b, x, y)));
  }
  return index;
}

} // namespace kolam::lower
