// Runs the schedule of every nest.
#include "kolam/driver/schedule_faults.h"

#include "kolam/backend/schedule/run.h"
#include "kolam/driver/schedules.h"
#include "kolam/driver/spine.h"
#include "kolam/ir/ops.h"
#include "kolam/nest/schedule_check.h"
#include "kolam/runtime/long_work.h"
#include "kolam/support/error.h"

namespace kolam::driver {
namespace {

/// Elements of all ops of a nest that is run.
constexpr int64_t kMostElements = 50'000;

std::map<std::string, int64_t> sizes_of(const nest::Nest& nest,
                                        const std::map<std::string, int64_t>& given) {
  std::map<std::string, int64_t> sizes;
  for (const std::string& symbol : nest.symbols) {
    auto found = given.find(symbol);
    sizes[symbol] = found == given.end() ? 3 : found->second;
  }
  return sizes;
}

/// Points of the signatures: what a run goes through.
double points_of(const nest::Nest& nest, const std::map<std::string, int64_t>& sizes) {
  double points = 0;
  auto add = [&](mlir::Operation* op) {
    double own = 1;
    for (const space::IndexDim& dim : llvm::cast<ir::SignedOp>(op).signature().dims)
      own *= static_cast<double>(dim.extent.evaluate(sizes));
    points += own;
  };
  add(nest.root);
  llvm::for_each(nest.fused, add);
  return points;
}

/// Nullopt where the nest cannot be run.
std::optional<backend::schedule::ScheduleRun> try_run(const nest::Schedule& schedule,
                                                      const nest::Nest& nest,
                                                      const std::map<std::string, int64_t>& given,
                                                      int threads) {
  if (nest.packs)
    return std::nullopt; // what it makes is no value of the program
  try {
    std::map<std::string, int64_t> sizes = sizes_of(nest, given);
    if (points_of(nest, sizes) > kMostElements)
      return std::nullopt;
    return backend::schedule::run_schedule(schedule, nest, sizes, threads);
  } catch (const Error&) { // its extents do not go together with sizes of 3
    return std::nullopt;
  }
}

} // namespace

ScheduleFaults schedule_faults(const Module& program, const Options& options,
                               const std::map<std::string, int64_t>& sizes, int threads) {
  Road road = travel(program.clone(), options, Stage::nests);
  ScheduleFaults result;
  for (const nest::Nest& nest : road.nests.nests) {
    runtime::stop_if_cancelled();
    nest::Schedule schedule = schedule_of(nest::isolate(nest), options);
    for (const nest::ScheduleIssue& issue :
         nest::check_schedule(schedule, nest, options.target.machine))
      result.faults.push_back(nest.name + ": " + issue.where + ": " + issue.reason);
    auto run = try_run(schedule, nest, sizes, threads);
    ++(run ? result.run : result.left_out);
    if (run)
      for (const std::string& fault : run->faults)
        result.faults.push_back(nest.name + ": " + fault);
  }
  return result;
}

} // namespace kolam::driver
