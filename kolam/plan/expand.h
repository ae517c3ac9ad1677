/// A plan's tasks and transfers one by one, in the order of their positions.
#pragma once

#include "kolam/plan/plan.h"

namespace kolam::plans {

/// A task or a transfer of a plan.
struct Event {
  int64_t position = 0;
  int64_t worker = 0; ///< where it runs; of a transfer, where it arrives
  bool is_move = false;
  int64_t from = 0;               ///< of a transfer: where it leaves
  int64_t family = 0;             ///< its number in Plan::tasks, or in Plan::moves
  Box index;                      ///< of a task
  std::vector<Box> reads, writes; ///< of a transfer one and the same box
  Point offsets;
  friend bool operator==(const Event&, const Event&) = default;
};

/// Why a plan has too many tasks and transfers to hold one by one: more than 2^24 of them, or boxes
/// with more than 2^28 ranges. Empty where it has not.
std::string too_large(const Plan& plan);

/// All of them, by position; of equal positions, the tasks first. Needs what plan/structure.h says
/// of a plan. Refuses what is `too_large` with `[plan-too-large]`.
std::vector<Event> expand(const Plan& plan);

/// The families of tasks, or of transfers, that a list of single ones is: neighbours in the list
/// with the same piece and extents, whose numbers go in equal steps, become one family, and such
/// families again. `expand` of the outcome is `expand` of the list.
std::vector<Family> folded(const std::vector<Family>& tasks);
std::vector<Moves> folded(const std::vector<Moves>& moves);

} // namespace kolam::plans
