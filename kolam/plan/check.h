/// The certificate of plans: that their tasks compute the program, each element once, from what is
/// there, in an order that exists and in the memory that there is.
#pragma once

#include "kolam/plan/plan.h"
#include "kolam/space/issue.h"

namespace kolam::plans {

/// Every break of a plan, at most the first hundred; none means that the plan is sound. Never
/// throws, whatever the plan holds. Where its structure is broken only that is told
/// (plan/structure.h). Else, with the slug of each:
///
///     plan-partition  the index boxes of a compute stage's tasks partition its index space; dims
///                     that are reduced or scanned stay whole
///     plan-region     each task reads what its index box touches (`space::landed` in its tensor),
///                     and writes just that
///     plan-coverage   each tensor is written completely and once, each term of a partial one too
///     plan-merge      merges take neighbouring terms of the same elements in order; each sum of
///                     terms is merged once, and the last merges take all terms
///     plan-order      positions are distinct; what is read there later comes too late
///     plan-transfer   what is read was made at its worker or moved there; transfers go from one
///                     worker to another, and someone reads what they bring
///     plan-memory     in the order of positions no worker holds more than `memory_per_worker`
///
/// A block is held from when it is made, or arrives, until its last reader there or the transfer
/// that takes it away (plan/blocks.h); one of a result, with `keeps_results`, where it was made
/// until the end. The
/// sides of a transfer hold it both. A block with many terms has the bytes of one.
///
/// Not checked: pieces' programs and their offsets, the trace, the predicted cost.
std::vector<space::Issue> check(const Plan& plan);

} // namespace kolam::plans
