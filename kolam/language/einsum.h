/// Sums of products in Einstein's notation.
#pragma once

#include "kolam/language/contract.h"

#include <optional>
#include <string_view>

namespace kolam::language {

/// result[result letters] = sum over all other letters of the product of the operands, by NumPy's
/// subscripts.
///
/// A letter twice within an operand takes its diagonal; dims of extent 1 stretch. Letters that only
/// one operand has are summed first, then pairs are contracted in the order of choose_einsum_path.
/// Where that takes more than one step, bf16 and f16 compute in f32 and round once. `terms` are of
/// two operands, which are then contracted in one step. Throws
/// `[bad-einsum]`, `[shape-mismatch]`, `[dtype-mismatch]`, `[bad-option]`.
Value einsum(Builder& b, std::string_view subscripts, Values operands,
             std::optional<DType> dtype = {}, const Terms& terms = {});

} // namespace kolam::language
