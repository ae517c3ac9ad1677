/// Which dtypes meet in which.
#pragma once

#include "kolam/frontend/array/operands.h"

namespace kolam {

/// The dtype of a result of these operands: integers with floats give the float, bf16 with f16
/// gives f32, a signed with an unsigned integer the next wider signed one; a scalar takes the dtype
/// of the tensors beside it within its kind (a float beside integers f32), and alone its default.
/// Throws
/// `[no-promotion]` for u64 with a signed integer, and `[no-operands]`. As the array API's
/// result_type.
DType result_type(const Operands& operands);

/// Whether the result of both dtypes has the dtype `to`: whether every value of `from` has its
/// place there. As the array API's can_cast.
bool can_cast(DType from, DType to);

} // namespace kolam
