// Finds which blocks each task of a plan reads.
#include "kolam/driver/plan_jobs.h"

#include "kolam/space/box_index.h"

namespace kolam::driver {
namespace {

using plans::Event;
using space::Box;

Box of_one_term(const Box& box) { return space::with_range(box, 0, 0, 1); }

/// Whether a block of a partial tensor has just the terms that a merge reads.
bool has_terms(const Box& block, const Box& read) {
  return block.start()[0] == read.start()[0] && block.end()[0] == read.end()[0];
}

} // namespace

PlanJobs::PlanJobs(const plans::Plan& plan) : events(plans::expand(plan)), plan_(plan) {
  for (const plans::Stage& stage : plan.stages)
    tensors_.push_back(plans::tensors_of(stage));
  std::vector<std::vector<size_t>> by_tensor(plan.tensors.size());
  for (size_t event = 0; event < events.size(); ++event)
    if (!events[event].is_move)
      add_job(event, by_tensor);
  connect(by_tensor);
  for (JobBlock& block : blocks)
    if (plan.tensors[static_cast<size_t>(block.tensor)].partial_of >= 0)
      block.box = of_one_term(block.box);
}

int64_t PlanJobs::piece_number(const Job& job) const {
  return plan_.tasks[static_cast<size_t>(events[job.event].family)].piece;
}
const plans::Piece& PlanJobs::piece_of(const Job& job) const {
  return plan_.pieces[static_cast<size_t>(piece_number(job))];
}
const plans::Stage& PlanJobs::stage_of(const Job& job) const {
  return plan_.stages[static_cast<size_t>(piece_of(job).stage)];
}
const plans::StageTensors& PlanJobs::tensors_of(const Job& job) const {
  return tensors_[static_cast<size_t>(piece_of(job).stage)];
}
const plans::Tensor& PlanJobs::read_tensor(const Job& job, size_t read) const {
  return plan_.tensors[static_cast<size_t>(tensors_of(job).read(read))];
}

void PlanJobs::add_job(size_t event, std::vector<std::vector<size_t>>& by_tensor) {
  Job job{.event = event, .reads = {}, .read_boxes = {}, .writes = {}};
  const plans::StageTensors& tensors = tensors_of(job);
  const std::vector<Box>& writes = events[event].writes;
  for (size_t write = 0; write < writes.size(); ++write) {
    const int64_t tensor = tensors.writes[write];
    job.writes.push_back(blocks.size());
    by_tensor[static_cast<size_t>(tensor)].push_back(blocks.size());
    blocks.push_back({.tensor = tensor, .box = writes[write]});
  }
  jobs.push_back(std::move(job));
}

void PlanJobs::connect(const std::vector<std::vector<size_t>>& by_tensor) {
  std::vector<space::BoxIndex> indices;
  for (const std::vector<size_t>& own : by_tensor) {
    std::vector<Box> boxes;
    for (size_t block : own)
      boxes.push_back(blocks[block].box);
    indices.emplace_back(std::move(boxes));
  }
  for (Job& job : jobs) {
    const plans::StageTensors& tensors = tensors_of(job);
    const bool is_merge = tensors.merges;
    const std::vector<Box>& reads = events[job.event].reads;
    for (size_t read = 0; read < reads.size(); ++read) {
      const auto tensor = static_cast<size_t>(tensors.read(read));
      std::vector<size_t> found;
      for (size_t meeting : indices[tensor].meeting(reads[read])) {
        const size_t block = by_tensor[tensor][meeting];
        if (is_merge && !has_terms(blocks[block].box, reads[read]))
          continue; // merges write such a tensor again
        found.push_back(block);
      }
      job.reads.push_back(std::move(found));
      job.read_boxes.push_back(is_merge ? of_one_term(reads[read]) : reads[read]);
    }
  }
}

} // namespace kolam::driver
