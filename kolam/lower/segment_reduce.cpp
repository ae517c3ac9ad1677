// Elements of kolam.segment_reduce.
#include "kolam/lower/ops.h"
#include "kolam/lower/reduction_code.h"
#include "kolam/lower/segments.h"

#include "kolam/nest/prices.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace kolam::lower {

/// Whether an element is a load and a few operations.
static bool costs_little(ir::SegmentReduceOp op, Emission& e) {
  constexpr double kFew = 8; // assumed: a branch guessed wrong costs 60 or so, beside a few vectors
  analysis::Signatures signatures;
  auto is_stored = [&](mlir::Value value) {
    return !llvm::is_contained(e.nest().fused, value.getDefiningOp());
  };
  return llvm::all_of(op.getInputs(), [&](mlir::Value input) {
    if (is_stored(input))
      return true;
    nest::Work work =
        nest::work_of_element(input.getDefiningOp(), is_stored, {}, kFew, signatures, e.machine);
    return work.flops + work.loads <= kFew;
  });
}

/// The boolean that an op combines alone, or counts; null of other ops.
static Value held_boolean(ir::SegmentReduceOp op, Emission& e) {
  if (op.getInputs().size() != 1)
    return {};
  Value input = op.getInputs()[0];
  auto cast = input.getDefiningOp<ir::CastOp>();
  if (cast && llvm::is_contained(e.nest().fused, cast.getOperation()) &&
      !is_float(ir::dtype_of(input)))
    input = cast.getOperand();
  return ir::dtype_of(input) == DType::boolean ? input : Value();
}

/// Those of one segment, at places of the other dims.
static Values emit_segment(ir::SegmentReduceOp op, Value segment, IndexSpan others, Emission& e) {
  auto [begin, end] = emit_bounds(op.getOffsets(), Coordinate(segment), e);
  // Whatever the offsets say, nothing else than elements is read.
  Value elements = e.shape(op.getInputs()[0])[0], first = e.clip(begin, elements);
  Value length = e.clip(e.sub(end, first), e.sub(elements, first));
  ReductionCode code{op, ir::reduction_of(op), e.shape(op.getResult(0)), {}};
  code.fits_chunk = true;
  code.costs_little = costs_little(op, e);
  code.space.push_back(length);
  auto place_of = [&](IndexSpan index) {
    Index place{e.add(Coordinate(first), index.back())};
    place.append(index.begin() + 1, index.end() - 1);
    return place;
  };
  code.element = [&](IndexSpan index) {
    Index place = place_of(index);
    return llvm::map_to_vector(op.getInputs(), [&](Value input) { return e.cell(input, place); });
  };
  if (Value held = held_boolean(op, e))
    code.holds = [&, held](IndexSpan index) { return e.cell(held, place_of(index)); };
  Index kept{Coordinate(segment)};
  kept.append(others.begin(), others.end());
  e.enter();
  e.bind_segment(op.getOffsets(), segment);
  Values results;
  auto reduce = [&] { results = e.reduced(code, kept); };
  const bool is_one = llvm::all_of(others, [](const Coordinate& i) { return i.is_uniform(); });
  is_one ? e.with_lanes(1, {}, reduce) : reduce(); // its own lanes go along the segment
  e.leave();
  return results;
}

/// Lane by lane.
static Values emit_lanes(ir::SegmentReduceOp op, IndexSpan index, Emission& e) {
  Values numbers, vectors;
  for (const Coordinate& i : index)
    numbers.push_back(e.spread(e.value(i)));
  Value last = e.sub(e.shape(op.getResult(0))[0], e.i64(1));
  const int lanes = e.lanes();
  for (int lane = 0; lane < lanes; ++lane) {
    Values at = e.lanes_from(numbers, lane, 1), cells;
    e.with_lanes(1, {}, [&] { // lanes that do not count may have any number
      Index others;
      for (Value number : ValueSpan(at).drop_front())
        others.emplace_back(number);
      cells = emit_segment(op, e.clip(at[0], last), others, e);
    });
    for (auto [number, cell] : llvm::enumerate(cells)) {
      if (lane == 0)
        vectors.push_back(e.spread(cell));
      vectors[number] =
          mlir::vector::InsertOp::create(e.b, cell, vectors[number], static_cast<int64_t>(lane));
    }
  }
  return vectors;
}

Values emit_cells(ir::SegmentReduceOp op, IndexSpan index, Emission& e) {
  return index[0].is_uniform() ? emit_segment(op, index[0].base, index.drop_front(), e)
                               : emit_lanes(op, index, e);
}

} // namespace kolam::lower
