/// Contractions: matmul, tensordot, einsum and their kin, all one op.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

/// result = sum over the letters missing from the result of lhs * rhs; operands already of one dtype. Chooses the
/// accumulation order by the second operand's free extents (DESIGN section 5).
Value contract(Builder& b, Value lhs, Value rhs, std::string spec);

/// The array API's matmul: [..., m, k] x [..., k, n] -> [..., m, n], batch dims broadcast; rank-1 operands are a row
/// and a column and their dim vanishes. Throws `[rank-mismatch]` for scalars and `[shape-mismatch]`.
Value matmul(Builder& b, Value x, Value y);

} // namespace kolam::language
