// Prints issues and turns them into an Error.
#include "kolam/space/issue.h"

#include "kolam/support/error.h"

namespace kolam::space {

std::string to_string(const std::vector<Issue>& issues) {
  std::string text;
  for (const Issue& issue : issues)
    text += (text.empty() ? "" : "\n") + issue.subject + ": [" + issue.slug + "] " + issue.message;
  return text;
}

void fail_on(const std::vector<Issue>& issues) {
  if (!issues.empty())
    fail(ErrorKind::value, issues[0].slug, to_string(issues));
}

} // namespace kolam::space
