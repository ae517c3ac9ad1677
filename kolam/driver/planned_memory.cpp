// Asks the plan of buffers.
#include "kolam/driver/planned_memory.h"

#include "kolam/analysis/cost.h"
#include "kolam/driver/explain.h"
#include "kolam/driver/spine.h"
#include "kolam/ir/location.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/support/short_location.h"

#include <algorithm>

namespace kolam::driver {

PlannedMemory planned_memory(const Module& program, const Options& options,
                             const std::map<std::string, int64_t>& sizes) {
  constexpr size_t kShown = 3; // text: what is held is few large values
  Road road = travel(program.clone(), options, kNests);
  Extent bytes = road.nests.program.arena_bytes;
  for (const BufferPlan& buffer : road.nests.program.buffers)
    if (buffer.is_late && buffer.same_as < 0)
      bytes = bytes + element_count(buffer.shape) * Extent(byte_width(buffer.dtype));
  PlannedMemory planned{analysis::rough_value(bytes, sizes), bytes, {}};
  std::map<int, mlir::Operation*> writers; // by buffer
  for_each_step(road.nests.program.steps, [&](const Step& step) {
    const auto* run = std::get_if<NestStep>(&step.what);
    for (size_t output = 0; run && output < road.nests.nests[run->nest].outputs.size(); ++output)
      writers.emplace(run->buffers[output], road.nests.nests[run->nest].root);
  });
  std::vector<std::pair<double, int>> buffers;
  for (auto [number, buffer] : llvm::enumerate(road.nests.program.buffers))
    if (buffer.place == Place::arena && buffer.same_as < 0)
      buffers.emplace_back(analysis::rough_value(element_count(buffer.shape), sizes) *
                               byte_width(buffer.dtype),
                           static_cast<int>(number));
  std::sort(buffers.begin(), buffers.end(), [](const auto& x, const auto& y) {
    return std::pair(-x.first, x.second) < std::pair(-y.first, y.second);
  });
  for (auto [bytes, number] : llvm::ArrayRef(buffers).take_front(kShown)) {
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
