// Runs plans through time.
#include "kolam/plan/simulate.h"

#include <algorithm>
#include <queue>
#include <set>

#include "kolam/plan/blocks.h"
#include "kolam/plan/structure.h"
#include "kolam/support/checked.h"

namespace kolam::plans {
namespace {

using Number = size_t; ///< of an event: they are in the order of positions

enum class Kind : uint8_t { task, load, move };

/// What the simulation knows of an event.
struct Job {
  Kind kind = Kind::task;
  bool is_started = false;
  bool is_early = false; ///< started before its worker's turn came to it
  int64_t worker = 0;
  int64_t awaited = 0;    ///< blocks that it reads and that are not there yet
  int64_t bytes = 0;      ///< that it makes
  int64_t moved = 0;      ///< of a transfer
  size_t turn = 0;        ///< its place among its worker's jobs
  size_t out = 0, in = 0; ///< the ports of a transfer
  double held = 0;        ///< seconds: of a task its time, of a transfer that of its ports
  double latency = 0;
};

struct Worker {
  std::vector<Number> jobs, tasks, loads; ///< by position
  size_t turn = 0, next_task = 0, next_load = 0;
  bool is_busy = false, is_dirty = false;
  int64_t held = 0, early = 0; ///< bytes
  int64_t need = 0;            ///< the most bytes in the order of positions
};

struct Port {
  bool is_busy = false;
  std::set<Number> waiting; ///< transfers whose box is there
};

/// A moment at which something ends.
struct Moment {
  double time;
  Number event;
  bool frees_ports; ///< else the event is done
  bool operator>(const Moment& other) const {
    return std::tie(time, event, frees_ports) >
           std::tie(other.time, other.event, other.frees_ports);
  }
};

class Simulation {
public:
  Simulation(const Plan& plan, const Machine& machine, Timeline timeline)
      : plan_(plan), machine_(machine), keeps_timeline_(timeline == Timeline::kept),
        events_(expand(plan)), table_(find_blocks(plan, events_)), jobs_(events_.size()),
        workers_(plan.workers), out_(plan.workers * machine.levels.size()), in_(out_.size()) {
    limit_ = plan.memory_per_worker;
    if (machine.memory > 0 && (limit_ == 0 || machine.memory < limit_))
      limit_ = machine.memory;
    result_.busy.assign(plan.workers, 0);
    result_.bytes_in.assign(plan.workers, 0);
    result_.peak_memory.assign(plan.workers, 0);
  }

  Simulated run() {
    for (const MissingRead& missing : table_.missing)
      fail(ErrorKind::value, "plan-stuck",
           "expected what " + name_of(plan_, events_[missing.event]) +
               " reads to be there, but it is not made before");
    set_up();
    for (size_t worker = 0; worker < workers_.size(); ++worker)
      touch(worker);
    for (Number i = 0; i < jobs_.size(); ++i)
      if (jobs_[i].kind == Kind::move && jobs_[i].awaited == 0)
        offer(i);
    for (settle(); !moments_.empty(); settle()) {
      const Moment moment = moments_.top();
      moments_.pop();
      now_ = moment.time;
      if (moment.frees_ports)
        free_ports(moment.event);
      else
        finish(moment.event);
    }
    for (Number i = 0; i < jobs_.size(); ++i)
      if (!jobs_[i].is_started)
        fail(ErrorKind::value, "plan-stuck",
             "expected memory for " + name_of(plan_, events_[i]) + ", but worker " +
                 std::to_string(jobs_[i].worker) + " has " + std::to_string(limit_) + " bytes");
    result_.time = now_;
    return std::move(result_);
  }

private:
  void set_up() {
    const std::vector<Peak> peaks = peaks_in_order(plan_, events_, table_);
    for (size_t worker = 0; worker < workers_.size(); ++worker)
      workers_[worker].need = peaks[worker].bytes;
    for (const Block& block : table_.blocks)
      jobs_[block.made_by].bytes += block.bytes;
    for (Number i = 0; i < jobs_.size(); ++i)
      set_up_job(i);
    readers_.assign(table_.blocks.size(), 0);
    for (size_t block : table_.used)
      ++readers_[block];
    first_user_.assign(table_.blocks.size() + 1, 0);
    for (size_t block = 0; block < readers_.size(); ++block)
      first_user_[block + 1] = first_user_[block] + readers_[block];
    users_.resize(table_.used.size());
    std::vector<size_t> next(first_user_.begin(), first_user_.end() - 1);
    for (Number i = 0; i < jobs_.size(); ++i)
      for (size_t use = table_.first_used[i]; use < table_.first_used[i + 1]; ++use)
        users_[next[table_.used[use]]++] = i;
    first_block_.assign(jobs_.size() + 1, table_.blocks.size());
    for (size_t block = table_.blocks.size(); block > 0; --block)
      first_block_[table_.blocks[block - 1].made_by] = block - 1;
    for (Number i = jobs_.size(); i > 0; --i)
      first_block_[i - 1] = std::min(first_block_[i - 1], first_block_[i]);
  }

  void set_up_job(Number i) {
    const Event& event = events_[i];
    Job& job = jobs_[i];
    Worker& worker = workers_[event.worker];
    job.worker = event.worker;
    job.awaited = static_cast<int64_t>(table_.first_used[i + 1] - table_.first_used[i]);
    job.turn = worker.jobs.size();
    worker.jobs.push_back(i);
    if (event.is_move)
      return set_up_move(event, job);
    const Piece& piece = plan_.pieces[plan_.tasks[event.family].piece];
    if (plan_.stages[piece.stage].work == Work::load) {
      job.kind = Kind::load;
      worker.loads.push_back(i);
      return;
    }
    worker.tasks.push_back(i);
    job.held = machine_.task_overhead +
               std::max(piece.flops / machine_.flops, piece.bytes / machine_.memory_bandwidth);
  }

  void set_up_move(const Event& event, Job& job) {
    job.kind = Kind::move;
    job.moved = job.bytes;
    if (event.from == event.worker)
      fail(ErrorKind::value, "plan-stuck",
           "expected " + name_of(plan_, event) + " to go from one worker to another");
    const size_t level = level_between(machine_, event.from, event.worker);
    job.out = static_cast<size_t>(event.from) * machine_.levels.size() + level;
    job.in = static_cast<size_t>(event.worker) * machine_.levels.size() + level;
    job.held = static_cast<double>(job.moved) / machine_.levels[level].bandwidth;
    job.latency = machine_.levels[level].latency;
  }

  /// Whether a job's bytes fit now: below the limit, and before its turn beside all that is needed
  /// later in the order of positions.
  bool fits(const Job& job) const {
    if (limit_ == 0)
      return true;
    const Worker& worker = workers_[job.worker];
    const int64_t free = limit_ - worker.held, spare = limit_ - worker.need - worker.early;
    return job.bytes <= free && (job.turn == worker.turn || job.bytes <= spare);
  }

  void start(Number i) {
    Job& job = jobs_[i];
    Worker& worker = workers_[job.worker];
    job.is_started = true;
    worker.held = checked_add(worker.held, job.bytes, "plan-overflow");
    int64_t& peak = result_.peak_memory[job.worker];
    peak = std::max(peak, worker.held);
    if (job.turn != worker.turn) {
      job.is_early = true;
      worker.early += job.bytes;
    }
    for (; worker.turn < worker.jobs.size() && jobs_[worker.jobs[worker.turn]].is_started;
         ++worker.turn)
      if (const Job& passed = jobs_[worker.jobs[worker.turn]]; passed.is_early)
        worker.early -= passed.bytes;
    const double end = now_ + job.held + job.latency;
    moments_.push({end, i, false});
    if (job.kind == Kind::task) {
      worker.is_busy = true;
      result_.busy[job.worker] += job.held;
    }
    if (job.kind == Kind::move) {
      out_[job.out].is_busy = in_[job.in].is_busy = true;
      moments_.push({now_ + job.held, i, true});
      result_.bytes_in[job.worker] += job.moved;
    }
    if (keeps_timeline_ && job.kind != Kind::load)
      result_.timeline.push_back(
          {job.worker, now_, end, events_[i].family, job.kind == Kind::move});
    touch(job.worker);
  }

  /// A transfer whose box is there: it starts or waits.
  void offer(Number i) {
    if (can_start_move(i))
      return start(i);
    out_[jobs_[i].out].waiting.insert(i);
    in_[jobs_[i].in].waiting.insert(i);
  }
  bool can_start_move(Number i) const {
    return !out_[jobs_[i].out].is_busy && !in_[jobs_[i].in].is_busy && fits(jobs_[i]);
  }
  void start_waiting(Number i) {
    out_[jobs_[i].out].waiting.erase(i);
    in_[jobs_[i].in].waiting.erase(i);
    start(i);
  }
  /// Starts the first transfer that waits for a free port and can.
  void serve(const Port& port) {
    if (port.is_busy)
      return;
    for (Number i : port.waiting)
      if (can_start_move(i))
        return start_waiting(i);
  }

  void free_ports(Number i) {
    Port& out = out_[jobs_[i].out];
    Port& in = in_[jobs_[i].in];
    out.is_busy = in.is_busy = false;
    serve(out);
    serve(in);
  }

  void finish(Number i) {
    const Job& job = jobs_[i];
    if (job.kind == Kind::task)
      workers_[job.worker].is_busy = false;
    touch(job.worker);
    for (size_t use = table_.first_used[i]; use < table_.first_used[i + 1]; ++use)
      if (--readers_[table_.used[use]] == 0)
        free_block(table_.used[use]);
    for (size_t block = first_block_[i]; block < first_block_[i + 1]; ++block) {
      if (first_user_[block] == first_user_[block + 1])
        free_block(block);
      for (size_t user = first_user_[block]; user < first_user_[block + 1]; ++user)
        if (--jobs_[users_[user]].awaited == 0)
          is_ready(users_[user]);
    }
  }
  void is_ready(Number i) {
    if (jobs_[i].kind == Kind::move)
      offer(i);
    else
      touch(jobs_[i].worker);
  }
  void free_block(size_t number) {
    const Block& block = table_.blocks[number];
    if (stays(plan_, events_, block))
      return;
    workers_[block.worker].held -= block.bytes;
    touch(block.worker);
  }

  /// Something changed at a worker: what waits there may start.
  void touch(int64_t worker) {
    if (!workers_[worker].is_dirty)
      dirty_.push_back(worker);
    workers_[worker].is_dirty = true;
  }
  void settle() {
    while (!dirty_.empty()) {
      const int64_t worker = dirty_.back();
      dirty_.pop_back();
      workers_[worker].is_dirty = false;
      start_task(workers_[worker]);
      start_loads(workers_[worker]);
      if (limit_ > 0)
        start_moves(worker);
    }
  }

  void start_task(Worker& worker) {
    if (worker.is_busy || worker.next_task == worker.tasks.size())
      return;
    const Number i = worker.tasks[worker.next_task];
    if (jobs_[i].awaited > 0 || !fits(jobs_[i]))
      return;
    ++worker.next_task;
    start(i);
  }
  /// Loads before the next task that has not started.
  void start_loads(Worker& worker) {
    for (; worker.next_load < worker.loads.size(); ++worker.next_load) {
      const Number i = worker.loads[worker.next_load];
      const bool comes_later =
          worker.next_task < worker.tasks.size() && worker.tasks[worker.next_task] < i;
      if (comes_later || !fits(jobs_[i]))
        return;
      start(i);
    }
  }
  /// Transfers to a worker that may have waited for memory.
  void start_moves(int64_t worker) {
    for (size_t level = 0; level < machine_.levels.size(); ++level)
      serve(in_[static_cast<size_t>(worker) * machine_.levels.size() + level]);
  }

  const Plan& plan_;
  const Machine& machine_;
  bool keeps_timeline_;
  int64_t limit_ = 0; ///< bytes of a worker; 0: none
  std::vector<Event> events_;
  BlockTable table_;
  std::vector<Job> jobs_;                  ///< by event
  std::vector<size_t> first_block_;        ///< of the blocks that an event makes
  std::vector<size_t> readers_;            ///< of a block, that have not ended
  std::vector<size_t> first_user_, users_; ///< events that read a block
  std::vector<Worker> workers_;
  std::vector<Port> out_, in_; ///< by worker, then level
  std::priority_queue<Moment, std::vector<Moment>, std::greater<>> moments_;
  std::vector<int64_t> dirty_;
  double now_ = 0;
  Simulated result_;
};

} // namespace

Simulated simulate(const Plan& plan, const Machine& machine, Timeline timeline) {
  space::fail_on(check_structure(plan));
  check_machine(machine);
  if (machine.workers < plan.workers)
    fail(ErrorKind::value, "bad-machine",
         "expected a machine of at least " + std::to_string(plan.workers) +
             " workers, as the plan has, but got " + std::to_string(machine.workers));
  return Simulation(plan, machine, timeline).run();
}

} // namespace kolam::plans
