/// A stream at work: its programs, what a call gives and takes, and the memory that stays.
#pragma once

#include "kolam/frontend/array/program_state.h"
#include "kolam/frontend/array/stream.h"

#include <atomic>

namespace kolam::layout {

struct Stream::Impl {
  Program step, initial, chunk;
  /// Of one step; names are those of its arguments, axes the dims that whole sequences have more.
  std::vector<TensorSpec> elements, results;
  std::vector<std::optional<int64_t>> element_axes, result_axes;
  std::vector<int64_t> element_counts, result_counts;
  std::vector<std::string> names, state_names;
  int64_t longest = -1; ///< so many steps there are, as `longest_why` says; -1: any number
  std::string longest_why;
  size_t count_state = 0; ///< the state that counts steps, where there is a longest
  Backend backend = Backend::cpu;

  State first;          ///< before the first step
  State current, spare; ///< spare: what the next step writes, the same arrays where in place
  std::vector<bool> is_in_place;
  std::unique_ptr<driver::BoundProgram> bound; ///< on these; none where the interpreter runs
  std::vector<Array> element_copies;           ///< of elements that outputs overlap
  std::atomic_flag busy = ATOMIC_FLAG_INIT;

  Impl(Program step_program, Program initial_program, Program chunk_program)
      : step(std::move(step_program)), initial(std::move(initial_program)),
        chunk(std::move(chunk_program)) {}

  /// A step at a time, whoever calls: throws `[stream-busy]`.
  class Turn {
  public:
    explicit Turn(Impl& impl);
    ~Turn() { impl_.busy.clear(std::memory_order_release); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    Impl& impl_;
  };

  /// The first state, and the step bound to copies of it.
  void start();

  /// Throw what Stream's methods say of elements, of a state, and where a table ends before `steps`
  /// more.
  void require_elements(const std::vector<Array>& given) const;
  void require_memory(std::span<const StepOutput> outputs, std::span<const StepInput> inputs) const;
  void require_state(const State& state) const;
  void require_rows(const State& state, int64_t steps) const;
  /// How many steps whole sequences are of.
  int64_t require_sequences(const std::vector<Array>& given) const;

  /// A step on the current state, in memory that fits.
  void run(std::span<const StepOutput> outputs, std::span<const StepInput> inputs);
  /// A step on another state: the next one, and results.
  std::pair<State, std::vector<Array>> run_from(const State& state,
                                                const std::vector<Array>& given) const;
  /// `count` steps on the current state.
  std::vector<Array> run_chunk(const std::vector<Array>& sequences, int64_t count);

  /// The current state has these elements from now on.
  void set_current(const State& state);

  static State copies(const State& state);
  static std::vector<Array> zeros_of(const std::vector<TensorSpec>& specs);

private:
  void run_bound(std::span<const StepOutput> outputs, std::span<const StepInput> inputs);
  std::pair<State, std::vector<Array>> split(std::vector<Array> all) const;
};

} // namespace kolam::layout
