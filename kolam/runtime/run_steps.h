/// Runs compiled programs: walks the tree of steps, calling compiled nests.
#pragma once

#include "kolam/runtime/array.h"
#include "kolam/runtime/size_table.h"
#include "kolam/support/abi.h"

#include <map>
#include <span>
#include <vector>

namespace kolam::runtime {

/// What a run gives: the results, or where it stopped.
struct RunOutcome {
  std::vector<Array> results;
  abi::ErrorRecord error{};
  bool took_arguments = false; ///< the memory of some has become that of results
};

/// What a numbered step did in a run, all its executions together.
struct StepRecord {
  int64_t times = 0;
  double seconds = 0;
  double bytes = 0;          ///< that it read and wrote; not counted for a nest
  int nest = -1;             ///< that it ran
  std::vector<double> sizes; ///< of a nest: the values of each of its symbols, added up
};

/// Runs a program on `arguments` (memory that only they hold may become that of results), whose
/// dtypes and shapes the caller has checked and from which it has bound `sizes`. `nests` are
/// the compiled nests by number, `prepared` what buffers of that place hold. Throws
/// `[out-of-memory]` before anything runs where the planned memory is not there, and where a size
/// is bound for all memory that needs it, before any of that is written; an error inside a nest is
/// in the outcome. `cancel` (may be null) is polled between steps, turns of loops, and pieces of
/// long nests, about every 50 ms of work. Where `records` is not empty, it has one for each
/// numbered step, to which what the step does is added. Result i gets the memory of `outputs[i]`
/// where that array has its dtype and shape, unless its shape is known to the running program only;
/// nobody else may read or write that memory meanwhile.
RunOutcome run_steps(const LinkedSteps& steps, std::span<const abi::NestCode> nests,
                     std::span<const Array> constants, std::span<const Array> prepared,
                     std::span<const Array> arguments, const std::map<std::string, int64_t>& sizes,
                     const volatile int32_t* cancel, std::span<StepRecord> records = {},
                     std::span<const Array> outputs = {});

/// Whether each run of `program` takes less than about a millisecond, by a count of its operations:
/// never where a size is known only at the call, or where steps repeat or leave generated code.
bool is_short(const StepProgram& program);

} // namespace kolam::runtime
