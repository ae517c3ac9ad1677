/// Ops that cannot give single elements: a nest of one writes its outputs itself.
#pragma once

#include "kolam/lower/cpu/emission.h"

namespace kolam::lower::cpu {

/// Emits such a nest; false for all other ops.
bool dispatch_whole(mlir::Operation* op, Emission& emission);

void emit_whole(ir::AttentionOp op, Emission& emission);
void emit_whole(ir::CheckOp op, Emission& emission);
void emit_whole(ir::CompressOp op, Emission& emission);
void emit_whole(ir::CumulativeOp op, Emission& emission);
void emit_whole(ir::DynamicUpdateSliceOp op, Emission& emission);
void emit_whole(ir::ForOp op, Emission& emission);
void emit_whole(ir::ScanOp op, Emission& emission);
void emit_whole(ir::ScatterOp op, Emission& emission);
void emit_whole(ir::WhileOp op, Emission& emission);

} // namespace kolam::lower::cpu
