/// Buffers: when each is alive, and where in the arena it lies.
#pragma once

#include "kolam/support/steps.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace kolam::nest {

/// A time is the number of a step in program order.
struct Lifetime {
  int64_t first = -1, last = -1; ///< inclusive; -1 while unused
};

/// Steps of a loop body: what is alive across its start stays alive to its end.
struct LoopRange {
  int64_t first, last;
};

/// Steps of a branch, of which those of one part run.
struct BranchRange {
  LoopRange whole;
  std::vector<LoopRange> parts;
};

/// Lengthens lifetimes: what is used across the start of a loop is kept to its end, and of two
/// `exchanged` buffers each lives as long as both.
void extend_lifetimes(std::vector<Lifetime>& lifetimes, const std::vector<LoopRange>& loops,
                      const std::vector<std::pair<int, int>>& exchanged);

/// Gives every arena buffer an offset, so that buffers alive at the same time do not overlap, and
/// returns the arena's size in bytes. Sizes known now share memory (first fit); sizes that only the
/// call knows follow one another. Buffers that lie in another's memory and late ones get none.
/// `exchanged` are pairs whose memory a loop swaps: each lives as long as both.
Extent assign_offsets(std::vector<BufferPlan>& buffers, std::vector<Lifetime> lifetimes,
                      const std::vector<LoopRange>& loops,
                      const std::vector<std::pair<int, int>>& exchanged);

/// Groups of those `late` buffers of the arena that are never alive at the same time, by lifetimes
/// that have been extended.
std::vector<std::vector<int>> group_late(const std::vector<BufferPlan>& buffers,
                                         const std::vector<int>& late,
                                         const std::vector<Lifetime>& extended);

/// Gives results the arguments whose memory they may take over: of the same dtype and shape, and
/// not used from the result's first use on. Where both are used by one step, `in_place` says
/// whether that step reads an element of the argument only to write the same element of the result.
/// `carried` are the numbers of arguments by those of results that take over theirs and no other.
void choose_donors(std::vector<BufferPlan>& buffers, std::vector<Lifetime> lifetimes,
                   const std::vector<LoopRange>& loops,
                   const std::set<std::pair<int, int>>& in_place,
                   const std::map<int, int>& carried = {});

} // namespace kolam::nest
