/// States of a loop that take over what other states were.
#pragma once

#include <cstddef>
#include <vector>

namespace kolam::nest {

/// States in the order in which what they were moves on: each but the first becomes what the one
/// before it was. The first becomes what the last was where `is_closed`, else something computed.
struct Rotation {
  std::vector<size_t> states;
  bool is_closed = false;
};

/// The rotations of a loop whose state i becomes what state `sources[i]` was, or, where that is
/// negative, something else. They hold each state once.
///
///     x, before = f(x, before), x        sources -1 0: one rotation, 0 1
///
/// What several states become moves to one of them: to the state itself, else to the first. The
/// others are computed, by copies.
std::vector<Rotation> rotations_of(std::vector<int> sources);

} // namespace kolam::nest
