/// Products of tensors.
#pragma once

#include "kolam/frontend/array/tensor.h"

namespace kolam {

/// The array API's matmul: [..., m, k] x [..., k, n] -> [..., m, n], batch dims broadcast; a rank-1 operand is a row or a
/// column whose dim vanishes. bf16 and f16 accumulate in f32. Throws `[rank-mismatch]` for scalars, `[shape-mismatch]`
/// where the k differ, `[dtype-mismatch]` for booleans.
Tensor matmul(const Operand& x, const Operand& y);

} // namespace kolam
