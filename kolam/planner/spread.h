/// Who sends a box that several workers want: whoever has it and is free first.
#pragma once

#include "kolam/space/box.h"

#include <map>
#include <queue>
#include <tuple>
#include <vector>

namespace kolam::planner {

/// Trees of transfers: a worker that has received a box passes it on, so that n workers have it
/// after about log n sends, one after the other. Workers of a group, neighbours in their numbers,
/// reach one another by quicker links: a box comes to a group once and is passed on there.
class Spread {
public:
  /// Groups of so many workers; 1: none are nearer than others.
  explicit Spread(int64_t group) : group_(group) {}

  /// Who sends `box` of a tensor to `to`; `home` has made it.
  int64_t sender(int64_t tensor, const space::Box& box, int64_t home, int64_t to);
  /// From now on only homes have boxes: what others received may be gone.
  void forget() { trees_.clear(); }

private:
  /// A worker that has a box, and when it may send it next.
  struct Holder {
    double free;
    int64_t worker;
    bool operator>(const Holder& other) const {
      return std::tie(free, worker) > std::tie(other.free, other.worker);
    }
  };
  struct Tree {
    std::map<int64_t, double> free;                                       ///< by worker
    std::priority_queue<Holder, std::vector<Holder>, std::greater<>> all; ///< some are out of date
    std::map<int64_t, std::vector<int64_t>> of_group;
  };
  void add(Tree& tree, int64_t worker, double free) const;
  int64_t first_free(Tree& tree) const;

  int64_t group_;
  std::map<std::tuple<int64_t, space::Point, space::Point>, Tree> trees_;
};

} // namespace kolam::planner
