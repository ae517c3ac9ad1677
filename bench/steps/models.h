/// The models whose single steps are measured.
#pragma once

#include "kolam/kolam.h"

#include <functional>
#include <string>
#include <vector>

namespace kolam::bench {

/// Somebody who runs a step.
struct StepPeer {
  std::string name;
  std::function<void()> call;
};

/// A step: the bytes of weights and states that it reads, and who runs it.
struct StepCase {
  std::string name;
  int64_t bytes;
  std::vector<StepPeer> runners;
};

/// Made when it is measured.
struct StepEntry {
  std::string name;
  std::function<StepCase()> make;
};
std::vector<StepEntry> step_entries();

} // namespace kolam::bench
