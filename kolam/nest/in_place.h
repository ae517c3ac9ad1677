/// Which buffers share memory, so that a step that changes a part of one copies nothing.
#pragma once

#include "kolam/analysis/access.h"
#include "kolam/nest/buffers.h"
#include "kolam/nest/nest.h"
#include "kolam/nest/relation.h"

#include "llvm/ADT/DenseSet.h"

#include <map>
#include <set>

namespace kolam::nest {

/// The step at `time` may write `to` in the memory of `from`: a copy, or a nest that reads an
/// element of `from` only to write the same element of `to`.
struct Handover {
  int from, to;
  int64_t time;
};

/// When buffers are used, by number.
struct Uses {
  std::vector<Lifetime>& lifetimes;
  std::vector<std::vector<int64_t>> times; ///< of steps, but for the exchanges of loops
  std::map<int, int64_t> exchanged_at;     ///< those whose memory a loop exchanges
  std::vector<BranchRange> branches = {};
  std::set<int> wholes = {}; ///< in whose memory parts lie
};

/// Gives buffers of equal dtype and shape one memory (BufferPlan::same_as) along handovers behind
/// which the first is not read and before which the second is not used; nothing else would keep an
/// element that is needed. Of the parts of a branch each may hand a buffer over, and to one: what
/// another part does is neither before nor behind. Memory that a loop exchanges is shared only with
/// the partner, through all steps of a turn; what such a turn alone uses and hands over to the next
/// state is given by number, with the number of that: in steps it is the next state. So is a next
/// state that several states pass on (nest/rotations.h) and that may lie in the last of them, whose
/// pairs of `exchanged` then have that in its place. The lifetime of what others share covers
/// theirs.
std::map<int, int> share_memory(std::vector<BufferPlan>& buffers, Uses uses,
                                const std::vector<LoopRange>& loops,
                                std::vector<std::pair<int, int>>& exchanged,
                                const std::vector<Handover>& handovers);

/// Puts other buffers in the place of some.
void rename_buffers(const std::map<int, int>& renamed, Steps& steps);

/// Takes out copies and exchanges between buffers that share memory.
void drop_idle_moves(const std::vector<BufferPlan>& buffers, Steps& steps);

/// The buffer in whose memory a buffer lies: its own, where it shares none.
int memory_of(const std::vector<BufferPlan>& buffers, int buffer);

/// The values that a nest reads at other elements than that whose result is being computed.
llvm::DenseSet<mlir::Value> read_elsewhere(const NestRelation& relation);

/// The input whose memory result `number` of a scatter or dynamic_update_slice may take over: the
/// operand that it changes, where the nest reads that from memory and nowhere else. Null for none.
mlir::Value changed_input(const Nest& nest, unsigned number);

} // namespace kolam::nest
