/// One function per op: the elements of its results at an index. Each lives in the file of the op's
/// name.
#pragma once

#include "kolam/lower/emission.h"

namespace kolam::lower {

/// The elements of all results of `op` at `index`: finds the emitter among those below.
Values dispatch_cells(mlir::Operation* op, IndexSpan index, Emission& emission);

Values emit_cells(ir::BitcastOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::BroadcastOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::CastOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::ConcatOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::CondOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::ConstantOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::ContractOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::ConvolutionOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::DynamicSliceOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::DynamicUpdateSliceOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::ElementwiseOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::ExpandDimsOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::ExtentOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::ForOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::GatherOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::IotaOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::IterIndexOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::MaterializeOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::PadOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::RandomBitsOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::RandomBlockOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::ReduceOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::ReshapeOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::ReverseOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::ViewOp op, IndexSpan index, Emission& emission);
/// The last states, of a nest's root; it stores what the steps stack itself.
Values emit_cells(ir::ScanOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::SegmentIdsOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::SegmentReduceOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::SliceOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::SqueezeOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::TogetherOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::TransposeOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::WhileOp op, IndexSpan index, Emission& emission);
Values emit_cells(ir::ZipMapReduceOp op, IndexSpan index, Emission& emission);

} // namespace kolam::lower
