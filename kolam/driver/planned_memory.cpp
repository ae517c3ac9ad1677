// Asks the plan of buffers.
#include "kolam/driver/planned_memory.h"

#include "kolam/driver/cost.h"
#include "kolam/driver/explain.h"
#include "kolam/driver/spine.h"
#include "kolam/ir/location.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/support/short_location.h"

#include <algorithm>

namespace kolam::driver {

PlannedMemory planned_memory(const Module& program, const Options& options) {
  constexpr size_t kShown = 3; // text: what is held is few large values
  Road road = travel(program.clone(), options, kNests);
  PlannedMemory planned{cost_of(road.nests, options.backend->machine()).arena_bytes, {}};
  std::map<int, mlir::Operation*> writers; // by buffer
  for_each_step(road.nests.program.steps, [&](const Step& step) {
    const auto* run = std::get_if<NestStep>(&step.what);
    for (size_t output = 0; run && output < road.nests.nests[run->nest].outputs.size(); ++output)
      writers.emplace(run->buffers[output], road.nests.nests[run->nest].root);
  });
  std::vector<std::pair<double, int>> sizes;
  for (auto [number, buffer] : llvm::enumerate(road.nests.program.buffers))
    if (buffer.place == Place::arena && buffer.same_as < 0)
      sizes.emplace_back(ir::rough_count(buffer.shape) * byte_width(buffer.dtype),
                         static_cast<int>(number));
  std::sort(sizes.begin(), sizes.end(), [](const auto& x, const auto& y) {
    return std::pair(-x.first, x.second) < std::pair(-y.first, y.second);
  });
  for (auto [bytes, number] : llvm::ArrayRef(sizes).take_front(kShown)) {
    const BufferPlan& buffer = road.nests.program.buffers[number];
    std::string text = std::string(name(buffer.dtype)) + to_string(buffer.shape);
    if (auto writer = writers.find(number); writer != writers.end())
      text += " of " + label_of(writer->second) + " (" +
              short_location(ir::to_source_location(writer->second->getLoc())) + ")";
    planned.largest.push_back(text);
  }
  return planned;
}

} // namespace kolam::driver
