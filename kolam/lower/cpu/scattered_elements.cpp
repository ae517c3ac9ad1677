// Keeps the places of a vector of updates in scratch memory, from where single elements read them.
#include "kolam/lower/cpu/scattered_elements.h"

#include "kolam/lower/scalar_builder.h"
#include "kolam/lower/window.h"
#include "kolam/support/elementwise_code.h"

namespace kolam::lower::cpu {

ScatteredElements::ScatteredElements(ir::ScatterOp op, int lanes, Combine combine,
                                     Emission& emission)
    : op_(op), e_(emission), lanes_(lanes), combine_(std::move(combine)),
      dtype_(ir::dtype_of(op.getResult(0))), shape_(e_.shape(op.getResult(0))) {
  auto count = element_count(ir::shape_of(op.getResult(0))).constant();
  places_dtype_ = count.value_or(INT64_MAX) <= INT32_MAX ? DType::i32 : DType::i64;
  places_ = e_.scratch(places_dtype_, lanes_);
  updates_ = e_.scratch(dtype_, lanes_);
}

void ScatteredElements::emit_row(IndexSpan outer, Value first, Value last) {
  Value left = e_.b.createOrFold<mlir::arith::RemUIOp>(e_.sub(last, first), e_.i64(lanes_));
  Value end = e_.sub(last, left);
  e_.loop(
      first, end,
      [&](Value from) {
        Placed placed;
        e_.with_lanes(lanes_, {}, [&] { placed = emit_places(outer, from, lanes_); });
        // Most vectors have no place outside: then nothing is asked for each.
        e_.choose(
            placed.outside,
            [&] {
              e_.loop(e_.i64(0), e_.i64(lanes_), [&](Value lane) { emit_update(lane, placed); });
              return Values();
            },
            [&] {
              for (int lane = 0; lane < lanes_; ++lane)
                emit_update_inside(e_.i64(lane), placed);
              return Values();
            });
      },
      lanes_);
  e_.loop(end, last,
          [&](Value from) { emit_update(e_.i64(0), emit_places(outer, from, /*lanes=*/1)); });
}

ScatteredElements::Placed ScatteredElements::emit_places(IndexSpan outer, Value first, int lanes) {
  ScalarBuilder s(e_.b);
  Index batch(outer);
  batch.push_back(lanes == 1 ? Coordinate(first) : Coordinate::progression(first, 1));
  const Values window(shape_.size(), e_.i64(1));
  WindowStart start = window_start(lower::emit_places(op_.getIndices(), batch, e_), op_.getDims(),
                                   shape_, window, e_);
  Value inside = emit_is_inside(start, op_.getDims(), e_);
  Value place = s.select(inside, e_.value(e_.ravel(start.start, shape_)), e_.i64(-1));
  const Coordinate at = lanes == 1 ? Coordinate(e_.i64(0)) : Coordinate::progression(e_.i64(0), 1);
  if (places_dtype_ == DType::i32)
    place = cast<ScalarBuilder, Value>(s, DType::i64, DType::i32, place);
  e_.store(places_, places_dtype_, at, place);
  Index source(batch);
  source.append(shape_.size(), Coordinate(e_.i64(0)));
  Value update = e_.cell(op_.getUpdates()[0], source);
  Value outside = e_.any(s.not_(inside));
  if (!llvm::isa<mlir::VectorType>(update.getType()))
    return {update, outside};
  e_.store(updates_, dtype_, at, update);
  return {{}, outside};
}

Value ScatteredElements::place_of(Value lane) {
  ScalarBuilder s(e_.b);
  return cast<ScalarBuilder, Value>(s, places_dtype_, DType::i64,
                                    e_.load(places_, places_dtype_, lane));
}

void ScatteredElements::emit_update(Value lane, const Placed& placed) {
  ScalarBuilder s(e_.b);
  e_.when(s.sge(place_of(lane), e_.i64(0)), [&] { emit_update_inside(lane, placed); });
}

void ScatteredElements::emit_update_inside(Value lane, const Placed& placed) {
  Value update = placed.update ? placed.update : e_.load(updates_, dtype_, lane);
  Value place = place_of(lane);
  e_.store(0, dtype_, place, combine_(e_.load(0, dtype_, place), update));
}

} // namespace kolam::lower::cpu
