// Runs a plan's tasks on the threads of this process.
#include "kolam/driver/run_plan.h"

#include "kolam/driver/plan_jobs.h"
#include "kolam/runtime/cancel.h"
#include "kolam/runtime/thread_pool.h"

#include <condition_variable>
#include <exception>
#include <queue>
#include <unordered_map>

namespace kolam::driver {
namespace {

using plans::Plan;
using plans::Work;
using space::Box;

/// What a block holds while it is read.
struct StoredBlock {
  int64_t left = 0; ///< readers that have not read it, the caller among them
  Array array;
};

class LocalRun {
public:
  LocalRun(const Plan& plan, std::span<const PlanArgument> arguments, const PlanRun& options)
      : plan_(plan), arguments_(arguments), options_(options), jobs_(plan),
        stored_(jobs_.blocks.size()), pieces_(plan, options), left_(jobs_.jobs.size()) {
    open_files();
    count_readers();
    order_workers();
    for (size_t number = 0; number < jobs_.jobs.size(); ++number)
      if (jobs_.jobs[number].waits_for == 0)
        ready_.push(number);
  }

  std::vector<Array> run() {
    const int64_t threads = std::min<int64_t>(plan_.workers, runtime::thread_count());
    runtime::parallel_for(
        threads, [](void* self, int64_t, int64_t, int) { static_cast<LocalRun*>(self)->work(); },
        this, threads);
    if (error_)
      std::rethrow_exception(error_);
    std::vector<Array> all = results();
    for (auto& [tensor, writers] : files_)
      for (std::unique_ptr<runtime::NpyWriter>& file : writers)
        file->commit();
    return all;
  }

private:
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

  /// Blocks of results have one more reader: the caller.
  void count_readers() {
    for (size_t block = 0; block < jobs_.blocks.size(); ++block) {
      const JobBlock& own = jobs_.blocks[block];
      stored_[block].left = static_cast<int64_t>(own.readers.size());
      const plans::Tensor& tensor = plan_.tensors[static_cast<size_t>(own.tensor)];
      if (is_wanted(tensor) && tensor.argument < 0) {
        ++stored_[block].left;
        results_[own.tensor].push_back(block);
      }
    }
  }

  /// Each worker does one task after the other.
  void order_workers() {
    std::vector<size_t> latest(static_cast<size_t>(plan_.workers), SIZE_MAX);
    for (size_t number = 0; number < jobs_.jobs.size(); ++number) {
      size_t& before = latest[static_cast<size_t>(jobs_.worker_of(jobs_.jobs[number]))];
      if (before != SIZE_MAX) {
        jobs_.jobs[before].next.push_back(number);
        ++jobs_.jobs[number].waits_for;
      }
      before = number;
    }
  }

  /// Takes tasks until there are none left, or one has failed.
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return left_ == 0 || error_ || !ready_.empty(); });
      if (left_ == 0 || error_)
        return;
      const size_t number = ready_.top();
      ready_.pop();
      lock.unlock();
      std::exception_ptr error = attempt(number);
      lock.lock();
      finish(number, error);
    }
  }

  void finish(size_t number, const std::exception_ptr& error) {
    if (error) {
      if (!error_ || number < failed_) {
        error_ = error;
        failed_ = number;
      }
      changed_.notify_all();
      return;
    }
    const Job& job = jobs_.jobs[number];
    for (const std::vector<size_t>& blocks : job.reads)
      for (size_t block : blocks)
        if (--stored_[block].left == 0)
          stored_[block].array = {};
    for (size_t block : job.writes)
      if (stored_[block].left == 0)
        stored_[block].array = {};
    size_t started = 0;
    for (size_t next : job.next)
      if (--jobs_.jobs[next].waits_for == 0) {
        ready_.push(next);
        ++started;
      }
    if (--left_ == 0)
      changed_.notify_all();
    else
      for (; started > 1; --started) // this thread takes one
        changed_.notify_one();
  }

  std::exception_ptr attempt(size_t number) {
    try {
      if (options_.cancel && *options_.cancel)
        fail(ErrorKind::runtime, "cancelled", "expected to run to the end, but was stopped");
      run_task(jobs_.jobs[number]);
    } catch (const Error& error) {
      return std::make_exception_ptr(located_error(error, jobs_.jobs[number]));
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }

  Error located_error(const Error& error, const Job& job) const {
    return {error.kind(), error.slug(),
            error.message() + "; in a task of " + jobs_.stage_of(job).name + ", piece " +
                space::to_string(jobs_.events[job.event].index),
            error.where()};
  }

  /// Blocks of tasks that are done do not change until their last reader is done.
  void run_task(const Job& job) {
    const plans::Stage& stage = jobs_.stage_of(job);
    if (stage.work == Work::load) {
      load(job, plan_.tensors[static_cast<size_t>(stage.tensors[0])]);
      return;
    }
    std::vector<Array> reads;
    for (size_t read = 0; read < job.reads.size(); ++read)
      reads.push_back(read_box(jobs_.read_tensor(job, read), job, read));
    std::vector<Array> written =
        pieces_.run(jobs_.piece_number(job), std::move(reads), jobs_.events[job.event].offsets);
    for (size_t write = 0; write < written.size(); ++write) {
      const JobBlock& block = jobs_.blocks[job.writes[write]];
      if (auto files = files_.find(block.tensor); files != files_.end())
        for (std::unique_ptr<runtime::NpyWriter>& file : files->second)
          file->write(block.box.start(), written[write]);
      stored_[job.writes[write]].array = std::move(written[write]);
    }
  }

  /// Arrays are there already.
  void load(const Job& job, const plans::Tensor& tensor) {
    const PlanArgument& argument = arguments_[static_cast<size_t>(tensor.argument)];
    const Box& box = jobs_.blocks[job.writes[0]].box;
    if (argument.file && !jobs_.blocks[job.writes[0]].readers.empty())
      stored_[job.writes[0]].array = argument.file->read(box.start(), space::shape(box));
  }

  Array read_box(const plans::Tensor& tensor, const Job& job, size_t read) {
    const Box& box = job.read_boxes[read];
    if (tensor.argument >= 0 && !arguments_[static_cast<size_t>(tensor.argument)].file) {
      const PlacedArray whole{arguments_[static_cast<size_t>(tensor.argument)].array,
                              Box::of_shape(tensor.shape)};
      return assembled(tensor.dtype, box, std::span(&whole, 1));
    }
    std::vector<PlacedArray> blocks;
    for (size_t block : job.reads[read])
      blocks.push_back({stored_[block].array, jobs_.blocks[block].box});
    return assembled(tensor.dtype, box, blocks);
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

  Array collected(int64_t number, const plans::Tensor& tensor) {
    std::vector<PlacedArray> blocks;
    for (size_t block : results_[number])
      blocks.push_back({std::move(stored_[block].array), jobs_.blocks[block].box});
    return assembled(tensor.dtype, Box::of_shape(tensor.shape), blocks);
  }

  std::vector<Array> results() {
    int64_t count = 0;
    for (const plans::Tensor& tensor : plan_.tensors)
      for (int64_t result : tensor.results)
        count = std::max(count, result + 1);
    std::vector<Array> all(static_cast<size_t>(count));
    for (size_t number = 0; number < plan_.tensors.size(); ++number) {
      const plans::Tensor& tensor = plan_.tensors[number];
      Array whole;
      if (tensor.argument >= 0 && !tensor.results.empty())
        whole = returned_argument(static_cast<int64_t>(number), tensor);
      else if (is_wanted(tensor))
        whole = collected(static_cast<int64_t>(number), tensor);
      for (int64_t result : tensor.results)
        if (!options_.out.contains(result))
          all[static_cast<size_t>(result)] = whole;
    }
    return all;
  }

  const Plan& plan_;
  std::span<const PlanArgument> arguments_;
  const PlanRun& options_;
  PlanJobs jobs_;
  std::vector<StoredBlock> stored_; ///< by block
  Pieces pieces_;
  std::unordered_map<int64_t, std::vector<size_t>> results_;
  std::unordered_map<int64_t, std::vector<std::unique_ptr<runtime::NpyWriter>>> files_;
  std::mutex mutex_; ///< guards what follows, and blocks' counts and arrays between tasks
  std::condition_variable changed_;
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready_;
  size_t left_;
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

std::vector<Array> run_plan(const Plan& plan, std::span<const PlanArgument> arguments,
                            const PlanRun& options) {
  require_arguments(plan, arguments);
  return LocalRun(plan, arguments, options).run();
}

} // namespace kolam::driver
