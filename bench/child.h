/// Processes that measure something and are asked over pipes.
#pragma once

#include <cstdio>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace kolam::bench {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// A child that answers each line with a line. Invariant: both pipes are open while it lives.
class Child {
public:
  /// Starts a program with its arguments; `environment` is set beside what there is.
  explicit Child(std::vector<std::string> command, const Environment& environment = {});
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Closes its input and waits for its end.
  ~Child();

  /// The next line; empty where the child has ended.
  std::string read();
  /// The number that answers a line. Throws std::runtime_error where the child has ended.
  double seconds(const std::string& order);

private:
  std::string name_;
  pid_t process_;
  FILE* to_;
  FILE* from_;
};

} // namespace kolam::bench
