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

std::string text_after_slug(const std::vector<Issue>& issues) {
  std::string text = issues[0].subject + ": " + issues[0].message;
  if (issues.size() > 1)
    text += "\n" + to_string({issues.begin() + 1, issues.end()});
  return text;
}

void fail_on(const std::vector<Issue>& issues) {
  if (!issues.empty())
    fail(ErrorKind::value, issues[0].slug, text_after_slug(issues));
}

} // namespace kolam::space
