/// What a plan costs, as the planner predicts it.
#pragma once

#include "kolam/plan/machine.h"
#include "kolam/plan/plan.h"

namespace kolam::planner {

/// `time`: seconds, stage after stage, each as long as its slowest worker computes and receives;
/// `work`: seconds of all tasks; `bytes_in`: into the worker that receives most; `peak_memory`:
/// bytes of the worker that holds most, in the order of positions; `workers`: those that compute.
/// `wasted` stays as it is: only who makes the pieces knows it.
std::map<std::string, double> predicted_cost(const plans::Plan& plan,
                                             const plans::Machine& machine);

} // namespace kolam::planner
