// Writes schedules line by line.
#include "kolam/nest/schedule_writer.h"

#include "kolam/ir/ops.h"
#include "kolam/nest/schedule_choice.h"

#include "llvm/ADT/SetVector.h"

#include <algorithm>

namespace kolam::nest {

std::string dim_name(size_t dim) {
  constexpr std::string_view kLetters = "ijklmnopqrstuvw";
  return dim < kLetters.size() ? std::string(1, kLetters[dim]) : "d" + std::to_string(dim);
}

ScheduleDim joined(const Shape& shape, const std::vector<int>& dims) {
  ScheduleDim result{"", 1};
  for (int dim : dims) {
    result.name += dim_name(dim);
    result.extent = result.extent * shape[dim];
  }
  return result;
}

ScheduleWriter::ScheduleWriter(const Nest& nest) : nest_(nest) {
  schedule.ops = op_names(nest);
  open_.push_back(&schedule.nodes);
}

int ScheduleWriter::add_dim(ScheduleDim dim) {
  schedule.dims.push_back(std::move(dim));
  loops_.push_back(0);
  return static_cast<int>(schedule.dims.size()) - 1;
}

void ScheduleWriter::open(int dim, Extent step, LoopKind kind, Rest rest) {
  std::string name = schedule.dims[dim].name + std::to_string(loops_[dim]++);
  open_.back()->push_back({ScheduleLoop{name, dim, std::move(step), kind, rest}});
  open_.push_back(&open_.back()->back().body);
}

void ScheduleWriter::open(ScheduleWhen when) {
  open_.back()->push_back({when});
  open_.push_back(&open_.back()->back().body);
}

void ScheduleWriter::open(ScheduleParts parts) {
  open_.back()->push_back({std::move(parts)});
  open_.push_back(&open_.back()->back().body);
}

void ScheduleWriter::open(ScheduleSegments segments) {
  open_.back()->push_back({segments});
  open_.push_back(&open_.back()->back().body);
}

int ScheduleWriter::number_of(mlir::Operation* op) const {
  return op == nest_.root ? 0
                          : static_cast<int>(llvm::find(nest_.fused, op) - nest_.fused.begin()) + 1;
}

int ScheduleWriter::parameter_of(mlir::Value value) const {
  auto output = llvm::find(nest_.outputs, value);
  if (output != nest_.outputs.end())
    return static_cast<int>(output - nest_.outputs.begin());
  return static_cast<int>(nest_.outputs.size() +
                          (llvm::find(nest_.inputs, value) - nest_.inputs.begin()));
}

std::vector<int> ScheduleWriter::with(llvm::ArrayRef<mlir::Operation*> ops,
                                      llvm::ArrayRef<mlir::Operation*> known) const {
  llvm::SmallSetVector<mlir::Operation*, 8> found;
  std::vector<mlir::Operation*> open(ops.begin(), ops.end());
  while (!open.empty()) {
    mlir::Operation* reader = open.back();
    open.pop_back();
    for (mlir::Value operand : reader->getOperands())
      if (mlir::Operation* producer = operand.getDefiningOp();
          producer && llvm::is_contained(nest_.fused, producer) &&
          !llvm::is_contained(known, producer) && found.insert(producer))
        open.push_back(producer);
  }
  std::vector<int> numbers;
  for (mlir::Operation* producer : found)
    numbers.push_back(number_of(producer));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

} // namespace kolam::nest
