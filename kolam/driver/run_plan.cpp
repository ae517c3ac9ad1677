// Runs a plan's tasks on the threads of this process.
#include "kolam/driver/run_plan.h"

#include "kolam/driver/run_clock.h"
#include "kolam/plan/structure.h"
#include "kolam/runtime/thread_pool.h"
#include "kolam/support/trace.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <optional>
#include <queue>

namespace kolam::driver {
namespace {

using plans::Event;
using plans::Plan;
using plans::RunProgress;
using plans::RunReport;
using plans::Work;
using space::Box;

/// A box of a partial tensor with its elements in memory: as if it had one term.
Box in_memory(const plans::Tensor& tensor, const Box& box) {
  return tensor.partial_of >= 0 ? space::with_range(box, 0, 0, 1) : box;
}

/// Whether blocks of a partial tensor have the same terms.
bool same_terms(const Box& a, const Box& b) {
  return a.start()[0] == b.start()[0] && a.end()[0] == b.end()[0];
}

/// What waits for what, by number of event: a worker's events one after the other, readers behind
/// those who make their blocks.
struct Waiting {
  std::vector<size_t> first_block;        ///< of the blocks that an event makes
  std::vector<std::vector<size_t>> users; ///< of a block
  std::vector<int64_t> awaited;           ///< events and blocks
  std::vector<size_t> next;               ///< of its worker; SIZE_MAX: none

  Waiting(const Plan& plan, const std::vector<Event>& events, const plans::BlockTable& table)
      : first_block(events.size() + 1, table.blocks.size()), users(table.blocks.size()),
        awaited(events.size(), 0), next(events.size(), SIZE_MAX) {
    for (size_t block = table.blocks.size(); block-- > 0;)
      first_block[static_cast<size_t>(table.blocks[block].made_by)] = block;
    for (size_t event = events.size(); event-- > 0;)
      first_block[event] = std::min(first_block[event], first_block[event + 1]);
    std::vector<size_t> latest(static_cast<size_t>(plan.workers), SIZE_MAX);
    for (size_t event = 0; event < events.size(); ++event) {
      for (size_t use = table.first_used[event]; use < table.first_used[event + 1]; ++use)
        users[table.used[use]].push_back(event);
      awaited[event] = static_cast<int64_t>(table.first_used[event + 1] - table.first_used[event]);
      size_t& before = latest[static_cast<size_t>(events[event].worker)];
      if (before != SIZE_MAX) {
        next[before] = event;
        ++awaited[event];
      }
      before = event;
    }
  }
};

/// A result that becomes whole block by block.
struct Gathered {
  std::once_flag once;
  Array whole;
};

class LocalRun {
public:
  LocalRun(const Plan& plan, std::span<const PlanArgument> arguments, const PlanRun& options)
      : plan_(plan), arguments_(arguments), options_(options), events_(plans::expand(plan)),
        table_(plans::find_blocks(plan, events_)), waiting_(plan, events_, table_),
        arrays_(table_.blocks.size()), gathered_(plan.tensors.size()), pieces_(plan, options),
        clock_(everything(), options.progress), left_(events_.size()),
        readers_(table_.blocks.size()), held_(static_cast<size_t>(plan.workers), 0),
        held_back_(held_.size()) {
    for (const plans::Stage& stage : plan.stages)
      tensors_.push_back(plans::tensors_of(stage));
    open_files();
    for (size_t block = 0; block < readers_.size(); ++block)
      readers_[block] = waiting_.users[block].size();
    report_.peak_memory.assign(held_.size(), 0);
    for (size_t event = 0; event < events_.size(); ++event)
      if (waiting_.awaited[event] == 0)
        offer(event);
  }

  PlanOutcome run() {
    const int64_t threads = std::min<int64_t>(plan_.workers, runtime::thread_count());
    const auto work = [](void* self, int64_t, int64_t, int) {
      static_cast<LocalRun*>(self)->work();
    };
    if (threads > 1)
      runtime::parallel_for(threads, work, this, threads);
    else
      runtime::run_alone(work, this);
    if (error_)
      std::rethrow_exception(error_);
    PlanOutcome outcome{.results = results(), .report = {}};
    for (auto& [tensor, writers] : files_)
      for (std::unique_ptr<runtime::NpyWriter>& file : writers)
        file->commit();
    clock_.finish();
    report_.seconds = clock_.seconds();
    outcome.report = std::move(report_);
    return outcome;
  }

private:
  const plans::Tensor& tensor_of(const plans::Block& block) const {
    return plan_.tensors[static_cast<size_t>(block.tensor)];
  }
  const plans::Piece& piece_of(const Event& event) const {
    return plan_.pieces[static_cast<size_t>(plan_.tasks[static_cast<size_t>(event.family)].piece)];
  }
  const plans::Stage& stage_of(const Event& event) const {
    return plan_.stages[static_cast<size_t>(piece_of(event).stage)];
  }
  bool computes(const Event& event) const {
    return !event.is_move && stage_of(event).work != Work::load;
  }
  /// An argument that lies in memory: its blocks are boxes of it.
  bool is_there(const plans::Tensor& tensor) const {
    return tensor.argument >= 0 && !arguments_[static_cast<size_t>(tensor.argument)].file;
  }
  int64_t bytes_made(size_t event) const {
    int64_t bytes = 0;
    for (size_t block = waiting_.first_block[event]; block < waiting_.first_block[event + 1];
         ++block)
      bytes += table_.blocks[block].bytes;
    return bytes;
  }

  RunProgress everything() {
    RunProgress all;
    for (size_t number = 0; number < events_.size(); ++number)
      if (const Event& event = events_[number]; computes(event)) {
        ++all.tasks;
        all.bytes += bytes_made(number);
        work_ += work_of(piece_of(event));
      }
    report_.tasks = all.tasks;
    return all;
  }
  /// What a task takes, in flops: only its share of the whole counts.
  static double work_of(const plans::Piece& piece) {
    constexpr double kFlopsOfAByte = 8;   // assumed, of the time that memory takes
    constexpr double kFlopsOfATask = 1e5; // assumed, of its overhead
    return kFlopsOfATask + std::max(piece.flops, kFlopsOfAByte * piece.bytes);
  }

  void open_files() {
    for (size_t number = 0; number < plan_.tensors.size(); ++number) {
      const plans::Tensor& tensor = plan_.tensors[number];
      for (int64_t result : tensor.results)
        if (auto path = options_.out.find(result); path != options_.out.end())
          files_[static_cast<int64_t>(number)].push_back(
              std::make_unique<runtime::NpyWriter>(path->second, tensor.dtype, tensor.shape));
    }
  }

  /// Whether somebody wants the tensor as an array.
  bool is_wanted(const plans::Tensor& tensor) const {
    return std::ranges::any_of(tensor.results,
                               [&](int64_t result) { return !options_.out.contains(result); });
  }

  /// What it waited for is there: it may run as soon as its bytes fit.
  ///
  /// A worker's events start in their order, so of all that have not ended the first one fits: the
  /// checker has counted what it holds then.
  void offer(size_t event) {
    const auto worker = static_cast<size_t>(events_[event].worker);
    const int64_t bytes = bytes_made(event);
    if (plan_.memory_per_worker > 0 && held_[worker] + bytes > plan_.memory_per_worker) {
      held_back_[worker] = event;
      return;
    }
    held_[worker] += bytes;
    report_.peak_memory[worker] = std::max(report_.peak_memory[worker], held_[worker]);
    ready_.push(event);
  }

  /// Takes events until there are none left, or one has failed.
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return left_ == 0 || error_ || !ready_.empty(); });
      if (left_ == 0 || error_)
        return;
      const size_t event = ready_.top();
      ready_.pop();
      ++running_;
      lock.unlock();
      std::exception_ptr error = attempt(event);
      lock.lock();
      --running_;
      finish(event, error);
    }
  }

  void finish(size_t event, const std::exception_ptr& error) {
    if (error)
      return note_error(event, error);
    const size_t ready = ready_.size();
    for (size_t use = table_.first_used[event]; use < table_.first_used[event + 1]; ++use)
      if (--readers_[table_.used[use]] == 0)
        free_block(table_.used[use]);
    for (size_t block = waiting_.first_block[event]; block < waiting_.first_block[event + 1];
         ++block) {
      if (readers_[block] == 0)
        free_block(block);
      for (size_t user : waiting_.users[block])
        ended_for(user);
    }
    if (waiting_.next[event] != SIZE_MAX)
      ended_for(waiting_.next[event]);
    if (--left_ > 0 && running_ == 0 && ready_.empty())
      note_error(event, std::make_exception_ptr(
                            Error(ErrorKind::runtime, "plan-stuck",
                                  "expected memory for the plan's next task, but its worker holds "
                                  "all that it may")));
    else if (left_ == 0)
      changed_.notify_all();
    else
      for (size_t started = ready_.size() - ready; started > 1; --started) // this thread takes one
        changed_.notify_one();
  }

  void note_error(size_t event, const std::exception_ptr& error) {
    if (!error_ || event < failed_) {
      error_ = error;
      failed_ = event;
    }
    changed_.notify_all();
  }

  void ended_for(size_t event) {
    if (--waiting_.awaited[event] == 0)
      offer(event);
  }

  void free_block(size_t number) {
    const plans::Block& block = table_.blocks[number];
    arrays_[number] = {};
    if (plans::stays(plan_, events_, block))
      return;
    const auto worker = static_cast<size_t>(block.worker);
    held_[worker] -= block.bytes;
    if (std::optional<size_t> event = std::exchange(held_back_[worker], std::nullopt))
      offer(*event);
  }

  std::exception_ptr attempt(size_t number) {
    const Event& event = events_[number];
    try {
      if (options_.cancel && *options_.cancel)
        fail(ErrorKind::runtime, "cancelled", "expected to run to the end, but was stopped");
      run_event(number);
    } catch (const Error& error) {
      return std::make_exception_ptr(event.is_move ? error : located_error(error, event));
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }

  Error located_error(const Error& error, const Event& event) const {
    return {error.kind(), error.slug(),
            error.message() + "; in a task of " + stage_of(event).name + ", piece " +
                space::to_string(event.index),
            error.where()};
  }

  /// Blocks of events that have ended do not change until their last reader has.
  void run_event(size_t number) {
    const Event& event = events_[number];
    if (event.is_move)
      return transfer(number);
    const plans::Stage& stage = stage_of(event);
    if (stage.work == Work::load)
      return load(number, plan_.tensors[static_cast<size_t>(stage.tensors[0])]);
    const std::string category = is_tracing() ? "task,worker" + std::to_string(event.worker) : "";
    const TraceSpan span(stage.name, category);
    const plans::StageTensors& own = tensors_[static_cast<size_t>(piece_of(event).stage)];
    std::vector<Array> reads;
    for (size_t read = 0; read < event.reads.size(); ++read)
      reads.push_back(read_box(number, own.read(read), event.reads[read]));
    const int64_t piece = plan_.tasks[static_cast<size_t>(event.family)].piece;
    const std::vector<Array> outputs = memory_of_results(number);
    Pieces::Given given = pieces_.run(piece, std::move(reads), event.offsets, outputs);
    size_t block = waiting_.first_block[number];
    for (size_t write = 0; write < given.results.size(); ++write)
      if (!space::is_empty(event.writes[write]))
        deliver(block++, std::move(given.results[write]));
    if (given.is_found)
      ++found_;
    clock_.ended(work_of(piece_of(event)) / work_, bytes_made(number));
  }

  /// Keeps a block for its readers, and hands it to whoever asked for the whole.
  void deliver(size_t number, Array array) {
    const plans::Block& block = table_.blocks[number];
    const plans::Tensor& tensor = tensor_of(block);
    if (auto files = files_.find(block.tensor); files != files_.end())
      for (std::unique_ptr<runtime::NpyWriter>& file : files->second)
        file->write(block.box.start(), array);
    if (is_wanted(tensor))
      gather(gathered_[static_cast<size_t>(block.tensor)], tensor, block.box, array);
    arrays_[number] = std::move(array);
  }

  static void gather(Gathered& result, const plans::Tensor& tensor, const Box& box,
                     const Array& array) {
    const bool is_whole = space::shape(box) == tensor.shape;
    std::call_once(result.once, [&] {
      result.whole = is_whole ? array : Array::uninitialized(tensor.dtype, tensor.shape);
    });
    const bool is_there = array.buffer() == result.whole.buffer();
    if (!is_whole && !is_there)
      copy_into(result.whole, Box::of_shape(tensor.shape), {array, box});
  }

  /// For what an event writes: its place in a result that somebody asked for, where its elements
  /// lie there one after the other, so that they need not be copied.
  std::vector<Array> memory_of_results(size_t event) {
    std::vector<Array> outputs;
    size_t block = waiting_.first_block[event];
    for (const Box& box : events_[event].writes) {
      outputs.emplace_back();
      if (space::is_empty(box))
        continue;
      const plans::Block& own = table_.blocks[block++];
      const plans::Tensor& tensor = tensor_of(own);
      if (!is_wanted(tensor) || space::shape(box) == tensor.shape)
        continue;
      Gathered& result = gathered_[static_cast<size_t>(own.tensor)];
      std::call_once(result.once,
                     [&] { result.whole = Array::uninitialized(tensor.dtype, tensor.shape); });
      outputs.back() = dense_box(result.whole, Box::of_shape(tensor.shape), box);
    }
    return outputs;
  }

  /// A transfer is a copy where memory counts, as the worker that it comes from frees its block;
  /// else the same memory.
  void transfer(size_t number) {
    const Event& event = events_[number];
    if (waiting_.first_block[number] == waiting_.first_block[number + 1])
      return;
    const size_t block = waiting_.first_block[number];
    const plans::Tensor& tensor = tensor_of(table_.blocks[block]);
    if (is_there(tensor))
      return;
    const std::string category =
        is_tracing() ? "transfer,worker" + std::to_string(event.worker) : "";
    const TraceSpan span(tensor.name, category);
    Array array = read_box(number, table_.blocks[block].tensor, event.reads[0]);
    if (plan_.memory_per_worker > 0 && array.byte_count() < array.buffer()->bytes())
      array = Array::copy_of(tensor.dtype, array.shape(), array.data());
    arrays_[block] = std::move(array);
  }

  void load(size_t number, const plans::Tensor& tensor) {
    const size_t block = waiting_.first_block[number];
    if (block == waiting_.first_block[number + 1] || is_there(tensor) ||
        waiting_.users[block].empty())
      return;
    const TraceSpan span(tensor.name, "load");
    const Box& box = table_.blocks[block].box;
    arrays_[block] =
        arguments_[static_cast<size_t>(tensor.argument)].file->read(box.start(), space::shape(box));
  }

  /// The box of a tensor that an event reads.
  Array read_box(size_t event, int64_t number, const Box& box) {
    const plans::Tensor& tensor = plan_.tensors[static_cast<size_t>(number)];
    if (is_there(tensor)) {
      const PlacedArray whole{arguments_[static_cast<size_t>(tensor.argument)].array,
                              Box::of_shape(tensor.shape)};
      return assembled(tensor.dtype, box, std::span(&whole, 1));
    }
    std::vector<PlacedArray> blocks;
    for (size_t use = table_.first_used[event]; use < table_.first_used[event + 1]; ++use) {
      const plans::Block& block = table_.blocks[table_.used[use]];
      if (block.tensor == number && (tensor.partial_of < 0 || same_terms(block.box, box)))
        blocks.push_back({arrays_[table_.used[use]], in_memory(tensor, block.box)});
    }
    return assembled(tensor.dtype, in_memory(tensor, box), blocks);
  }

  Array returned_argument(int64_t number, const plans::Tensor& tensor) {
    const PlanArgument& given = arguments_[static_cast<size_t>(tensor.argument)];
    const std::vector<int64_t> start(tensor.shape.size(), 0);
    Array whole = given.file ? given.file->read(start, tensor.shape)
                             : Array::copy_of(tensor.dtype, tensor.shape, given.array.data());
    for (std::unique_ptr<runtime::NpyWriter>& file : files_[number])
      file->write(start, whole);
    return whole;
  }

  std::vector<Array> results() {
    int64_t count = 0;
    for (const plans::Tensor& tensor : plan_.tensors)
      for (int64_t result : tensor.results)
        count = std::max(count, result + 1);
    std::vector<Array> all(static_cast<size_t>(count));
    for (size_t number = 0; number < plan_.tensors.size(); ++number) {
      const plans::Tensor& tensor = plan_.tensors[number];
      Array whole = std::move(gathered_[number].whole);
      if (tensor.argument >= 0 && !tensor.results.empty())
        whole = returned_argument(static_cast<int64_t>(number), tensor);
      else if (is_wanted(tensor) && !whole) // it has no elements
        whole = Array::uninitialized(tensor.dtype, tensor.shape);
      for (int64_t result : tensor.results)
        if (!options_.out.contains(result))
          all[static_cast<size_t>(result)] = whole;
    }
    report_.found = found_;
    return all;
  }

  const Plan& plan_;
  std::span<const PlanArgument> arguments_;
  const PlanRun& options_;
  std::vector<Event> events_;
  plans::BlockTable table_;
  Waiting waiting_;
  std::vector<plans::StageTensors> tensors_; ///< by stage
  std::vector<Array> arrays_;                ///< by block
  std::vector<Gathered> gathered_;           ///< by tensor
  std::map<int64_t, std::vector<std::unique_ptr<runtime::NpyWriter>>> files_;
  Pieces pieces_;
  RunReport report_;
  std::atomic<int64_t> found_ = 0;
  double work_ = 0; ///< of all tasks
  RunClock clock_;
  std::mutex mutex_; ///< guards what follows, and what `waiting_` counts
  std::condition_variable changed_;
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready_;
  size_t left_, running_ = 0;
  std::vector<size_t> readers_;                  ///< of a block, that have not ended
  std::vector<int64_t> held_;                    ///< bytes of blocks, by worker
  std::vector<std::optional<size_t>> held_back_; ///< for memory, by worker: its next event
  std::exception_ptr error_;
  size_t failed_ = 0;
};

void require_arguments(const Plan& plan, std::span<const PlanArgument> arguments) {
  size_t count = 0;
  for (const plans::Tensor& tensor : plan.tensors)
    count += tensor.argument >= 0 ? 1 : 0;
  if (arguments.size() != count)
    fail(ErrorKind::type, "argument-mismatch",
         "expected " + std::to_string(count) + " arguments, but got " +
             std::to_string(arguments.size()));
  for (const plans::Tensor& tensor : plan.tensors) {
    if (tensor.argument < 0)
      continue;
    const PlanArgument& given = arguments[static_cast<size_t>(tensor.argument)];
    if (given.dtype() != tensor.dtype || given.shape() != tensor.shape)
      fail(ErrorKind::value, "argument-mismatch",
           tensor.name + ": expected " + std::string(name(tensor.dtype)) +
               runtime::shape_text(tensor.shape) + ", but got " + std::string(name(given.dtype())) +
               runtime::shape_text(given.shape()));
  }
}

} // namespace

PlanOutcome run_plan(const Plan& plan, std::span<const PlanArgument> arguments,
                     const PlanRun& options) {
  require_arguments(plan, arguments);
  return LocalRun(plan, arguments, options).run();
}

} // namespace kolam::driver
