/// The rules of ops: what each gives for sequences among its operands.
#pragma once

#include "kolam/transform/stream/steps.h"

#include "kolam/ir/ops.h"

namespace kolam::transform::stream {

/// Sets the results of `op`, of whose operands one is a sequence at least.
void apply(mlir::Operation* op, Steps& steps);

/// Where a dim of operands and results goes through an op element by element, by its signature.
struct Passage {
  int index = -1;                         ///< the index dim
  std::vector<int64_t> operands, results; ///< the dim of each that it walks; -1: none
};
/// That of dim `dim` of operand or result `value` (operands first); none where a point along it
/// reads other elements of it, or the results combine them.
std::optional<Passage> passage(mlir::Operation* op, size_t value, int64_t dim);

/// Refuses elements behind the last one that a step gives, where a step before the end of the whole
/// sequence would have to give them: it can't know.
void require_end_behind_steps(mlir::Operation* op, const Sequence& sequence, const Steps& steps);

/// The ops of a block one after the other, but for its end.
void go_through(mlir::Block& block, Steps& steps);

/// Element by element along the dim of the sequences.
void apply_by_signature(mlir::Operation* op, Steps& steps);
/// A scan along another dim than the axis, all of it at each step.
void scan_elements(ir::ScanOp op, Steps& steps);

void apply_rule(ir::AttentionOp op, Steps& steps);
void apply_rule(ir::CheckOp op, Steps& steps);
void apply_rule(ir::ConcatOp op, Steps& steps);
void apply_rule(ir::CondOp op, Steps& steps);
void apply_rule(ir::ConvolutionOp op, Steps& steps);
void apply_rule(ir::CumulativeOp op, Steps& steps);
void apply_rule(ir::DynamicSliceOp op, Steps& steps);
void apply_rule(ir::DynamicUpdateSliceOp op, Steps& steps);
void apply_rule(ir::ForOp op, Steps& steps);
void apply_rule(ir::GatherOp op, Steps& steps);
void apply_rule(ir::PadOp op, Steps& steps);
void apply_rule(ir::ScanOp op, Steps& steps);
void apply_rule(ir::ScatterOp op, Steps& steps);
void apply_rule(ir::SliceOp op, Steps& steps);
void apply_rule(ir::ViewOp op, Steps& steps);
void apply_rule(ir::WhileOp op, Steps& steps);
void apply_rule(ir::ZipMapReduceOp op, Steps& steps);

} // namespace kolam::transform::stream
