// Takes what states become apart into chains and rings.
#include "kolam/nest/rotations.h"

namespace kolam::nest {
namespace {

constexpr int kNone = -1;

/// By state: which one takes it over.
std::vector<int> takers_of(const std::vector<int>& sources) {
  std::vector<int> takers(sources.size(), kNone);
  for (int state = 0; state < static_cast<int>(sources.size()); ++state)
    if (const int source = sources[state];
        source >= 0 && (takers[source] == kNone || source == state))
      takers[source] = state;
  return takers;
}

} // namespace

std::vector<Rotation> rotations_of(std::vector<int> sources) {
  const std::vector<int> takers = takers_of(sources);
  std::vector<bool> is_taken(sources.size(), false);
  std::vector<Rotation> rotations;
  auto follow = [&](size_t first, bool is_closed) {
    Rotation& rotation = rotations.emplace_back(Rotation{{}, is_closed});
    for (size_t state = first; !is_taken[state]; state = takers[state]) {
      is_taken[state] = true;
      rotation.states.push_back(state);
      if (takers[state] == kNone)
        break;
    }
  };
  for (size_t state = 0; state < sources.size(); ++state)
    if (const int source = sources[state];
        source < 0 || takers[source] != static_cast<int>(state)) // computed, or a copy
      follow(state, false);
  for (size_t state = 0; state < sources.size(); ++state)
    if (!is_taken[state])
      follow(state, true);
  return rotations;
}

} // namespace kolam::nest
