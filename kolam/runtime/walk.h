/// The walk over the tree of steps; used by the files that run steps.
#pragma once

#include "kolam/runtime/arena.h"
#include "kolam/runtime/memory.h"
#include "kolam/runtime/nest_scratch.h"
#include "kolam/runtime/run_steps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kolam::runtime {

struct LateBlock {
  std::byte* data = nullptr;
  int64_t bytes = 0;
};

/// What a run knows of its buffers and sizes, by number.
struct RunTables {
  std::vector<void*> memory;
  std::vector<int64_t> bytes;
  std::vector<int64_t> given;  ///< by symbol: the `changes` of sizes when its buffers got memory
  std::vector<LateBlock> late; ///< by buffer: the memory of late ones, at the first of their group
  SizeValues::Memory sizes;
};

inline int64_t round_up(int64_t number, int64_t unit) { return (number + unit - 1) / unit * unit; }

/// Adds records of a thread to those of all, of which `threads` work at once.
void add_records(std::span<StepRecord> sums, std::span<const StepRecord> records, int threads);

/// One run of a program, or what a thread does in it.
class Walk {
public:
  Walk(const LinkedSteps& steps, std::span<const abi::NestFunction> functions,
       const std::map<std::string, int64_t>& sizes, const volatile int32_t* cancel,
       std::span<StepRecord> records)
      : steps_(steps), functions_(functions), context_{cancel, &nest_scratch},
        tables_(std::exchange(spare_, {})), sizes_(steps, sizes, std::move(tables_.sizes)),
        records_(records) {
    tables_.given.assign(steps.symbol_count(), -1);
    late_.assign(program_.buffers.size(), {});
  }
  ~Walk() {
    for (const LateBlock& block : late_)
      free_aligned(block.data, block.bytes);
    memory_.clear();
    bytes_.clear();
    tables_.sizes = sizes_.take_memory();
    spare_ = std::move(tables_);
  }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  /// A thread's walk over turns of `loop`, which `around` has come to: its own memory is that of
  /// `around` for the first, else new. Throws `[out-of-memory]`.
  Walk(const Walk& around, const LoopStep& loop, bool is_first);

  /// Gives every buffer its memory, but for late ones, and makes the result arrays.
  void place(std::span<const Array> constants, std::span<const Array> prepared,
             std::span<const Array> arguments, std::span<const Array> outputs);

  /// Runs steps in order; an ErrorCode.
  int32_t run(const Steps& steps);
  /// One turn of a loop, whose counter is `at`.
  int32_t run_turn(const LoopStep& step, int64_t at);
  const abi::ErrorRecord& error() const { return error_; }
  bool took_arguments() const { return took_arguments_; }
  /// From now on what each step does is added to `records`.
  void record(std::span<StepRecord> records) { records_ = records; }
  std::vector<Array> take_results() { return std::move(results_); }

private:
  int32_t run(const Step& step);
  int32_t run(const NestStep& step);
  int32_t run_pieces(const NestStep& step, void* const* buffers, const int64_t* extents);
  /// About how many operations the step's nest is.
  double count_flops(const NestStep& step);
  int32_t run_shared(const LoopStep& step, int64_t lower, int64_t upper);
  void take_own_memory(const LoopStep& step);
  int32_t run(const BindStep& step);
  int32_t run(const CopyStep& step);
  int32_t run(const SwapStep& step);
  int32_t run(const LoopStep& step);
  int32_t run(const WhileStep& step);
  int32_t run(const BranchStep& step);
  int32_t run(const RowStep& step);
  int32_t run(const CallStep& step);

  // record_steps.cpp
  int32_t run_recorded(const Step& step);
  void note(const NestStep& step, StepRecord& record);
  void note(const CopyStep& step, StepRecord& record);
  void note(const BindStep& step, StepRecord& record);
  void note(const RowStep& step, StepRecord& record);
  void note(const CallStep& step, StepRecord& record);
  void note(const auto&, StepRecord&) {} // of steps that have no number

  int64_t size(const Size& size) { return sizes_[size.number]; }
  std::vector<int64_t> shape(int buffer) {
    std::vector<int64_t> result;
    result.reserve(steps_.shape(buffer).size());
    for (int number : steps_.shape(buffer))
      result.push_back(sizes_[number]);
    return result;
  }
  int64_t count_bytes(int buffer) {
    int64_t product = 1;
    for (int number : steps_.shape(buffer))
      product = apply_extent_op('*', product, sizes_[number]);
    return apply_extent_op('*', product,
                           byte_width(program_.buffers[static_cast<size_t>(buffer)].dtype));
  }
  int64_t bytes(int buffer) const { return bytes_[static_cast<size_t>(buffer)]; }
  /// Of buffers that share memory.
  int64_t bytes_of(const std::vector<int>& group) const {
    int64_t most = 0;
    for (int buffer : group)
      most = std::max(most, bytes(buffer));
    return most;
  }
  std::byte* late_memory(int group, int64_t needed, std::optional<int64_t> kept);
  void require_room(const BindStep& step);
  int64_t read_integer(int buffer) const;
  void write_integer(int buffer, int64_t value);
  bool cancelled();

  /// Those of the thread's last run: the next one need not allocate its own.
  static thread_local RunTables spare_;

  const LinkedSteps& steps_;
  const StepProgram& program_ = steps_.program();
  std::span<const abi::NestFunction> functions_;
  abi::Context context_;
  RunTables tables_;
  SizeValues sizes_;
  std::vector<void*>& memory_ = tables_.memory;
  std::vector<int64_t>& bytes_ = tables_.bytes;
  std::span<StepRecord> records_; ///< by the numbers of steps; empty where nobody asks
  bool is_in_turn_ = false;       ///< of a loop whose turns threads share
  std::optional<Arena> arena_;
  std::vector<LateBlock>& late_ = tables_.late;
  Room room_; ///< for late buffers and the results that are late
  std::vector<Array> results_;
  bool took_arguments_ = false;
  abi::ErrorRecord error_{};
};

} // namespace kolam::runtime
