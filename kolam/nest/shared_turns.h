/// Which loops threads may share, and what each thread then needs memory of its own for.
#pragma once

#include "kolam/nest/buffers.h"
#include "kolam/nest/nest.h"

#include <vector>

namespace kolam::nest {

/// A loop whose turns are independent (ir/independent.h), as steps know it.
struct IndependentLoop {
  std::vector<int> states; ///< their buffers
  LoopRange times;
};

/// Marks a loop as shared and names the buffers that are each thread's own, where
///  - its body changes states in place only, in nests, which may read them, and exchanges none,
///  - all else that it writes lies in the arena and is not used around the loop,
///  - and it calls no function of the host.
/// Buffers must have found what memory they share, and steps what they bind.
void share_turns(LoopStep& loop, const IndependentLoop& independent, const NestList& list,
                 const std::vector<Lifetime>& lifetimes);

} // namespace kolam::nest
