/// The rules of single ops, found by overload: the linear part of each, and the transpose of each
/// that may be linear.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/transform/derive/transposition.h"
#include "kolam/transform/ref_rows.h"

namespace kolam::transform::derive {

/// An op of whose operands one is active at least.
void linearise(mlir::Operation* op, Linearisation& at);
/// An op of which a result is linear.
void transpose(mlir::Operation* op, Transposition& at);

/// The tangents of the op's results, which stand for primal values already.
void linearise_rule(ir::AccessOp op, Linearisation& at);
void linearise_rule(ir::FlattenOp op, Linearisation& at);
void linearise_rule(ir::JoinOp op, Linearisation& at);
void linearise_rule(ir::ListFilterOp op, Linearisation& at);
void linearise_rule(ir::ListIndexOp op, Linearisation& at);
void linearise_rule(ir::PackOp op, Linearisation& at);
void linearise_rule(ir::UnpackOp op, Linearisation& at);
void linearise_rule(ir::BroadcastOp op, Linearisation& at);
void linearise_rule(ir::CastOp op, Linearisation& at);
void linearise_rule(ir::ConcatOp op, Linearisation& at);
void linearise_rule(ir::ContractOp op, Linearisation& at);
void linearise_rule(ir::ConvolutionOp op, Linearisation& at);
void linearise_rule(ir::CumulativeOp op, Linearisation& at);
void linearise_rule(ir::DynamicSliceOp op, Linearisation& at);
void linearise_rule(ir::DynamicUpdateSliceOp op, Linearisation& at);
void linearise_rule(ir::ElementwiseOp op, Linearisation& at);
void linearise_rule(ir::ExpandDimsOp op, Linearisation& at);
void linearise_rule(ir::GatherOp op, Linearisation& at);
void linearise_rule(ir::MaterializeOp op, Linearisation& at);
void linearise_rule(ir::PadOp op, Linearisation& at);
void linearise_rule(ir::PinOp op, Linearisation& at);
void linearise_rule(ir::ReduceOp op, Linearisation& at);
void linearise_rule(ir::ReshapeOp op, Linearisation& at);
void linearise_rule(ir::ReverseOp op, Linearisation& at);
void linearise_rule(ir::ScatterOp op, Linearisation& at);
void linearise_rule(ir::SliceOp op, Linearisation& at);
void linearise_rule(ir::SortOp op, Linearisation& at);
void linearise_rule(ir::SqueezeOp op, Linearisation& at);
void linearise_rule(ir::TopKOp op, Linearisation& at);
void linearise_rule(ir::TransposeOp op, Linearisation& at);
void linearise_rule(ir::ViewOp op, Linearisation& at);
void linearise_rule(ir::ZipMapReduceOp op, Linearisation& at);

/// The op on primal values too: its residuals are results of it.
void linearise_whole(ir::AttentionOp op, Linearisation& at);
void linearise_whole(ir::CompositeOp op, Linearisation& at);
void linearise_whole(ir::CondOp op, Linearisation& at);
void linearise_whole(ir::ForOp op, Linearisation& at);
void linearise_whole(ir::KernelCallOp op, Linearisation& at);
void linearise_whole(ir::ListMapOp op, Linearisation& at);
void linearise_whole(ir::ListReduceOp op, Linearisation& at);
void linearise_whole(ir::ListScanOp op, Linearisation& at);
void linearise_whole(ir::ScanOp op, Linearisation& at);
void linearise_whole(ir::WhileOp op, Linearisation& at);

/// Nothing depends on these smoothly: integers, booleans, random bits, checks.
void needs_none(ir::BindExtentOp);
void needs_none(ir::BitcastOp);
void needs_none(ir::CheckOp);
void needs_none(ir::ConstantOp);
void needs_none(ir::EmptyOp);
void needs_none(ir::ExtentOp);
void needs_none(ir::IotaOp);
void needs_none(ir::IterIndexOp);
void needs_none(ir::ListLengthOp);
void needs_none(ir::ListPositionsOp);
void needs_none(ir::RandomBitsOp);
void needs_none(ir::RandomBlockOp);
void needs_none(ir::CompressOp);
void needs_none(ir::SegmentIdsOp);
void needs_none(ir::YieldOp);

/// These have no derivative, and neither have Refs: what is active and reaches one is an error.
using transform::has_none;
void has_none(ir::OpaqueCallOp);
void has_none(ir::SegmentReduceOp);
void has_none(ir::TogetherOp);

/// The contributions of an op to its linear operands.
void transpose_rule(ir::BroadcastOp op, Transposition& at);
void transpose_rule(ir::CastOp op, Transposition& at);
void transpose_rule(ir::CompositeOp op, Transposition& at);
void transpose_rule(ir::ConcatOp op, Transposition& at);
void transpose_rule(ir::CondOp op, Transposition& at);
void transpose_rule(ir::ContractOp op, Transposition& at);
void transpose_rule(ir::ConvolutionOp op, Transposition& at);
void transpose_rule(ir::CumulativeOp op, Transposition& at);
void transpose_rule(ir::DynamicSliceOp op, Transposition& at);
void transpose_rule(ir::DynamicUpdateSliceOp op, Transposition& at);
void transpose_rule(ir::ElementwiseOp op, Transposition& at);
void transpose_rule(ir::ExpandDimsOp op, Transposition& at);
void transpose_rule(ir::GatherOp op, Transposition& at);
void transpose_rule(ir::ListMapOp op, Transposition& at);
void transpose_rule(ir::ListScanOp op, Transposition& at);
void transpose_rule(ir::MaterializeOp op, Transposition& at);
void transpose_rule(ir::PackOp op, Transposition& at);
void transpose_rule(ir::PadOp op, Transposition& at);
void transpose_rule(ir::PinOp op, Transposition& at);
void transpose_rule(ir::ReduceOp op, Transposition& at);
void transpose_rule(ir::ReshapeOp op, Transposition& at);
void transpose_rule(ir::ReverseOp op, Transposition& at);
void transpose_rule(ir::ScanOp op, Transposition& at);
void transpose_rule(ir::ScatterOp op, Transposition& at);
void transpose_rule(ir::SliceOp op, Transposition& at);
void transpose_rule(ir::SqueezeOp op, Transposition& at);
void transpose_rule(ir::TransposeOp op, Transposition& at);
void transpose_rule(ir::ViewOp op, Transposition& at);

/// No linear part of a program holds these: what linear values reach them in is not linear.
void is_not_linear(ir::AccessOp);
void is_not_linear(ir::AttentionOp);
void is_not_linear(ir::BindExtentOp);
void is_not_linear(ir::BitcastOp);
void is_not_linear(ir::CheckOp);
void is_not_linear(ir::CompressOp);
void is_not_linear(ir::ConstantOp);
void is_not_linear(ir::EmptyOp);
void is_not_linear(ir::ExtentOp);
void is_not_linear(ir::FlattenOp);
void is_not_linear(ir::ForOp);
void is_not_linear(ir::IotaOp);
void is_not_linear(ir::IterIndexOp);
void is_not_linear(ir::JoinOp);
void is_not_linear(ir::KernelCallOp);
void is_not_linear(ir::ListFilterOp);
void is_not_linear(ir::ListIndexOp);
void is_not_linear(ir::ListLengthOp);
void is_not_linear(ir::ListPositionsOp);
void is_not_linear(ir::ListReduceOp);
void is_not_linear(ir::OpaqueCallOp);
void is_not_linear(ir::RandomBitsOp);
void is_not_linear(ir::RandomBlockOp);
void is_not_linear(ir::RefAllocOp);
void is_not_linear(ir::RefBitcastOp);
void is_not_linear(ir::RefGatherOp);
void is_not_linear(ir::RefReadOp);
void is_not_linear(ir::RefReshapeOp);
void is_not_linear(ir::RefSelectOp);
void is_not_linear(ir::RefSliceOp);
void is_not_linear(ir::RefTransposeOp);
void is_not_linear(ir::RefUpdateOp);
void is_not_linear(ir::RefWriteOp);
void is_not_linear(ir::SegmentIdsOp);
void is_not_linear(ir::SegmentReduceOp);
void is_not_linear(ir::SortOp);
void is_not_linear(ir::TogetherOp);
void is_not_linear(ir::TopKOp);
void is_not_linear(ir::UnpackOp);
void is_not_linear(ir::WhileOp);
void is_not_linear(ir::YieldOp);
void is_not_linear(ir::ZipMapReduceOp);

/// The leaves and offsets of a list, under new extents (lists.cpp).
Values unpacked(Builder& b, Value list, const NewSymbol& new_symbol);
/// What a scan captures of a value, as it carries no lists: its leaves and offsets, else itself;
/// and the value of such parts in the scan's body, of this type.
Values captured_parts(Builder& b, Value value, const NewSymbol& new_symbol);
Value from_parts(Builder& b, mlir::Type type, mlir::ValueRange parts);

/// Of the linear composites that ops on lists become (lists.cpp).
void transpose_leaves(ir::CompositeOp op, Transposition& at);
void transpose_unpacked(ir::CompositeOp op, Transposition& at);

} // namespace kolam::transform::derive
