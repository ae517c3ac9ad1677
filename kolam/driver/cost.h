/// What a program costs, estimated from its nest list.
#pragma once

#include "kolam/ir/pointwise.h"
#include "kolam/nest/nest.h"

#include <string>
#include <vector>

namespace kolam::driver {

/// Flops are arithmetic operations, of any dtype; moving elements is none. Bytes are those that a
/// step reads from buffers and writes to them.
struct StepCost {
  std::string name;                ///< "nest3", "copy", "sort", "top_k" or "call f"
  mlir::Operation* root = nullptr; ///< of a nest
  double flops = 0, bytes = 0;     ///< of one execution
  double times = 1;                ///< by the turns of the loops around it
};

/// Flops and bytes of a run: the steps times their turns, and of a branch the dearest side.
struct Cost {
  double flops = 0, bytes = 0, arena_bytes = 0;
  std::vector<StepCost> steps; ///< in the order of the nest list, all sides of branches
};

/// Turns of a loop whose end only the run knows.
inline constexpr double kUnknownTurns = ir::kUnknownSteps;

/// Symbolic extents count as 1000, and a loop whose turns depend on data as `kUnknownTurns`.
Cost cost_of(const nest::NestList& nests);

/// Whether the ops as they stand, before rewrites and fusion, surely do no more than this: a bound
/// that costs less than running a small program does. Bodies of elements count with their op.
bool is_small(mlir::func::FuncOp function, double flops, double bytes);

} // namespace kolam::driver
