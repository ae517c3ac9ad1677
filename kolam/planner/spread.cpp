// Chooses who sends.
#include "kolam/planner/spread.h"

#include <algorithm>

namespace kolam::planner {
namespace {

/// Assumed: a send to another group takes as long as so many inside of one.
constexpr double kFar = 8;

} // namespace

int64_t Spread::sender(int64_t tensor, const space::Box& box, int64_t home, int64_t to) {
  Tree& tree = trees_[{tensor, box.start(), box.end()}];
  if (tree.free.empty())
    add(tree, home, 0);
  const auto near = tree.of_group.find(to / group_);
  const bool is_near = group_ > 1 && near != tree.of_group.end();
  const int64_t from =
      is_near ? *std::ranges::min_element(near->second, {},
                                          [&](int64_t worker) { return tree.free[worker]; })
              : first_free(tree);
  const double end = tree.free[from] + (group_ > 1 && !is_near ? kFar : 1);
  tree.free[from] = end;
  tree.all.push({end, from});
  add(tree, to, end);
  return from;
}

void Spread::add(Tree& tree, int64_t worker, double free) const {
  tree.free[worker] = free;
  tree.all.push({free, worker});
  if (group_ > 1)
    tree.of_group[worker / group_].push_back(worker);
}

int64_t Spread::first_free(Tree& tree) const {
  while (tree.free[tree.all.top().worker] != tree.all.top().free)
    tree.all.pop();
  return tree.all.top().worker;
}

} // namespace kolam::planner
