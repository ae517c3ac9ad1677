/// One function per op: its meaning. Each lives in the file of the op's name.
#pragma once

#include "kolam/interp/evaluation.h"

namespace kolam::interp {

void evaluate_op(ir::BroadcastOp op, Evaluation& evaluation);
void evaluate_op(ir::CheckOp op, Evaluation& evaluation);
void evaluate_op(ir::ConstantOp op, Evaluation& evaluation);
void evaluate_op(ir::ContractOp op, Evaluation& evaluation);
void evaluate_op(ir::ConvolutionOp op, Evaluation& evaluation);
void evaluate_op(ir::CumulativeOp op, Evaluation& evaluation);
void evaluate_op(ir::ElementwiseOp op, Evaluation& evaluation);
void evaluate_op(ir::GatherOp op, Evaluation& evaluation);
void evaluate_op(ir::IterIndexOp op, Evaluation& evaluation);
void evaluate_op(ir::ReduceOp op, Evaluation& evaluation);
void evaluate_op(ir::ScatterOp op, Evaluation& evaluation);
void evaluate_op(ir::ZipMapReduceOp op, Evaluation& evaluation);

} // namespace kolam::interp
