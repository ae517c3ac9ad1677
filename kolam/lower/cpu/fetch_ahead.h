/// Fetching windows at places that data gives into the caches before they are met.
#pragma once

#include "kolam/lower/cpu/emission.h"
#include "kolam/lower/window.h"

namespace kolam::lower::cpu {

/// Whether windows lie far apart in memory that the caches do not hold, and their places are
/// cheap to compute: then the processor waits for each, which fetching ahead hides.
bool are_fetched_ahead(const FarWindows& windows, Emission& emission);

/// Asks the caches for the window of a later batch, for elements [first, last) of those that follow
/// one another in it; of many for the first lines. Batches behind the last one stand for the last.
/// `beside`, a tensor of [batches..., window...] in memory, or null, is fetched with it.
void emit_fetch_ahead(const FarWindows& windows, IndexSpan batch, Value first, Value last,
                      Value beside, Emission& emission);

/// How many elements of a window follow one another in memory.
Extent cells_in_a_row(const FarWindows& windows);

} // namespace kolam::lower::cpu
