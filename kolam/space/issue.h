/// Issues: what a validation found, all of it, as data.
#pragma once

#include <string>
#include <vector>

namespace kolam::space {

/// One broken rule. `subject` names the thing at fault ("dim 'i'", "operand 'x'", "piece 3").
struct Issue {
  std::string slug;
  std::string subject;
  std::string message;
  friend bool operator==(const Issue&, const Issue&) = default;
};

/// `operand 'x': [space-rank] expected rank 2, but got 1`, one line an issue.
std::string to_string(const std::vector<Issue>& issues);
/// Throws one Error with the first issue's slug and the text of all, if there are any.
void fail_on(const std::vector<Issue>& issues);

} // namespace kolam::space
