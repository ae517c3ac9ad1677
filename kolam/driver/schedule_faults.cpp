// Runs the schedule of every nest.
#include "kolam/driver/schedule_faults.h"

#include "kolam/driver/schedules.h"
#include "kolam/driver/spine.h"
#include "kolam/ir/ops.h"
#include "kolam/nest/schedule_check.h"
#include "kolam/runtime/long_work.h"
#include "kolam/support/error.h"

namespace kolam::driver {
namespace {

std::map<std::string, int64_t> sizes_of(const nest::Nest& nest,
                                        const std::map<std::string, int64_t>& given) {
  std::map<std::string, int64_t> sizes;
  for (const std::string& symbol : nest.symbols) {
    auto found = given.find(symbol);
    sizes[symbol] = found == given.end() ? 3 : found->second;
  }
  return sizes;
}

} // namespace

ScheduleFaults schedule_faults(const Module& program, const Options& options,
                               const std::map<std::string, int64_t>& sizes, int threads) {
  Road road = travel(program.clone(), options, kNests);
  ScheduleFaults result;
  for (const nest::Nest& nest : road.nests.nests) {
    runtime::stop_if_cancelled();
    nest::Schedule schedule = schedule_of(nest::isolate(nest), options);
    for (const nest::ScheduleIssue& issue :
         nest::check_schedule(schedule, nest, options.backend->machine()))
      result.faults.push_back(nest.name + ": " + issue.where + ": " + issue.reason);
    auto faults =
        backend::checking_backend()->check(nest, schedule, sizes_of(nest, sizes), threads);
    ++(faults ? result.run : result.left_out);
    if (faults)
      for (const std::string& fault : *faults)
        result.faults.push_back(nest.name + ": " + fault);
  }
  return result;
}

} // namespace kolam::driver
