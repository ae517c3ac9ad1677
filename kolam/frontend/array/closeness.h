/// Comparing tensors as a whole, exactly or within a tolerance.
#pragma once

#include "kolam/frontend/array/tensor.h"

namespace kolam {

/// Where |x - y| <= atol + rtol |y|. Infinities are close to themselves, NaN to NaN where
/// `equal_nan`. Integers are compared as f64. Throws `[no-promotion]`, `[shape-mismatch]`.
Tensor isclose(const Operand& x, const Operand& y, double rtol = 1e-05, double atol = 1e-08,
               bool equal_nan = false);
/// Whether `isclose` holds everywhere: a bool scalar.
Tensor allclose(const Operand& x, const Operand& y, double rtol = 1e-05, double atol = 1e-08,
                bool equal_nan = false);
/// Whether shapes and elements are equal, NaN and NaN where `equal_nan`: a bool scalar. Throws
/// `[symbolic-extent]` where only the run knows whether the shapes are.
Tensor array_equal(const Operand& x, const Operand& y, bool equal_nan = false);

} // namespace kolam
