/// The tasks of a plan with the blocks that each reads and writes: what engines walk.
#pragma once

#include "kolam/plan/expand.h"
#include "kolam/plan/structure.h"

#include <vector>

namespace kolam::driver {

/// A box that a task writes.
struct JobBlock {
  int64_t tensor;
  space::Box box; ///< of parts of sums, as if they had one term: their elements in memory
};

/// A task, and the blocks that it reads and writes.
struct Job {
  size_t event;                           ///< in PlanJobs::events
  std::vector<std::vector<size_t>> reads; ///< by operand: blocks that hold its box
  std::vector<space::Box> read_boxes;     ///< what it reads; of parts of sums as of one term
  std::vector<size_t> writes;             ///< blocks
};

/// Tasks by position, without transfers: what moves where is the engine's matter. The plan has been
/// checked.
struct PlanJobs {
  explicit PlanJobs(const plans::Plan& plan);

  std::vector<plans::Event> events;
  std::vector<Job> jobs;
  std::vector<JobBlock> blocks;

  const plans::Piece& piece_of(const Job& job) const;
  const plans::Stage& stage_of(const Job& job) const;
  int64_t piece_number(const Job& job) const;
  int64_t worker_of(const Job& job) const { return events[job.event].worker; }
  /// The tensor of operand `read`, which of a merge is the same for all.
  const plans::Tensor& read_tensor(const Job& job, size_t read) const;

private:
  void add_job(size_t event, std::vector<std::vector<size_t>>& by_tensor);
  void connect(const std::vector<std::vector<size_t>>& by_tensor);

  const plans::StageTensors& tensors_of(const Job& job) const;

  const plans::Plan& plan_;
  std::vector<plans::StageTensors> tensors_; ///< by stage
};

} // namespace kolam::driver
