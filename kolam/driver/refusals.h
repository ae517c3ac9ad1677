/// What a program's nests were refused, by reason: a summary for people.
#pragma once

#include "kolam/nest/nest.h"

#include <map>
#include <string>
#include <vector>

namespace kolam::driver {

/// What was refused, and why, with the lines of the ops.
class Refusals {
public:
  /// That two neighbours share a nest.
  void add_decisions(const std::vector<nest::Decision>& decisions);
  /// That a nest's elements go by vectors: why they do not, where that is so, and what its code
  /// does element by element.
  void add_walk(const nest::Nest& nest, const std::string& why_one_lane,
                const std::vector<std::string>& fallbacks);
  /// That threads share the nests of a program.
  void add_threads(const nest::NestList& nests);

  /// A line for each reason, those met most often first; empty where nothing was refused.
  ///
  ///     refused, by reason:
  ///       2 times not fused: it is a result (model.py:12, model.py:15)
  std::string to_string() const;

private:
  struct Group {
    std::string shown; ///< with numbers where all have the same
    int count = 0;
    std::vector<std::string> lines; ///< distinct
  };
  void add(const std::string& what, const std::string& reason, mlir::Operation* op);

  std::map<std::string, Group> groups_; ///< by the text without its numbers
};

} // namespace kolam::driver
