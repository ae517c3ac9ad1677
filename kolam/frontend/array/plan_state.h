/// What a Plan holds. Internal.
#pragma once

#include "kolam/frontend/array/plan.h"
#include "kolam/space/issue.h"

#include <mutex>

namespace kolam {

struct Plan::State {
  plans::Plan plan;
  std::vector<std::map<std::string, double>> front;
  std::vector<PlanAlternative> alternatives;
  std::vector<Array> hidden; ///< arrays that the function captured
  std::once_flag checked;
  std::vector<space::Issue> issues;
  std::mutex mutex; ///< guards what follows
  plans::RunReport last_run;

  static State& of(const Plan& plan) { return *plan.state_; }
};

} // namespace kolam
