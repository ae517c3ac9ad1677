/// Attention as its equation over all scores, [b..., i, j]: what derivatives of its derivatives go
/// through.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/language/builder.h"

namespace kolam::transform::derive {

/// What `op` gives of `operands`, which have the types of its own.
language::Value plain_attention(language::Builder& b, ir::AttentionOp op,
                                const language::Values& operands);

/// Which keys `op.visible` shows to which queries, for all of `space` at once: `places` are batch,
/// head, query and key of each element of it.
language::Value seen_by_function(language::Builder& b, ir::AttentionOp op,
                                 const language::Values& places, const language::Values& captures,
                                 const Shape& space);

} // namespace kolam::transform::derive
