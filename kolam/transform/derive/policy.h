/// What a checkpoint keeps of its body.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/language/builder.h"

namespace kolam::transform::derive {

/// Of what the body of a checkpoint became in `block`, up to `end`, the values that its attribute
/// `policy` keeps, or that of a checkpoint around it; those of loops and branches inside are
/// brought out of these. Without a policy: none.
///
/// | policy | keeps |
/// |---|---|
/// | nothing_saveable | nothing |
/// | dear_saveable | what is not cheap again (residuals.h), of the outermost block |
/// | dots_saveable | products |
/// | dots_with_no_batch_dims_saveable | products in which no dim of both operands is one of the
/// result | | save_only_these_names | what `checkpoint_name` named so, as `names` says | |
/// save_anything_except_these_names | all other values |
language::Values kept_by_policy(language::Builder& b, ir::CompositeOp checkpoint,
                                mlir::Block& block, mlir::Operation* end);

/// Checkpoints inside of `checkpoint` keep what its policies do, too.
void hand_policies_on(ir::CompositeOp checkpoint);

} // namespace kolam::transform::derive
