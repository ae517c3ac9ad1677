/// What dims are called: names that pins give travel to all dims that are the same.
#pragma once

#include "kolam/analysis/data_dim/problem.h"

namespace kolam::analysis {

/// Sets the names of the problem's values, and `two_names` where two that were given meet.
///
/// Names go forwards through all ops, then both ways until nothing changes. Of a run of dims that
/// is one dim elsewhere the names are joined: [heads 8, dim 64] is [(heads*dim) 512], and where
/// that is taken apart again so are the names. A name that was given to such a dim itself stands in
/// place of the joined one. Dims of extent 1 in such a run have none.
void name_dims(DataDimProblem& problem);

} // namespace kolam::analysis
