/// The rules of single ops: what each gives for many instances. Called where an operand is of each
/// instance; the others are the same for all.
#pragma once

#include "kolam/transform/batch/instances.h"
#include "kolam/transform/ref_rows.h"

namespace kolam::transform::batch {

/// Throws where an op, or one in it, can't be made once for all instances.
void require_repeatable(mlir::Operation* op);
/// Whether a call's grid has another extent at each instance.
bool has_own_grid(ir::KernelCallOp op, const Instances& all);

/// An op by its rule; by a copy where no operand is of each instance.
Results batch_any(mlir::Operation* op, Operands operands, Instances& all);

Results batch_rule(ir::AttentionOp op, Operands operands, Instances& all);
Results batch_rule(ir::BindExtentOp op, Operands operands, Instances& all);
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
Results batch_rule(ir::KernelCallOp op, Operands operands, Instances& all);
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

/// The tangent of attention as that of a batched op, which is linear; none where there is no such
/// op.
std::optional<Results> batch_attention_tangent(ir::CompositeOp op, Operands operands,
                                               Instances& all);

/// Without operands: the same for all instances.
void has_none(ir::ConstantOp);
void has_none(ir::EmptyOp);
void has_none(ir::ExtentOp);
void has_none(ir::IotaOp);
void has_none(ir::IterIndexOp);

/// Refused for each instance: what the host is asked, ends of bodies.
void has_none(ir::OpaqueCallOp);
void has_none(ir::YieldOp);

/// Refused: lists, which become ops with rules first, and what these become; and Refs.
using transform::has_none;
void has_none(ir::AccessOp);
void has_none(ir::FlattenOp);
void has_none(ir::JoinOp);
void has_none(ir::ListFilterOp);
void has_none(ir::ListIndexOp);
void has_none(ir::ListLengthOp);
void has_none(ir::ListMapOp);
void has_none(ir::ListPositionsOp);
void has_none(ir::ListReduceOp);
void has_none(ir::ListScanOp);
void has_none(ir::PackOp);
void has_none(ir::UnpackOp);
void has_none(ir::CompressOp);
void has_none(ir::SegmentIdsOp);
void has_none(ir::SegmentReduceOp);

} // namespace kolam::transform::batch
