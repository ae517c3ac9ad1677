/// One function per op: its meaning. Each lives in the file of the op's name.
#pragma once

#include "kolam/interp/evaluation.h"

namespace kolam::interp {

void evaluate_op(ir::AccessOp op, Evaluation& evaluation);
void evaluate_op(ir::AttentionOp op, Evaluation& evaluation);
void evaluate_op(ir::BindExtentOp op, Evaluation& evaluation);
void evaluate_op(ir::BitcastOp op, Evaluation& evaluation);
void evaluate_op(ir::BroadcastOp op, Evaluation& evaluation);
void evaluate_op(ir::CastOp op, Evaluation& evaluation);
void evaluate_op(ir::CheckOp op, Evaluation& evaluation);
void evaluate_op(ir::ConcatOp op, Evaluation& evaluation);
void evaluate_op(ir::CompositeOp op, Evaluation& evaluation);
void evaluate_op(ir::CondOp op, Evaluation& evaluation);
void evaluate_op(ir::ConstantOp op, Evaluation& evaluation);
void evaluate_op(ir::ContractOp op, Evaluation& evaluation);
void evaluate_op(ir::ConvolutionOp op, Evaluation& evaluation);
void evaluate_op(ir::CumulativeOp op, Evaluation& evaluation);
void evaluate_op(ir::DynamicSliceOp op, Evaluation& evaluation);
void evaluate_op(ir::DynamicUpdateSliceOp op, Evaluation& evaluation);
void evaluate_op(ir::ElementwiseOp op, Evaluation& evaluation);
void evaluate_op(ir::EmptyOp op, Evaluation& evaluation);
void evaluate_op(ir::ExpandDimsOp op, Evaluation& evaluation);
void evaluate_op(ir::ExtentOp op, Evaluation& evaluation);
void evaluate_op(ir::FlattenOp op, Evaluation& evaluation);
void evaluate_op(ir::ForOp op, Evaluation& evaluation);
void evaluate_op(ir::GatherOp op, Evaluation& evaluation);
void evaluate_op(ir::IotaOp op, Evaluation& evaluation);
void evaluate_op(ir::IterIndexOp op, Evaluation& evaluation);
void evaluate_op(ir::JoinOp op, Evaluation& evaluation);
void evaluate_op(ir::KernelCallOp op, Evaluation& evaluation);
void evaluate_op(ir::ListFilterOp op, Evaluation& evaluation);
void evaluate_op(ir::ListIndexOp op, Evaluation& evaluation);
void evaluate_op(ir::ListLengthOp op, Evaluation& evaluation);
void evaluate_op(ir::ListMapOp op, Evaluation& evaluation);
void evaluate_op(ir::ListPositionsOp op, Evaluation& evaluation);
void evaluate_op(ir::ListReduceOp op, Evaluation& evaluation);
void evaluate_op(ir::ListScanOp op, Evaluation& evaluation);
void evaluate_op(ir::OpaqueCallOp op, Evaluation& evaluation);
void evaluate_op(ir::PackOp op, Evaluation& evaluation);
void evaluate_op(ir::PadOp op, Evaluation& evaluation);
void evaluate_op(ir::PinOp op, Evaluation& evaluation);
void evaluate_op(ir::RandomBitsOp op, Evaluation& evaluation);
void evaluate_op(ir::RandomBlockOp op, Evaluation& evaluation);
void evaluate_op(ir::ReduceOp op, Evaluation& evaluation);
void evaluate_op(ir::RefAllocOp op, Evaluation& evaluation);
void evaluate_op(ir::RefBitcastOp op, Evaluation& evaluation);
void evaluate_op(ir::RefGatherOp op, Evaluation& evaluation);
void evaluate_op(ir::RefReadOp op, Evaluation& evaluation);
void evaluate_op(ir::RefReshapeOp op, Evaluation& evaluation);
void evaluate_op(ir::RefSelectOp op, Evaluation& evaluation);
void evaluate_op(ir::RefSliceOp op, Evaluation& evaluation);
void evaluate_op(ir::RefTransposeOp op, Evaluation& evaluation);
void evaluate_op(ir::RefUpdateOp op, Evaluation& evaluation);
void evaluate_op(ir::RefWriteOp op, Evaluation& evaluation);
void evaluate_op(ir::ReshapeOp op, Evaluation& evaluation);
void evaluate_op(ir::ReverseOp op, Evaluation& evaluation);
void evaluate_op(ir::ViewOp op, Evaluation& evaluation);
void evaluate_op(ir::ScanOp op, Evaluation& evaluation);
void evaluate_op(ir::ScatterOp op, Evaluation& evaluation);
void evaluate_op(ir::SliceOp op, Evaluation& evaluation);
void evaluate_op(ir::CompressOp op, Evaluation& evaluation);
void evaluate_op(ir::SegmentIdsOp op, Evaluation& evaluation);
void evaluate_op(ir::SegmentReduceOp op, Evaluation& evaluation);
void evaluate_op(ir::SortOp op, Evaluation& evaluation);
void evaluate_op(ir::SqueezeOp op, Evaluation& evaluation);
void evaluate_op(ir::TogetherOp op, Evaluation& evaluation);
void evaluate_op(ir::MaterializeOp op, Evaluation& evaluation);
void evaluate_op(ir::TopKOp op, Evaluation& evaluation);
void evaluate_op(ir::TransposeOp op, Evaluation& evaluation);
void evaluate_op(ir::UnpackOp op, Evaluation& evaluation);
void evaluate_op(ir::WhileOp op, Evaluation& evaluation);
void evaluate_op(ir::ZipMapReduceOp op, Evaluation& evaluation);

} // namespace kolam::interp
