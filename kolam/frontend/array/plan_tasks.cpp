// Hands the tasks of plans to engines.
#include "kolam/frontend/array/plan_tasks.h"

#include "kolam/driver/kept_results.h"
#include "kolam/driver/plan_jobs.h"
#include "kolam/driver/run_clock.h"
#include "kolam/driver/run_plan.h"
#include "kolam/frontend/array/plan_state.h"

#include <mutex>
#include <unordered_map>

namespace kolam {

struct TaskClock::State {
  driver::RunClock clock;
};

TaskClock::TaskClock(int64_t tasks, int64_t bytes,
                     std::function<void(const plans::RunProgress&)> told)
    : state_(new State{.clock = {{.tasks = tasks, .bytes = bytes}, std::move(told)}}) {}
TaskClock::~TaskClock() = default;
void TaskClock::ended(double share, int64_t bytes) { state_->clock.ended(share, bytes); }
void TaskClock::finish() { state_->clock.finish(); }
double TaskClock::seconds() const { return state_->clock.seconds(); }

std::vector<PlanTask> tasks_of(const Plan& plan) {
  plan.require_sound();
  const plans::Plan& data = plan.data();
  const driver::PlanJobs jobs(data);
  const plans::Machine machine = local_machine();
  auto block_of = [&](size_t number) {
    const driver::JobBlock& own = jobs.blocks[number];
    return TaskBlock{static_cast<int64_t>(number),
                     data.tensors[static_cast<size_t>(own.tensor)].dtype, own.box};
  };
  std::vector<PlanTask> tasks;
  for (const driver::Job& job : jobs.jobs) {
    const plans::Stage& stage = jobs.stage_of(job);
    const plans::Piece& piece = jobs.piece_of(job);
    PlanTask task;
    task.worker = jobs.worker_of(job);
    task.offsets = jobs.events[job.event].offsets;
    task.what = stage.name + ", piece " + space::to_string(jobs.events[job.event].index);
    task.seconds = std::max(piece.flops / machine.flops, piece.bytes / machine.memory_bandwidth);
    if (stage.work == plans::Work::load)
      task.argument = data.tensors[static_cast<size_t>(stage.tensors[0])].argument;
    else
      task.piece = jobs.piece_number(job);
    for (size_t read = 0; read < job.reads.size(); ++read) {
      task.reads.push_back({jobs.read_tensor(job, read).dtype, job.read_boxes[read], {}});
      for (size_t block : job.reads[read])
        task.reads.back().blocks.push_back(block_of(block));
    }
    for (size_t block : job.writes) {
      task.writes.push_back(block_of(block));
      task.bytes += space::size(task.writes.back().box) * byte_width(task.writes.back().dtype);
    }
    tasks.push_back(std::move(task));
  }
  return tasks;
}

std::vector<PlanResult> results_of(const Plan& plan) {
  const plans::Plan& data = plan.data();
  const driver::PlanJobs jobs(data);
  std::vector<PlanResult> results;
  for (size_t number = 0; number < data.tensors.size(); ++number) {
    const plans::Tensor& tensor = data.tensors[number];
    if (tensor.results.empty())
      continue;
    PlanResult result{.whole = {tensor.dtype, space::Box::of_shape(tensor.shape), {}},
                      .numbers = tensor.results,
                      .argument = tensor.argument};
    for (size_t block = 0; block < jobs.blocks.size(); ++block)
      if (jobs.blocks[block].tensor == static_cast<int64_t>(number))
        result.whole.blocks.push_back(
            {static_cast<int64_t>(block), tensor.dtype, jobs.blocks[block].box});
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<std::string> pieces_of(const Plan& plan) {
  std::vector<std::string> texts;
  for (const plans::Piece& piece : plan.data().pieces)
    texts.push_back(piece.program);
  return texts;
}

const std::vector<Array>& captured_of(const Plan& plan) { return Plan::State::of(plan).hidden; }

Array assembled(DType dtype, const space::Box& box, const std::vector<PlacedBlock>& blocks) {
  std::vector<driver::PlacedArray> placed;
  for (const PlacedBlock& block : blocks)
    placed.push_back({block.array, block.box});
  return driver::assembled(dtype, box, placed);
}

namespace {

std::vector<Array> computed(const std::string& text, std::vector<Array> reads,
                            const std::vector<int64_t>& offsets) {
  static std::mutex mutex;
  static std::unordered_map<std::string, Program> known;
  auto program = [&] {
    std::lock_guard lock(mutex);
    auto found = known.find(text);
    if (found == known.end())
      found = known.emplace(text, parse_program(text, "piece of a plan")).first;
    return found->second;
  }();
  for (int64_t offset : offsets)
    reads.push_back(Array::scalar(offset));
  return program.run(std::move(reads));
}

} // namespace

PieceResults run_piece(const std::string& text, std::vector<Array> reads,
                       const std::vector<int64_t>& offsets, const KeptResults* kept) {
  PieceResults given;
  if (kept)
    given.results =
        kept->store()->found_or(driver::result_key(text, offsets, reads), given.is_found,
                                [&] { return computed(text, reads, offsets); });
  else
    given.results = computed(text, std::move(reads), offsets);
  return given;
}

} // namespace kolam
