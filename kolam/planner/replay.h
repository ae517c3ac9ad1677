/// Whether a plan is one of a program.
#pragma once

#include "kolam/planner/tasks.h"
#include "kolam/space/issue.h"

namespace kolam::planner {

/// The number of an op in the program's text, which the trace of a plan holds.
std::string number_of(mlir::Operation* op);

/// Makes the plan again from what its trace says (by which choices the program was rewritten, which
/// ops are kept) and its tasks (their index boxes and workers), and says what differs: stages,
/// pieces, tasks, transfers. None where the plan computes that program.
std::vector<space::Issue> replay(mlir::func::FuncOp main, const plans::Plan& plan);

} // namespace kolam::planner
