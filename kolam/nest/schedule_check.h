/// Whether a schedule computes its nest, and lowering can follow it.
#pragma once

#include "kolam/nest/nest.h"
#include "kolam/nest/schedule.h"
#include "kolam/support/machine.h"

namespace kolam::nest {

/// What is wrong with a schedule.
struct ScheduleIssue {
  std::string where; ///< the loop, stage or store
  std::string reason;
};

/// Every rule that the schedule breaks:
///
/// - it names the nest's ops and dims; joined dims lie one after the other in everything read;
/// - each element of the root is computed once: loops cover their dims, steps fit into the block
///   around them, what is behind the last whole step is peeled, masked, or not there;
/// - one loop is parallel, the outermost, over the dim along which the nest may be shared;
/// - what a stage reads of other stages is computed before, and stored at a loop around both;
/// - reductions are not cut, and their elements go by the lanes that their order says;
/// - unrolled code, tiles and stored rows fit into the machine.
std::vector<ScheduleIssue> check_schedule(const Schedule& schedule, const Nest& nest,
                                          const Machine& machine);

/// Of a stage, which ops it computes on the way: those that it needs and that are not `available`.
std::vector<ScheduleIssue> check_with(const ScheduleStage& stage, const Schedule& schedule,
                                      const Nest& nest, llvm::ArrayRef<int> available);
/// Bound: bytes that stores keep at once; they lie on the stack.
inline constexpr int64_t kMostStored = int64_t{256} << 10;

/// Throws `[bad-schedule]` with the nest's name, the place and the reason of the first issue.
void require_schedule(const Schedule& schedule, const Nest& nest, const Machine& machine);

} // namespace kolam::nest
