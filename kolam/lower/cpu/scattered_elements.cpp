// Keeps the places of a block of updates in scratch memory, from where single elements read them:
// vectors are stored and numbers are loaded, which costs less than to take vectors apart.
#include "kolam/lower/cpu/scattered_elements.h"

#include "kolam/lower/scalar_builder.h"
#include "kolam/lower/window.h"
#include "kolam/nest/scattered_elements.h"
#include "kolam/support/elementwise_code.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kolam::lower::cpu {

ScatteredElements::ScatteredElements(ir::ScatterOp op, int lanes, Combine combine,
                                     Emission& emission)
    : op_(op), e_(emission), lanes_(lanes), combine_(std::move(combine)),
      shape_(e_.shape(op.getResult(0))),
      drops_(op.getMode() == "drop" || op.getMode() == "element") {
  auto count = element_count(ir::shape_of(op.getResult(0))).constant();
  places_dtype_ = count.value_or(INT64_MAX) <= INT32_MAX ? DType::i32 : DType::i64;
  places_ = e_.scratch(places_dtype_, kBlock);
  for (mlir::Value update : op.getUpdates()) {
    const DType dtype = ir::dtype_of(update);
    updates_.push_back({dtype, e_.scratch(dtype, kBlock), e_.scratch(dtype, kUnrolled)});
  }
  if (nest::shares_results(op)) {
    Value stride = e_.i64(1);
    for (Value extent : ValueSpan(shape_).drop_front())
      stride = e_.mul(stride, extent);
    first_ = e_.mul(e_.begin(), stride);
    last_ = e_.mul(e_.end(), stride);
  }
}

void ScatteredElements::emit_row(IndexSpan outer, Value first, Value last) {
  ScalarBuilder s(e_.b);
  e_.loop(
      first, last,
      [&](Value begin) {
        Value end = mlir::arith::MinSIOp::create(e_.b, e_.add(begin, e_.i64(kBlock)), last);
        Value count = e_.sub(end, begin);
        auto whole = [&](int64_t step) {
          return e_.sub(count, e_.b.createOrFold<mlir::arith::RemUIOp>(count, e_.i64(step)));
        };
        Value by_lanes = whole(lanes_), by_turns = whole(kUnrolled);
        auto places = [&](Value from, Value to, Value outside, int lanes) {
          auto body = [&](Value at, ValueSpan before) {
            Value found;
            auto emit = [&] { found = emit_places(outer, e_.add(begin, at), at, lanes); };
            if (lanes > 1)
              e_.with_lanes(lanes, {}, emit);
            else
              emit();
            return Values{s.or_(before[0], found)};
          };
          return e_.loop(from, to, outside, body, lanes)[0];
        };
        Value outside = e_.constant(DType::boolean, 0);
        outside = places(e_.i64(0), by_lanes, outside, lanes_);
        outside = places(by_lanes, count, outside, /*lanes=*/1);
        auto unchecked = [&] {
          e_.loop(
              e_.i64(0), by_turns,
              [&](Value at) {
                for (int64_t turn = 0; turn < kUnrolled; ++turn)
                  emit_update(outer, begin, e_.add(at, e_.i64(turn)));
              },
              kUnrolled);
          e_.loop(by_turns, count, [&](Value at) { emit_update(outer, begin, at); });
          return Values();
        };
        if (!drops_ && !first_) {
          unchecked();
          return;
        }
        // Most blocks have no place outside: then nothing is asked for each. In others those
        // outside act on memory that nobody reads, without a branch, which data would decide.
        e_.choose(
            outside,
            [&] {
              e_.loop(e_.i64(0), count, [&](Value at) { emit_update_if_inside(outer, begin, at); });
              return Values();
            },
            unchecked);
      },
      kBlock);
}

Value ScatteredElements::emit_places(IndexSpan outer, Value first, Value at, int lanes) {
  Index batch(outer);
  batch.push_back(lanes == 1 ? Coordinate(first) : Coordinate::progression(first, 1));
  const Coordinate kept = lanes == 1 ? Coordinate(at) : Coordinate::progression(at, 1);
  const DType indices = ir::dtype_of(op_.getIndices());
  const bool is_narrow = places_dtype_ == DType::i32 && indices != DType::u32 &&
                         byte_width(indices) <= byte_width(DType::i32);
  Placed placed = within_part(is_narrow ? emit_narrow_place(batch) : emit_place(batch));
  e_.store(places_, places_dtype_, kept, placed.place);
  batch.append(shape_.size(), Coordinate(e_.i64(0)));
  for (auto [operand, memory] : llvm::zip(op_.getUpdates(), updates_)) {
    Value update = e_.cell(operand, batch);
    if (lanes > 1)
      memory.is_used = llvm::isa<mlir::VectorType>(update.getType());
    if (memory.is_used)
      e_.store(memory.memory, memory.dtype, kept, update);
  }
  return placed.outside ? e_.any(placed.outside) : e_.constant(DType::boolean, 0);
}

ScatteredElements::Placed ScatteredElements::within_part(Placed placed) {
  if (!first_)
    return placed;
  ScalarBuilder s(e_.b);
  auto bound = [&](Value number) {
    return cast<ScalarBuilder, Value>(s, DType::i64, places_dtype_, number);
  };
  // What lies outside of the results is at -1, and so below.
  Value outside = s.or_(s.slt(placed.place, bound(first_)), s.sge(placed.place, bound(last_)));
  return {placed.place, outside};
}

ScatteredElements::Placed ScatteredElements::emit_place(IndexSpan batch) {
  ScalarBuilder s(e_.b);
  const Values window(shape_.size(), e_.i64(1));
  WindowStart start = window_start(lower::emit_places(op_.getIndices(), batch, e_), op_.getDims(),
                                   shape_, window, e_);
  Value place, outside;
  if (drops_) {
    Value inside = emit_is_inside(start, op_.getDims(), e_);
    place = s.select(inside, e_.value(e_.ravel(start.start, shape_)), e_.i64(-1));
    outside = s.not_(inside);
  } else {
    place = e_.value(e_.ravel(emit_clip_start(start, op_.getDims(), e_), shape_));
  }
  if (places_dtype_ == DType::i32)
    place = cast<ScalarBuilder, Value>(s, DType::i64, DType::i32, place);
  return {place, outside};
}

ScatteredElements::Placed ScatteredElements::emit_narrow_place(IndexSpan batch) {
  ScalarBuilder s(e_.b);
  const DType dtype = ir::dtype_of(op_.getIndices());
  const Shape shape = ir::shape_of(op_.getResult(0));
  const Value zero = e_.constant(DType::i32, 0);
  Value place = zero, inside = e_.constant(DType::boolean, 1);
  Index at(batch);
  at.push_back({});
  for (auto [column, dim] : llvm::enumerate(op_.getDims())) {
    int64_t stride = 1;
    for (size_t inner = dim + 1; inner < shape.size(); ++inner)
      stride *= *shape[inner].constant();
    const Value last = e_.constant(DType::i32, static_cast<double>(*shape[dim].constant() - 1));
    at.back() = e_.i64(static_cast<int64_t>(column));
    Value start = cast<ScalarBuilder, Value>(s, dtype, DType::i32, e_.cell(op_.getIndices(), at));
    if (drops_)
      inside = s.and_(inside, s.and_(s.sge(start, zero), s.sle(start, last)));
    else
      start = s.select(s.slt(start, zero), zero, s.select(s.sgt(start, last), last, start));
    place = s.iadd(place, s.imul(start, e_.constant(DType::i32, static_cast<double>(stride))));
  }
  if (!drops_)
    return {place, {}};
  return {s.select(inside, place, e_.constant(DType::i32, -1)), s.not_(inside)};
}

Value ScatteredElements::update_of(size_t number, IndexSpan outer, Value from) {
  Index source(outer);
  source.push_back(from);
  source.append(shape_.size(), Coordinate(e_.i64(0)));
  return e_.cell(op_.getUpdates()[number], source);
}

Value ScatteredElements::load_number(Value numbers, DType dtype, Value at) {
  ScalarBuilder s(e_.b);
  return cast<ScalarBuilder, Value>(s, dtype, DType::i64, e_.load(numbers, dtype, at));
}

Value ScatteredElements::place_of(Value at) { return load_number(places_, places_dtype_, at); }

Value ScatteredElements::is_inside(Value place) {
  ScalarBuilder s(e_.b);
  Value inside = s.sge(place, first_ ? first_ : e_.i64(0));
  return last_ ? s.and_(inside, s.slt(place, last_)) : inside;
}

void ScatteredElements::emit_update_if_inside(IndexSpan outer, Value begin, Value at) {
  Value place = place_of(at), inside = is_inside(place);
  Value own = e_.b.createOrFold<mlir::arith::AndIOp>(at, e_.i64(kUnrolled - 1));
  llvm::SmallVector<Value> pointers;
  for (auto [number, kept] : llvm::enumerate(updates_)) {
    auto address = [&](Value base, Value element) {
      return e_.advanced(base, e_.mul(element, e_.i64(byte_width(kept.dtype))));
    };
    pointers.push_back(mlir::LLVM::SelectOp::create(
        e_.b, inside, address(e_.result_buffer(static_cast<int>(number)), place),
        address(kept.nowhere, own)));
  }
  Values states, updates;
  for (auto [number, kept] : llvm::enumerate(updates_)) {
    states.push_back(e_.load(pointers[number], kept.dtype, e_.i64(0)));
    updates.push_back(update_at(number, outer, begin, at));
  }
  for (auto [number, next] : llvm::enumerate(combine_(states, updates)))
    e_.store(pointers[number], updates_[number].dtype, e_.i64(0), next);
}

Value ScatteredElements::update_at(size_t number, IndexSpan outer, Value begin, Value at) {
  const Kept& kept = updates_[number];
  return kept.is_used ? e_.load(kept.memory, kept.dtype, at)
                      : update_of(number, outer, e_.add(begin, at));
}

void ScatteredElements::emit_update(IndexSpan outer, Value begin, Value at) {
  Value place = place_of(at);
  Values states, updates;
  for (auto [number, kept] : llvm::enumerate(updates_)) {
    states.push_back(e_.load(static_cast<int>(number), kept.dtype, place));
    updates.push_back(update_at(number, outer, begin, at));
  }
  for (auto [number, next] : llvm::enumerate(combine_(states, updates)))
    e_.store(static_cast<int>(number), updates_[number].dtype, place, next);
}

} // namespace kolam::lower::cpu
