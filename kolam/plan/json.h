/// Plans as JSON documents.
#pragma once

#include <string>
#include <string_view>

#include "kolam/plan/plan.h"

namespace kolam::plans {

/// The version of the form of documents; a reader takes its own only.
inline constexpr int64_t kFormat = 1;

/// All of a plan as one JSON object, a line for each tensor, stage, piece and family. A number of a
/// family, first + steps . p, is the list [first, steps...]. Refuses symbolic extents and text that
/// is no UTF-8 with `[bad-plan]`.
std::string to_json(const Plan& plan);

/// The plan that `to_json` wrote. Every key must be there and no other. Refuses all else with
/// `[bad-plan]`, which names the place in the document:
///
///     tasks[3].reads[0].extent: expected a list, but got 4
///
/// What the numbers mean is not looked at: plan/check.h does.
Plan plan_from_json(std::string_view text);

} // namespace kolam::plans
