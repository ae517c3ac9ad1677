/// Programs that choices rewrote: what traces of plans say of them.
#pragma once

#include "kolam/plan/plan.h"
#include "kolam/rewrite/choice.h"

namespace kolam::planner {

/// How a trace holds a step: the row's name, the op's number and the parameters.
plans::Choice trace_of(const rewrite::Taken& taken);

/// Whether an entry of a trace says how a stage is cut, and not how the program was rewritten.
bool is_cut(const plans::Choice& entry);

/// Takes the steps of a trace again, in its order. Throws `[plan-choice]` where one does not apply.
void rewrite_as(mlir::func::FuncOp main, const std::vector<plans::Choice>& trace);

} // namespace kolam::planner
