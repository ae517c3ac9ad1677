/// Tuning: measures how the loop nests of a function are best cut into tiles on this machine.
#pragma once

#include "kolam/frontend/array/jit.h"

#include <utility>
#include <vector>

namespace kolam {

struct TuneOptions {
  double budget = 10; ///< seconds
};

/// Measures, for about `budget` seconds, schedules of the nests that a call of `f` with these
/// arguments runs, and keeps every figure, on disk where that is possible (docs/environment.md).
/// Calls of `f`, and later compiles of equal nests in any process on such a processor, then follow
/// the fastest; a further call measures what is left. No result changes by a bit.
///
///     kolam::tune(layer, {.budget = 5}, x, w, b);
///
/// The program runs many times, with its host functions. Throws what a call throws, and
/// `[bad-option]` for a budget that is no positive number and for functions that are interpreted.
template <class F, class... Parameters>
std::vector<TunedNest> tune(const Jitted<F, std::tuple<Parameters...>>& f, TuneOptions options,
                            std::type_identity_t<detail::Argument<Parameters>>... given,
                            std::source_location here = std::source_location::current()) {
  return f.tune(options.budget, given..., here);
}

} // namespace kolam
