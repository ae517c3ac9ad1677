/// What a checkpoint keeps of its body.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/language/builder.h"

namespace kolam::transform::derive {

/// The values of a checkpoint's body, its outermost block, that its attribute `policy` keeps.
/// Without one: none.
///
/// | policy | keeps |
/// |---|---|
/// | nothing_saveable | nothing |
/// | dear_saveable | what is not cheap again (residuals.h) |
/// | dots_saveable | products |
/// | dots_with_no_batch_dims_saveable | products in which no dim of both operands is one of the
/// result | | save_only_these_names | what `checkpoint_name` named so, as `names` says | |
/// save_anything_except_these_names | all other values |
language::Values kept_by_policy(ir::CompositeOp checkpoint);

} // namespace kolam::transform::derive
