/// Runs a schedule as it stands, loop by loop and stage by stage, without making code.
#pragma once

#include "kolam/interp/evaluation.h"
#include "kolam/nest/nest.h"
#include "kolam/nest/schedule.h"
#include "kolam/runtime/array.h"

#include <map>
#include <span>

namespace kolam::backend::schedule {

using runtime::Array;

/// What became of a run.
struct ScheduleRun {
  /// The nest's results: elements have the values that the interpreter gives them, where the
  /// schedule has computed them, and stay 0 elsewhere.
  std::vector<Array> results;
  /// What went wrong, at most a few of each kind: an element that is read before it is computed or
  /// kept, computed twice or never, by two threads, or outside its array.
  std::vector<std::string> faults;
  /// By the op's name: how many elements were computed.
  std::map<std::string, int64_t> evaluations;
};

/// Runs the nest on its inputs, its symbols as in `sizes`. Each parallel loop is cut into `threads`
/// parts, the last first. Nothing of the schedule is checked before; where lowering would write
/// outside, this says so.
ScheduleRun run_schedule(const nest::Schedule& schedule, const nest::Nest& nest,
                         const std::map<std::string, int64_t>& sizes, std::span<const Array> inputs,
                         int threads, const interp::Options& options = {});

/// Of a nest that is a check: the lowest row-major index at which its condition is false.
std::optional<int64_t> first_failure(const nest::Nest& nest,
                                     const std::map<std::string, int64_t>& sizes,
                                     std::span<const Array> inputs,
                                     const interp::Options& options = {});

/// The same without values: what is computed where, by whom and how often.
ScheduleRun run_schedule(const nest::Schedule& schedule, const nest::Nest& nest,
                         const std::map<std::string, int64_t>& sizes, int threads);

} // namespace kolam::backend::schedule
