/// The walk over the tree of steps; used by the files that run steps.
#pragma once

#include "kolam/runtime/arena.h"
#include "kolam/runtime/memory.h"
#include "kolam/runtime/nest_scratch.h"
#include "kolam/runtime/run_steps.h"
#include "kolam/support/trace.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kolam::runtime {

/// Memory of late buffers, which it owns.
struct LateBlock {
  std::byte* data = nullptr;
  int64_t bytes = 0;

  LateBlock() = default;
  LateBlock(std::byte* memory, int64_t size) : data(memory), bytes(size) {}
  LateBlock(LateBlock&& other) noexcept
      : data(std::exchange(other.data, nullptr)), bytes(std::exchange(other.bytes, 0)) {}
  LateBlock& operator=(LateBlock&& other) noexcept {
    std::swap(data, other.data);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~LateBlock() { free_aligned(data, bytes); }
};

/// How a run calls a nest: what sizes decide, computed anew where they have changed.
struct NestCall {
  LinkedSteps::NestPlace place;
  int64_t changes = -1; ///< of sizes when the rest was computed
  int64_t range = 0;
  /// Whether it runs in one call on its thread, and where it writes in place of `changed`.
  bool is_short = false, is_short_in_place = false;
};

/// What a run knows of its buffers and sizes, by number. Much of it holds for the next run of the
/// program, too, as long as sizes are as they were.
struct RunTables {
  uint64_t program = 0; ///< its number; 0 where nothing holds
  std::vector<void*> memory;
  std::vector<int64_t> bytes;
  std::vector<int64_t> given;  ///< by symbol: the `changes` of sizes when its buffers got memory
  std::vector<LateBlock> late; ///< by buffer: the memory of late ones, at the first of their group
  std::vector<NestCall> calls; ///< by step
  /// What the functions of all steps with nests get, one after the other.
  std::vector<void*> pointers;
  std::vector<int64_t> extents;
  SizeMemory sizes;
};

inline bool is_set(const volatile int32_t* flag) {
  return flag && __atomic_load_n(flag, __ATOMIC_RELAXED);
}

inline int64_t round_up(int64_t number, int64_t unit) { return (number + unit - 1) / unit * unit; }

/// Adds records of a thread to those of all, of which `threads` work at once.
void add_records(std::span<StepRecord> sums, std::span<const StepRecord> records, int threads);

/// One run of a program, or what a thread does in it.
class Walk {
public:
  Walk(const LinkedSteps& steps, std::span<const abi::NestCode> nests,
       const std::map<std::string, int64_t>& sizes, const volatile int32_t* cancel,
       std::span<StepRecord> records)
      : steps_(steps), nests_(nests), context_{cancel, &nest_scratch, nullptr},
        tables_(take_tables(steps.number())), sizes_(steps, std::move(tables_->sizes)),
        records_(records) {
    prepare_tables(sizes_.start(sizes));
  }
  ~Walk() {
    tables_->sizes = sizes_.take_memory();
    give_tables(std::move(tables_));
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

  /// The memory of every buffer, by number.
  const std::vector<void*>& memory() const { return memory_; }
  /// Runs the whole program on such memory, again after an earlier run: what stopped it, or code
  /// `ok`.
  abi::ErrorRecord run_on(std::span<void* const> memory) {
    std::ranges::copy(memory, memory_.begin()); // steps exchange some
    error_ = {};
    run(program_.steps);
    return error_;
  }
  int64_t size(const Size& size) { return sizes_[size.number]; }

private:
  /// The tables of the thread's last run of a program, or empty ones.
  static std::unique_ptr<RunTables> take_tables(uint64_t program);
  static void give_tables(std::unique_ptr<RunTables> tables);
  void prepare_tables(SizeValues::Start start);
  int32_t run(const Step& step);
  int32_t run(const NestStep& step);
  void prepare(const NestStep& step, NestCall& call);
  int32_t run_watched(const NestStep& step, const NestCall& call);
  int32_t run_call(const NestStep& step, const NestCall& call);
  int32_t run_pieces(const NestStep& step, const NestCall& call); // run_pieces.cpp
  bool changes_in_place(const NestStep& step) const {
    return step.changed >= 0 && memory_[static_cast<size_t>(step.changed)] ==
                                    memory_[static_cast<size_t>(step.buffers[0])];
  }
  /// About how many operations the step's nest is.
  double count_flops(const NestStep& step, bool in_place);
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
  void* memory_in(int other, int buffer);
  void require_room(const BindStep& step);
  int64_t read_integer(int buffer) const;
  void write_integer(int buffer, int64_t value);
  bool cancelled();

  const LinkedSteps& steps_;
  const StepProgram& program_ = steps_.program();
  std::span<const abi::NestCode> nests_;
  abi::Context context_;
  std::unique_ptr<RunTables> tables_;
  SizeValues sizes_;
  std::vector<void*>& memory_ = tables_->memory;
  std::vector<int64_t>& bytes_ = tables_->bytes;
  std::span<StepRecord> records_; ///< by the numbers of steps; empty where nobody asks
  bool is_watched_ = is_tracing();
  bool is_in_turn_ = false; ///< of a loop whose turns threads share
  std::optional<Arena> arena_;
  std::vector<LateBlock>& late_ = tables_->late;
  Room room_; ///< for late buffers and the results that are late
  std::vector<Array> results_;
  bool took_arguments_ = false;
  abi::ErrorRecord error_{};
};

} // namespace kolam::runtime
