// Notes what the steps of a run take.
#include "kolam/runtime/walk.h"

#include <chrono>

namespace kolam::runtime {

int32_t Walk::run_recorded(const Step& step) {
  using Clock = std::chrono::steady_clock;
  StepRecord& record = records_[static_cast<size_t>(step.number)];
  Clock::time_point start = Clock::now();
  int32_t code = run(step);
  record.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  ++record.times;
  std::visit([&](const auto& what) { note(what, record); }, step.what);
  return code;
}

void Walk::note(const NestStep& step, StepRecord& record) {
  record.nest = step.nest;
  record.sizes.resize(step.symbols.size());
  for (size_t i = 0; i < step.symbols.size(); ++i)
    record.sizes[i] += static_cast<double>(size(step.symbols[i]));
}

void Walk::note(const CopyStep& step, StepRecord& record) {
  record.bytes += 2 * static_cast<double>(bytes(step.to));
}

void Walk::note(const BindStep& step, StepRecord& record) {
  record.bytes += 2 * static_cast<double>(bytes(step.behind));
}

void Walk::note(const RowStep& step, StepRecord& record) {
  for (int buffer : {step.input, step.values, step.places})
    if (buffer >= 0)
      record.bytes += static_cast<double>(bytes(buffer));
}

void Walk::note(const CallStep& step, StepRecord& record) {
  for (int buffer : step.inputs)
    record.bytes += static_cast<double>(bytes(buffer));
  for (int buffer : step.outputs)
    record.bytes += static_cast<double>(bytes(buffer));
}

void add_records(std::span<StepRecord> sums, std::span<const StepRecord> records, int threads) {
  for (size_t i = 0; i < records.size(); ++i) {
    StepRecord& sum = sums[i];
    const StepRecord& record = records[i];
    if (record.times == 0)
      continue;
    sum.times += record.times;
    sum.seconds += record.seconds / threads;
    sum.bytes += record.bytes;
    sum.nest = record.nest;
    sum.sizes.resize(record.sizes.size());
    for (size_t size = 0; size < record.sizes.size(); ++size)
      sum.sizes[size] += record.sizes[size];
  }
}

} // namespace kolam::runtime
