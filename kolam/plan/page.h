/// Plans as pages.
#pragma once

#include "kolam/plan/plan.h"
#include "kolam/plan/simulate.h"

namespace kolam::plans {

/// A page of HTML that loads nothing: what the plan costs, its graph, when each worker does what,
/// and what each one holds. `simulated` has its timeline, `explained` is shown as it is. Throws the
/// breaks of the plan's structure.
std::string as_html(const Plan& plan, const Simulated& simulated, const std::string& explained);

} // namespace kolam::plans
