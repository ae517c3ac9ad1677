/// Why no data dimension satisfies all operations: the fewest that already contradict one another.
#pragma once

#include "kolam/analysis/data_dim/problem.h"

namespace kolam::analysis {

/// What can only be taken away as a whole: the ops of one call of the user, or a pin.
struct ConflictMember {
  std::vector<int> ops; ///< numbers in the problem
};

/// Ops of one call of the user's, as of a composite function, or those of all calls on a line.
enum class MemberKind : uint8_t { calls, lines };

/// Members of a strict problem, in program order: each pin alone, ops that belong together, and
/// those of which that is not known each by itself.
std::vector<ConflictMember> conflict_members(const DataDimProblem& problem,
                                             MemberKind kind = MemberKind::calls);

/// The numbers of members that contradict one another, and no longer do without any one of them;
/// none where the problem has a solution.
///
/// A solver of clauses (CaDiCaL), with an assumption for each member, gives a core; taking members
/// away one by one makes it minimal. In which order decides which of several is found: the smallest
/// of those that 32 fixed orders find is taken, the first of equal ones.
std::vector<int> conflict_core(const DataDimProblem& problem,
                               const std::vector<ConflictMember>& members);

struct Conflict {
  std::vector<ConflictMember> members;
  std::vector<int> core; ///< numbers of members
};

/// A core whose members are calls. In a large program lines are found first, then calls among them;
/// where that are many calls, as of a long loop, the members stay lines.
Conflict find_conflict(const DataDimProblem& problem);

} // namespace kolam::analysis
