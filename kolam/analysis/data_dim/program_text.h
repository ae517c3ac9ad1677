/// The text of a program with the data dimension of every value.
#pragma once

#include "kolam/analysis/data_dim/problem.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kolam::analysis {

/// The program's text, which parses as it is; behind each op, as a comment, its operands and
/// results with `!`, its cost and the relayouts of what it makes. Arguments and the total stand in
/// front.
///
///     // profile seed, costs blocks, total 288
///     // argument x [32! 8]  compute, time 80
///     %0 = kolam.contract ... // [32! 8] -> [64! 8]  compute, dot, time 32, memory 16
std::string program_text(mlir::func::FuncOp function, const DataDimProblem& problem,
                         const DataDimSolution& solution);

} // namespace kolam::analysis
