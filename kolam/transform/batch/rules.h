/// The rules of single ops: what each gives for many instances. Called where an operand is of each
/// instance; the others are the same for all.
#pragma once

#include "kolam/transform/batch/instances.h"

namespace kolam::transform::batch {

/// An op by its rule; by a copy where no operand is of each instance.
Results batch_any(mlir::Operation* op, Operands operands, Instances& all);

Results batch_rule(ir::AttentionOp op, Operands operands, Instances& all);
Results batch_rule(ir::BitcastOp op, Operands operands, Instances& all);
Results batch_rule(ir::BroadcastOp op, Operands operands, Instances& all);
Results batch_rule(ir::CastOp op, Operands operands, Instances& all);
Results batch_rule(ir::CheckOp op, Operands operands, Instances& all);
Results batch_rule(ir::CompositeOp op, Operands operands, Instances& all);
Results batch_rule(ir::CompressOp op, Operands operands, Instances& all);
Results batch_rule(ir::ConcatOp op, Operands operands, Instances& all);
Results batch_rule(ir::CondOp op, Operands operands, Instances& all);
Results batch_rule(ir::ContractOp op, Operands operands, Instances& all);
Results batch_rule(ir::ConvolutionOp op, Operands operands, Instances& all);
Results batch_rule(ir::CumulativeOp op, Operands operands, Instances& all);
Results batch_rule(ir::DynamicSliceOp op, Operands operands, Instances& all);
Results batch_rule(ir::DynamicUpdateSliceOp op, Operands operands, Instances& all);
Results batch_rule(ir::ElementwiseOp op, Operands operands, Instances& all);
Results batch_rule(ir::ExpandDimsOp op, Operands operands, Instances& all);
Results batch_rule(ir::ForOp op, Operands operands, Instances& all);
Results batch_rule(ir::GatherOp op, Operands operands, Instances& all);
Results batch_rule(ir::PadOp op, Operands operands, Instances& all);
Results batch_rule(ir::PinOp op, Operands operands, Instances& all);
Results batch_rule(ir::RandomBitsOp op, Operands operands, Instances& all);
Results batch_rule(ir::RandomBlockOp op, Operands operands, Instances& all);
Results batch_rule(ir::ReduceOp op, Operands operands, Instances& all);
Results batch_rule(ir::ReshapeOp op, Operands operands, Instances& all);
Results batch_rule(ir::ReverseOp op, Operands operands, Instances& all);
Results batch_rule(ir::ViewOp op, Operands operands, Instances& all);
Results batch_rule(ir::ScanOp op, Operands operands, Instances& all);
Results batch_rule(ir::ScatterOp op, Operands operands, Instances& all);
Results batch_rule(ir::SliceOp op, Operands operands, Instances& all);
Results batch_rule(ir::SortOp op, Operands operands, Instances& all);
Results batch_rule(ir::SqueezeOp op, Operands operands, Instances& all);
Results batch_rule(ir::MaterializeOp op, Operands operands, Instances& all);
Results batch_rule(ir::TogetherOp op, Operands operands, Instances& all);
Results batch_rule(ir::TopKOp op, Operands operands, Instances& all);
Results batch_rule(ir::TransposeOp op, Operands operands, Instances& all);
Results batch_rule(ir::WhileOp op, Operands operands, Instances& all);
Results batch_rule(ir::ZipMapReduceOp op, Operands operands, Instances& all);

} // namespace kolam::transform::batch
