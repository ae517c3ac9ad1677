/// Writes schedules line by line.
#pragma once

#include "kolam/nest/nest.h"
#include "kolam/nest/schedule.h"

namespace kolam::nest {

/// The name of a dim of a result: i, j, k, ...
std::string dim_name(size_t dim);

/// Neighbouring dims of a shape as one.
ScheduleDim joined(const Shape& shape, const std::vector<int>& dims);

/// Adds nodes at the end of the innermost open loop.
class ScheduleWriter {
public:
  explicit ScheduleWriter(const Nest& nest);

  Schedule schedule;

  int add_dim(ScheduleDim dim);
  /// What is added from now on stands inside; `close` ends the innermost of them.
  void open(int dim, Extent step = 1, LoopKind kind = LoopKind::serial, Rest rest = Rest::none);
  void open(ScheduleWhen when);
  void open(ScheduleParts parts);
  void open(ScheduleSegments segments);
  void close() { open_.pop_back(); }
  template <class Node> void add(Node node) { open_.back()->push_back({std::move(node)}); }

  int number_of(mlir::Operation* op) const;
  int parameter_of(mlir::Value value) const;
  /// The ops that are computed where `ops` are, but for those in `known` and what only they read.
  std::vector<int> with(llvm::ArrayRef<mlir::Operation*> ops,
                        llvm::ArrayRef<mlir::Operation*> known) const;

private:
  const Nest& nest_;
  std::vector<int> loops_; ///< by dim, so far
  std::vector<std::vector<ScheduleNode>*> open_;
};

} // namespace kolam::nest
