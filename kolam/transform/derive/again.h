/// What derivatives compute again in place of keeping it.
#pragma once

#include "kolam/transform/derive/transposition.h"

#include "kolam/ir/ops.h"

namespace kolam::transform::derive {

/// The results of a composite "checkpoint", and their tangents: composite "again" of (operands...,
/// kept..., tangents...), which computes the body anew. Kept are those values of the body, also of
/// loops and branches in it, that policies name (policy.h) and derivatives need.
void linearise_again(ir::CompositeOp op, Linearisation& at);
/// Computes the body where its transpose is asked for. What it shares with other ops receives the
/// contributions in the order of the ops as they were written: the same bits.
void transpose_again(ir::CompositeOp op, Transposition& at);
/// Whether it gives its operand, for ops that are computed again to read.
bool is_under_name(ir::ReshapeOp op);

} // namespace kolam::transform::derive
