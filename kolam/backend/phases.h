/// What making code has taken.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kolam::backend {

using Phases = std::vector<std::pair<std::string, double>>; ///< seconds by name, in order

/// An unfinished nest (backend.h) that holds a clock.
class HasPhases {
public:
  virtual ~HasPhases() = default;
  /// What it has taken until now, by phase.
  virtual Phases phases() const = 0;
};

} // namespace kolam::backend
