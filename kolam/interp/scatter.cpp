// kolam.scatter: the destinations with windows combined in, batch after batch.
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/interp/scalar_function.h"
#include "kolam/interp/window.h"

namespace kolam::interp {
namespace {

Array scalar_at(const Array& array, const Index& index) {
  return Array::copy_of(array.dtype(), {}, cell(array, index));
}

/// The next state of one element of all destinations.
std::vector<Array> combine(ir::ScatterOp op, const std::vector<Array>& state,
                           const std::vector<Array>& update, Evaluation& e) {
  llvm::StringRef combiner = op.getCombiner();
  if (combiner == "user") {
    std::vector<Array> arguments = state;
    arguments.insert(arguments.end(), update.begin(), update.end());
    for (mlir::Value capture : op.getCaptures())
      arguments.push_back(e.get(capture));
    return e.run(op.getCombine(), arguments);
  }
  if (combiner == "kUpdate")
    return update;
  std::vector<Array> next;
  for (size_t i = 0; i < state.size(); ++i) {
    if (combiner == "kAdd")
      next.push_back(apply(Fn::add, state[i], update[i]));
    else if (combiner == "kMul")
      next.push_back(apply(Fn::multiply, state[i], update[i]));
    else if (combiner == "kMin")
      next.push_back(apply(Fn::less, update[i], state[i]).item<bool>() ? update[i] : state[i]);
    else
      next.push_back(apply(Fn::greater, update[i], state[i]).item<bool>() ? update[i] : state[i]);
  }
  return next;
}

std::vector<Array> cells_at(const std::vector<Array>& arrays, const Index& index) {
  std::vector<Array> cells;
  for (const Array& array : arrays)
    cells.push_back(scalar_at(array, index));
  return cells;
}

} // namespace

void evaluate_op(ir::ScatterOp op, Evaluation& e) {
  const Array& indices = e.get(op.getIndices());
  std::vector<Array> results, updates;
  for (mlir::Value destination : op.getDestinations())
    results.push_back(copy_of(e.get(destination)));
  for (mlir::Value update : op.getUpdates())
    updates.push_back(e.get(update));
  size_t batched = op.getBatchedDims();
  std::vector<int64_t> batches(indices.shape().begin(), indices.shape().end() - 1);
  std::vector<int64_t> window(updates[0].shape().begin() + batches.size(),
                              updates[0].shape().end());
  std::vector<int64_t> extents(results[0].shape().begin() + batched, results[0].shape().end());

  for_each_index(e, batches, [&](const Index& batch) {
    Places start = window_start(indices, batch, op.getDims(), window.size());
    if (op.getMode() == "drop" && !is_inside(start, window, extents))
      return;
    if (op.getMode() != "drop" && op.getMode() != "element")
      start = clip_start(start, window, extents);
    for_each_index(e, window, [&](const Index& offset) {
      Index target(batch.begin(), batch.begin() + batched), source = batch;
      for (size_t dim = 0; dim < window.size(); ++dim) {
        Place place = start[dim] + offset[dim];
        if (place < 0 || place >= extents[dim])
          return; // only in mode `element`
        target.push_back(static_cast<int64_t>(place));
      }
      source.insert(source.end(), offset.begin(), offset.end());
      std::vector<Array> next =
          combine(op, cells_at(results, target), cells_at(updates, source), e);
      for (size_t i = 0; i < results.size(); ++i)
        copy_cell(next[i], {}, results[i], target);
    });
  });
  for (auto [value, array] : llvm::zip(op.getResults(), results))
    e.set(value, array);
}

} // namespace kolam::interp
