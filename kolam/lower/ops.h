/// One function per op: the cells of its results at an index. Each lives in the file of the op's
/// name.
#pragma once

#include "kolam/lower/emission.h"

namespace kolam::lower {

/// The cells of all results of `op` at `index`: finds the emitter among those below.
Values dispatch_cells(mlir::Operation* op, ValueSpan index, Emission& emission);

Values emit_cells(ir::BitcastOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::BroadcastOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::CastOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::ConcatOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::ConstantOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::ContractOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::ConvolutionOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::DynamicSliceOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::DynamicUpdateSliceOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::ElementwiseOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::ExpandDimsOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::ExtentOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::GatherOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::IotaOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::IterIndexOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::PadOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::RandomBitsOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::RandomBlockOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::ReduceOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::ReshapeOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::ReverseOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::SliceOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::SqueezeOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::TransposeOp op, ValueSpan index, Emission& emission);
Values emit_cells(ir::ZipMapReduceOp op, ValueSpan index, Emission& emission);

/// Emits a nest whose op cannot give single cells: it writes its outputs itself. False for all
/// other ops.
bool dispatch_whole(mlir::Operation* op, Emission& emission);

void emit_whole(ir::CheckOp op, Emission& emission);
void emit_whole(ir::CumulativeOp op, Emission& emission);
void emit_whole(ir::ScatterOp op, Emission& emission);

} // namespace kolam::lower
