/// Elementwise functions and casts over arrays on the host: what the interpreter runs.
#pragma once

#include "kolam/support/elementwise.h"

#include <cstdint>
#include <span>

namespace kolam {

/// output[i] = fn(inputs[0][i s0], inputs[1][i s1], ...) for i < count, on elements of `dtype` as
/// visit_dtype stores them (the first input of `where` holds booleans; the output has the dtype
/// `result_dtype(fn, dtype)`). A stride is in elements, 1 for an array and 0 for a scalar. The
/// output may be one of the arrays, but not overlap otherwise. Needs `accepts(fn, dtype)`.
void apply_elementwise(Fn fn, DType dtype, std::span<const void* const> inputs,
                       std::span<const int64_t> strides, void* output, int64_t count);

/// output[i] = input[i] converted from one dtype to another; see scalar::cast. Input and output do
/// not overlap, unless they are the same and of equal width.
void apply_cast(DType from, DType to, const void* input, void* output, int64_t count);

} // namespace kolam
