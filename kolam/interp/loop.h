/// What the ops with bodies share: lists of arrays in and out of regions, and polling for
/// cancellation.
#pragma once

#include "kolam/interp/elements.h"
#include "kolam/interp/evaluation.h"

#include <initializer_list>

namespace kolam::interp {

/// The value of an integer or boolean scalar; the highest int64 where that is less.
int64_t integer_of(const Array& scalar);
/// An integer scalar of `dtype`.
Array scalar_of(int64_t value, DType dtype);

std::vector<Array> arrays_of(mlir::ValueRange values, const Evaluation& evaluation);
void set_all(mlir::ValueRange results, const std::vector<Array>& arrays, Evaluation& evaluation);
void set_all(mlir::ValueRange results, const Data& data, Evaluation& evaluation);
/// Gives the symbols that a loop or branch binds the leading extents of what it carries or gives.
void bind_late(mlir::Operation* op, const Data& data, Evaluation& evaluation);
/// What a loop carries after a turn that gave `next`: that, behind the rows of `state` where `op`
/// appends it.
void take_turn(mlir::Operation* op, Data& state, Data next);
/// The lists one after another.
std::vector<Array> joined(std::initializer_list<std::vector<Array>> lists);

/// Throws `[cancelled]` where the run was asked to stop.
void poll_cancel(const Options& options);

/// Calls `f(index)` for every index of the box [0, shape), row-major, until the run is asked to
/// stop; then throws `[cancelled]`.
template <class F>
void for_each_index(const Evaluation& evaluation, const std::vector<int64_t>& shape, F f) {
  for_each_index(shape, [&](const Index& index) {
    poll_cancel(evaluation.options());
    f(index);
  });
}

} // namespace kolam::interp
