/// Numbers counted by bins, with atomics.
#pragma once

#include "kolam/frontend/array/histogram.h"
#include "kolam/frontend/pallas/pallas_call.h"

namespace kolam::kernels {

struct CountOptions {
  int64_t block = 4096;
  std::optional<pallas::InterpretParams> interpret = {};
};

/// How many elements lie in each of `bins` bins of one width over `range`, and the edges of the
/// bins:
///
///     counts[k] = number of i with edges[k] <= x[i] < edges[k + 1]
///
/// or <= edges[k + 1] in the last bin. x has any shape and numbers; `range` is (least, greatest),
/// those of the elements unless given. Elements outside and NaN are in no bin. Counts are i32
/// [bins]; edges [bins + 1], floats of the dtype of x, f32 of integers, are those of
/// kolam::histogram. Integers in bins as wide as an integer find theirs by a division, others by
/// the edges. A point of the grid adds `block` elements to the counts by atomics. Throws
/// `[dtype-mismatch]`, `[negative-count]` for less than one bin, `[bad-block]`, and stops with
/// `[not-finite]` where a limit is not finite.
Histogram histogram(const Operand& x, int64_t bins = 10,
                    const std::optional<std::pair<Operand, Operand>>& range = {},
                    const CountOptions& options = {});

} // namespace kolam::kernels
