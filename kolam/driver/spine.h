/// The spine: every stage from a traced program to machine code, in order.
#pragma once

#include "kolam/driver/compile.h"
#include "kolam/nest/nest.h"

#include <map>
#include <optional>
#include <set>

namespace kolam::driver {

/// What a road can stop after, by the number of the stage in `stage_names`; those of the backend
/// come behind kNests.
using Stage = size_t;
inline constexpr Stage kProgram = 0, kTensors = 1, kRewritten = 2, kNests = 3;
/// The last: it has no text.
inline constexpr Stage kLoaded = SIZE_MAX;

/// What decides the code of a nest, as keys of what is kept on disk.
struct NestOrigin {
  ContentKey code;         ///< nest_key (nest_cache.h)
  ContentKey measurements; ///< measurements_key (schedules.h)
  ContentKey measured;     ///< the stamp of these when the schedule was chosen
};

/// What the stages have made of a program.
struct Road {
  Module program; ///< as of the last stage; `nests` points into it
  nest::NestList nests;
  std::vector<std::shared_ptr<const backend::LoadedNest>> loaded; ///< by nest
  std::vector<NestOrigin> origins = {};                           ///< by nest
  std::map<Stage, std::string> texts = {};                        ///< of the stages shown
  /// The program before its lists became tensors, where it has any and is to be run.
  std::optional<Module> on_lists = {};
  /// What the stages have taken, in seconds.
  std::map<std::string, double> seconds = {};
  /// What was decided before nests, and why: in which order scans and maps of lists run, how loops
  /// that count do.
  std::vector<std::string> notes = {};
};

/// Runs every stage up to `last` on the program, and writes down what those of `shown` made.
/// Those of the backend are of one nest after another.
Road travel(Module program, const Options& options, Stage last, const std::set<Stage>& shown = {});

/// The first of these steps, in place: leaves of a traced program what code is made of, its kernels
/// as values, its lists as they are. Says in which order kernels run, and why.
std::vector<std::string> leave_what_runs(mlir::ModuleOp program);

} // namespace kolam::driver
