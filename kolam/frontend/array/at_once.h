/// Programs of functions that nobody asked to compile: calls of array functions and of functions
/// that transformations made, outside a trace.
#pragma once

#include "kolam/frontend/array/program.h"

#include <optional>
#include <vector>

namespace kolam::detail {

/// Says that a program which has not run yet is of such calls. Its code is that of an earlier
/// program of equal text. The first calls of a small one are interpreted, as that costs less than
/// compiling; the bits are the same.
void expect_single_calls(const Program& program);
/// Says that many calls run such a program, which costs less to interpret than to trace again: it
/// is compiled later.
void expect_repeated_calls(const Program& program);

/// A program that an array function ran outside of a trace. Memory says which arrays it took and
/// gave; it may be gone.
struct RunAtOnce {
  Program program;
  std::vector<const void*> arguments, results;
};

/// Notes what this thread runs at once while it lives.
class RunsAtOnce {
public:
  RunsAtOnce();
  ~RunsAtOnce();
  RunsAtOnce(const RunsAtOnce&) = delete;
  RunsAtOnce& operator=(const RunsAtOnce&) = delete;
  /// The only run; null where there was none or where there were several.
  const RunAtOnce* only() const { return count_ == 1 ? &*last_ : nullptr; }

  static void note(RunAtOnce run);

private:
  int count_ = 0;
  std::optional<RunAtOnce> last_;
  RunsAtOnce* const around_;
  static thread_local RunsAtOnce* innermost_;
};

} // namespace kolam::detail
