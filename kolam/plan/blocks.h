/// The blocks of a plan: which tasks and transfers make them, who reads them, when they are freed.
#pragma once

#include "kolam/plan/expand.h"

namespace kolam::plans {

/// A box of a tensor that lies on a worker, from when it is made or arrives.
struct Block {
  int64_t tensor = 0, worker = 0;
  Box box;
  int64_t bytes = 0;
  int64_t made_by = 0; ///< the number of an event
  int64_t last_use =
      -1; ///< the last event that reads it there or moves it away; -1 where none does
  friend bool operator==(const Block&, const Block&) = default;
};

/// A read, of a task by its place or of a transfer, that earlier blocks do not cover.
struct MissingRead {
  int64_t event = 0;
  size_t read = 0;
  bool comes_later = false; ///< later blocks would cover it
};

/// Blocks in the order of the events that make them, and which of them each event reads.
struct BlockTable {
  std::vector<Block> blocks;
  std::vector<MissingRead> missing; ///< by event
  /// The blocks that event e reads: used[first_used[e]] and on, before first_used[e + 1].
  std::vector<size_t> first_used, used;
};

/// Follows who reads what on which worker. Of equal boxes there only the latest earlier one counts.
/// A read takes the latest that contains it, or where none does all that meet it; together they
/// must cover it. Of a partial tensor only blocks of the same terms count. Empty boxes are no
/// blocks and need none. Needs a plan without breaks of structure, and its events.
BlockTable find_blocks(const Plan& plan, const std::vector<Event>& events);

/// Whether a block's memory is kept until the plan ends: of a result where it was made, with
/// `keeps_results`. Others are freed after their last use, or when made where there is none.
bool stays(const Plan& plan, const std::vector<Event>& events, const Block& block);

/// The most bytes that a worker holds in the order of positions, and at which event first.
struct Peak {
  int64_t bytes = 0;
  int64_t event = -1;
};
/// Of each worker. An event holds what it reads and what it makes, the sides of a transfer both.
/// `[plan-overflow]` where the bytes leave 64 bits.
std::vector<Peak> peaks_in_order(const Plan& plan, const std::vector<Event>& events,
                                 const BlockTable& table);

/// How a message names an event: `task 'matmul' at position 7`.
std::string name_of(const Plan& plan, const Event& event);

} // namespace kolam::plans
