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
namespace {

/// The ops that write buffers, by buffer.
void note_writers(const Steps& steps, const nest::NestList& nests,
                  std::map<int, mlir::Operation*>& writers) {
  for (const Step& step : steps) {
    if (const auto* nest = std::get_if<NestStep>(&step.what)) {
      const nest::Nest& of = nests.nests[nest->nest];
      for (size_t output = 0; output < of.outputs.size(); ++output)
        writers.emplace(nest->buffers[output], of.root);
    } else if (const auto* loop = std::get_if<LoopStep>(&step.what)) {
      note_writers(loop->body, nests, writers);
    } else if (const auto* loop = std::get_if<WhileStep>(&step.what)) {
      note_writers(loop->condition, nests, writers);
      note_writers(loop->body, nests, writers);
    } else if (const auto* branch = std::get_if<BranchStep>(&step.what)) {
      for (const Steps& side : branch->branches)
        note_writers(side, nests, writers);
    }
  }
}

} // namespace

PlannedMemory planned_memory(const Module& program, const Options& options) {
  constexpr size_t kShown = 3; // text: what is held is few large values
  Road road = travel(program.clone(), options, kNests);
  PlannedMemory planned{cost_of(road.nests, options.backend->machine()).arena_bytes, {}};
  std::map<int, mlir::Operation*> writers;
  note_writers(road.nests.program.steps, road.nests, writers);
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
