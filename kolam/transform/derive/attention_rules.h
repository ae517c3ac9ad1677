/// The composites that attention's derivatives are, of (operands..., result, lse, given...): of
/// tangents, which is linear in them, and of a cotangent.
#pragma once

#include "kolam/transform/derive/attention_blocks.h"
#include "kolam/transform/derive/transposition.h"

#include "kolam/ir/ops.h"

namespace kolam::transform::derive {

inline constexpr char kAttentionTangent[] = "attention_tangent";
inline constexpr char kAttentionGradient[] = "attention_gradient";

/// The first, of the tangents of operands `numbers`.
ir::CompositeOp make_attention_tangent(Builder& b, const AttentionPoint& point,
                                       const std::vector<int64_t>& numbers, const Values& tangents);
/// The `numbers` of either.
std::vector<int64_t> numbers_of(ir::CompositeOp op);
/// The attention of either, an op in its rule.
ir::AttentionOp attention_of(ir::CompositeOp op);

/// The first becomes the second.
void transpose_attention(ir::CompositeOp op, Transposition& at);
/// Through the plain form.
void attention_tangent_rule(ir::CompositeOp op, Linearisation& at);
void attention_gradient_rule(ir::CompositeOp op, Linearisation& at);

} // namespace kolam::transform::derive
