/// What a program costs, estimated from its nest list.
#pragma once

#include "kolam/ir/pointwise.h"
#include "kolam/nest/nest.h"

#include <optional>
#include <string>
#include <vector>

namespace kolam::driver {

/// Flops are arithmetic operations, of any dtype; moving elements is none. Bytes are those that a
/// step reads from buffers and writes to them, each once.
struct StepCost {
  std::string name;                ///< "nest3", "copy", "append", "sort", "top_k" or "call f"
  mlir::Operation* root = nullptr; ///< of a nest
  double flops = 0, bytes = 0;     ///< of one execution
  double times = 1;                ///< by the turns of the loops around it
  int number = -1;                 ///< of the step (number_steps)
  int nest = -1;                   ///< that it runs
  bool is_in_place = false;        ///< it changes a part of an operand, as far as the program knows
};

/// Flops and bytes of a run: the steps times their turns, and of a branch the dearest side.
struct Cost {
  double flops = 0, bytes = 0, arena_bytes = 0;
  std::vector<StepCost> steps;       ///< in the order of the nest list, all sides of branches
  std::vector<StepCost> preparation; ///< the steps of what is computed once; not part of the sums
};

/// Turns of a loop whose end only the run knows.
inline constexpr double kUnknownTurns = ir::kUnknownSteps;

/// Symbolic extents count as 1000, and a loop whose turns depend on data as `kUnknownTurns`.
Cost cost_of(const nest::NestList& nests, const Machine& machine);

/// Of one execution of a nest. An element counts as often as the nest computes it
/// (nest/evaluations.h), and of an input the part that is read.
StepCost cost_of(const nest::Nest& nest, const Machine& machine);

/// The cost of a nest that changes a part of an operand in place and leaves the other elements,
/// made of that of one that copies the operand.
StepCost in_place(StepCost cost, const nest::Nest& nest);

/// The operations of the ops as they stand, before rewrites and fusion, where they surely do and
/// move no more than this: a bound that costs less than running a small program does. Bodies of
/// elements count with their op, elements that are moved alone as half an operation each.
std::optional<double> small_flops(mlir::func::FuncOp function, double flops, double bytes);

} // namespace kolam::driver
