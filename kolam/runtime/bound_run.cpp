// Binds a program to memory.
#include "kolam/runtime/bound_run.h"

namespace kolam::runtime {

bool BoundRun::fits(const LinkedSteps& steps) {
  if (steps.symbol_count() > 0)
    return false;
  for (const BufferPlan& plan : steps.program().buffers)
    if (plan.is_late || (plan.place == Place::result && plan.same_as >= 0))
      return false;
  return true;
}

BoundRun::BoundRun(const LinkedSteps& steps, std::span<const abi::NestCode> nests,
                   std::span<const Array> constants, std::span<const Array> prepared,
                   std::span<const Array> arguments, std::span<const Array> outputs)
    : walk_(steps, nests, {}, nullptr, {}), arguments_(arguments.size()), results_(outputs.size()) {
  for (std::span<const Array> arrays : {constants, prepared, arguments, outputs})
    held_.insert(held_.end(), arrays.begin(), arrays.end());
  walk_.place(constants, prepared, arguments, outputs);
  memory_ = walk_.memory();
  const std::vector<BufferPlan>& buffers = steps.program().buffers;
  for (int buffer = 0; buffer < static_cast<int>(buffers.size()); ++buffer) {
    const BufferPlan& own = buffers[static_cast<size_t>(buffer)];
    const BufferPlan& plan = own.same_as >= 0 ? buffers[static_cast<size_t>(own.same_as)] : own;
    const int64_t offset = own.same_as >= 0 ? walk_.size(own.offset) : 0;
    if (plan.place == Place::argument)
      arguments_[static_cast<size_t>(plan.number)].push_back({buffer, offset});
    else if (plan.place == Place::result)
      results_[static_cast<size_t>(plan.number)].push_back({buffer, offset});
  }
}

} // namespace kolam::runtime
