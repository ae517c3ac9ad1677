// Keeps the places of a vector of updates in scratch memory, from where single elements read them.
#include "kolam/lower/cpu/scattered_elements.h"

#include "kolam/lower/cpu/result_cells.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/lower/window.h"
#include "kolam/nest/scattered_elements.h"
#include "kolam/support/elementwise_code.h"

namespace kolam::lower::cpu {

ScatteredElements::ScatteredElements(ir::ScatterOp op, int lanes, Combine combine,
                                     Emission& emission)
    : op_(op), e_(emission), lanes_(lanes), combine_(std::move(combine)),
      dtype_(ir::dtype_of(op.getResult(0))), shape_(e_.shape(op.getResult(0))), count_(e_.i64(1)),
      tables_(nest::table_count(op)) {
  for (Value extent : shape_)
    count_ = e_.mul(count_, extent);
  places_dtype_ = constant_of(count_).value_or(INT64_MAX) < INT32_MAX ? DType::i32 : DType::i64;
  places_ = e_.scratch(places_dtype_, lanes_);
  updates_ = e_.scratch(dtype_, lanes_);
}

/// for every vector of memory from 0 to `count`: body(place, lanes)
static void by_vectors(Value count, int lanes, Emission& e,
                       llvm::function_ref<void(const Coordinate&)> body) {
  Value left = e.b.createOrFold<mlir::arith::RemUIOp>(count, e.i64(lanes));
  Value end = e.sub(count, left);
  e.loop(
      e.i64(0), end,
      [&](Value first) {
        e.with_lanes(lanes, {}, [&] { body(Coordinate::progression(first, 1)); });
      },
      lanes);
  e.loop(end, count, [&](Value single) { body(Coordinate(single)); });
}

void ScatteredElements::begin() {
  if (tables_ == 1)
    return;
  const int64_t all = tables_ * (*constant_of(count_) + 1);
  memory_ = e_.scratch(dtype_, all);
  Value zero = e_.constant(dtype_, 0);
  by_vectors(e_.i64(all), lanes_, e_,
             [&](const Coordinate& place) { e_.store(memory_, dtype_, place, zero); });
}

void ScatteredElements::end() {
  if (tables_ == 1)
    return;
  by_vectors(count_, lanes_, e_, [&](const Coordinate& place) {
    Value sum = e_.load(0, dtype_, place);
    for (int64_t table = 0; table < tables_; ++table) {
      Coordinate own = e_.add(Coordinate(e_.mul(e_.i64(table), e_.add(count_, e_.i64(1)))), place);
      sum = combine_(sum, e_.load(memory_, dtype_, own));
    }
    e_.store(0, dtype_, place, sum);
  });
}

void ScatteredElements::emit_row(IndexSpan outer, Value first, Value last) {
  Value left = e_.b.createOrFold<mlir::arith::RemUIOp>(e_.sub(last, first), e_.i64(lanes_));
  Value end = e_.sub(last, left);
  e_.loop(
      first, end,
      [&](Value from) {
        Value same;
        e_.with_lanes(lanes_, {}, [&] { same = emit_places(outer, from, lanes_); });
        for (int64_t lane = 0; lane < lanes_; ++lane)
          emit_update(e_.i64(lane), lane % tables_, same);
      },
      lanes_);
  e_.loop(end, last, [&](Value from) {
    Value same = emit_places(outer, from, 1);
    emit_update(e_.i64(0), 0, same);
  });
}

Value ScatteredElements::emit_places(IndexSpan outer, Value first, int lanes) {
  ScalarBuilder s(e_.b);
  Index batch(outer);
  batch.push_back(lanes == 1 ? Coordinate(first) : Coordinate::progression(first, 1));
  const Values window(shape_.size(), e_.i64(1));
  WindowStart start = window_start(lower::emit_places(op_.getIndices(), batch, e_), op_.getDims(),
                                   shape_, window, e_);
  // What is dropped goes to an element behind the table, or nowhere.
  Value outside = tables_ == 1 ? e_.i64(-1) : count_;
  Value place = s.select(emit_is_inside(start, op_.getDims(), e_),
                         e_.value(e_.ravel(start.start, shape_)), outside);
  const Coordinate at = lanes == 1 ? Coordinate(e_.i64(0)) : Coordinate::progression(e_.i64(0), 1);
  if (places_dtype_ == DType::i32)
    place = cast<ScalarBuilder, Value>(s, DType::i64, DType::i32, place);
  e_.store(places_, places_dtype_, at, place);
  Index source(batch);
  source.append(shape_.size(), Coordinate(e_.i64(0)));
  Value update = e_.cell(op_.getUpdates()[0], source);
  if (!llvm::isa<mlir::VectorType>(update.getType()))
    return update;
  e_.store(updates_, dtype_, at, update);
  return {};
}

void ScatteredElements::emit_update(Value lane, int64_t table, Value same) {
  ScalarBuilder s(e_.b);
  Value place = e_.load(places_, places_dtype_, lane);
  if (places_dtype_ == DType::i32)
    place = cast<ScalarBuilder, Value>(s, DType::i32, DType::i64, place);
  Value update = same ? same : e_.load(updates_, dtype_, lane);
  if (tables_ > 1) {
    place = e_.add(place, e_.mul(e_.i64(table), e_.add(count_, e_.i64(1))));
    return e_.store(memory_, dtype_, place, combine_(e_.load(memory_, dtype_, place), update));
  }
  e_.when(s.sge(place, e_.i64(0)), [&] {
    e_.store(0, dtype_, place, combine_(e_.load(0, dtype_, place), update));
  });
}

} // namespace kolam::lower::cpu
