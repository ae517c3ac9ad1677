// Runs the turns of a loop on several threads.
#include "kolam/runtime/memory.h"
#include "kolam/runtime/thread_pool.h"
#include "kolam/runtime/walk.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

namespace kolam::runtime {
namespace {

/// Turns of a loop that threads take one after the other. All turns before one that fails are run,
/// so that the error is that of the first, whoever runs it.
class SharedTurns {
public:
  SharedTurns(const Walk& around, const LoopStep& loop, int64_t lower, int64_t upper,
              std::span<StepRecord> records)
      : around_(around), loop_(loop), next_(lower), end_(upper), records_(records) {}

  /// Takes turns until none is left. A thread that finds no memory for its own buffers takes none;
  /// the first needs none.
  void run(bool is_first) {
    int64_t turn = -1;
    try {
      Walk walk(around_, loop_, is_first);
      std::vector<StepRecord> records(records_.size());
      walk.record(records);
      while ((turn = next_.fetch_add(1)) < end_)
        if (int32_t code = walk.run_turn(loop_, turn))
          stop(turn, {code, walk.error(), {}});
      std::lock_guard lock(mutex_);
      add_records(records_, records, thread_count());
    } catch (...) {
      if (turn >= 0 || is_first)
        stop(turn, {abi::ok, {}, std::current_exception()});
    }
  }

  /// The end of the first turn that failed.
  struct End {
    int32_t code = abi::ok;
    abi::ErrorRecord error{};
    std::exception_ptr thrown;
  };
  const End& end() const { return first_failure_; }

private:
  void stop(int64_t turn, End how) {
    std::lock_guard lock(mutex_);
    if (turn >= end_)
      return;
    end_ = turn;
    first_failure_ = std::move(how);
  }

  const Walk& around_;
  const LoopStep& loop_;
  std::atomic<int64_t> next_, end_;
  std::mutex mutex_; ///< of what follows
  std::span<StepRecord> records_;
  End first_failure_;
};

} // namespace

Walk::Walk(const Walk& around, const LoopStep& loop, bool is_first)
    : steps_(around.steps_), nests_(around.nests_), context_(around.context_),
      tables_(take_tables(0)), sizes_(around.sizes_, std::move(tables_->sizes)), is_in_turn_(true) {
  prepare_tables(SizeValues::Start::fresh);
  std::ranges::copy(around.memory_, memory_.begin());
  std::ranges::copy(around.bytes_, bytes_.begin());
  if (!is_first)
    take_own_memory(loop);
}

/// What the plan lays out in the arena lies in a block in the same way; the rest follows.
void Walk::take_own_memory(const LoopStep& step) {
  int64_t first = INT64_MAX, last = 0, more = 0;
  auto rounded = [&](int buffer) { return round_up(bytes(buffer), kBufferAlignment); };
  for (int buffer : step.own) {
    const BufferPlan& plan = program_.buffers[buffer];
    if (plan.is_late) {
      more += rounded(buffer);
    } else {
      first = std::min(first, size(plan.offset));
      last = std::max(last, size(plan.offset) + rounded(buffer));
    }
  }
  first = std::min(first, last);
  arena_.emplace(last - first + more, "the temporaries of a loop's turns");
  std::byte* next = arena_->data() + (last - first);
  for (int buffer : step.own) {
    const BufferPlan& plan = program_.buffers[buffer];
    memory_[buffer] = plan.is_late ? next : arena_->data() + (size(plan.offset) - first);
    next += plan.is_late ? rounded(buffer) : 0;
  }
  for (size_t buffer = 0; buffer < memory_.size(); ++buffer)
    if (int other = program_.buffers[buffer].same_as; other >= 0)
      memory_[buffer] = memory_in(other, buffer);
}

int32_t Walk::run_shared(const LoopStep& step, int64_t lower, int64_t upper) {
  SharedTurns turns(*this, step, lower, upper, records_);
  parallel_for(
      thread_count(),
      [](void* shared, int64_t begin, int64_t, int) {
        static_cast<SharedTurns*>(shared)->run(begin == 0);
      },
      &turns);
  const SharedTurns::End& end = turns.end();
  if (end.thrown)
    std::rethrow_exception(end.thrown);
  error_ = end.error;
  return end.code;
}

} // namespace kolam::runtime
