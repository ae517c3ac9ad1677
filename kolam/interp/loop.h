/// What the ops with bodies share: lists of arrays in and out of regions, and polling for
/// cancellation.
#pragma once

#include "kolam/interp/evaluation.h"

#include <initializer_list>

namespace kolam::interp {

/// The value of an integer or boolean scalar; the highest int64 where that is less.
int64_t integer_of(const Array& scalar);
/// An integer scalar of `dtype`.
Array scalar_of(int64_t value, DType dtype);

std::vector<Array> arrays_of(mlir::ValueRange values, const Evaluation& evaluation);
void set_all(mlir::ValueRange results, const std::vector<Array>& arrays, Evaluation& evaluation);
/// The lists one after another.
std::vector<Array> joined(std::initializer_list<std::vector<Array>> lists);

/// Throws `[cancelled]` where the run was asked to stop.
void poll_cancel(const Options& options);

} // namespace kolam::interp
