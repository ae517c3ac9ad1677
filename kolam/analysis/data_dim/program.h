/// The problem of data dimensions of a program as it was traced, before rewrites.
#pragma once

#include "kolam/analysis/data_dim/kept_dims.h"
#include "kolam/analysis/data_dim/problem.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kolam::analysis {

enum class DataDimPrices : uint8_t {
  blocks, ///< half blocks of 32 elements along D (reference, 5.6)
  cpu,    ///< nanoseconds of vector code and memory (support/machine.h)
};

/// D where it is given, and what the dims are called: "" for none, empty where none is.
struct DataDimPin {
  int dim = 0;
  std::vector<std::string> names = {};
};

struct DataDimAsked {
  space::DataDimProfile profile;
  LayoutMode mode = LayoutMode::strict;
  bool allow_dynamic_weights = false;
  DataDimPrices prices = DataDimPrices::blocks;
  Keeping keeping = Keeping::as_written; ///< of reductions: to try what keepdims would give
  std::vector<bool> constants;           ///< by argument; those that are missing are none
  /// By argument and by result of the function.
  std::vector<std::optional<DataDimPin>> inputs, outputs;
  /// Pins in the program that give no D, by DataDimOp::number: to try others.
  std::vector<int> unpinned;
};

/// Every value of rank 1 or more that the program computes while it runs is one of the problem, and
/// every table of an op whose values these are. What is computed of constants alone is constant.
/// Bodies of loops and branches are part of the problem, priced once for each turn; a loop whose
/// turns the program does not know, and every symbol, counts as 1000.
DataDimProblem data_dim_problem(mlir::func::FuncOp function, const DataDimAsked& asked);

} // namespace kolam::analysis
