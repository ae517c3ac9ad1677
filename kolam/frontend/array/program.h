/// Programs: a traced function, to look at and to run.
#pragma once

#include "kolam/frontend/array/tensor.h"
#include "kolam/runtime/cancel.h"
#include "kolam/support/checks.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kolam {

/// A parameter of a program: its dtype and extents.
struct TensorSpec {
  DType dtype = DType::f32;
  Shape shape;
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

using runtime::clear_cancel;
using runtime::request_cancel;

enum class Backend : uint8_t {
  cpu,       ///< native code
  interpret, ///< the meaning itself, op by op
  schedule   ///< the loops of every nest as `explain` shows them, without code: slow, to check them
};

/// In which order scans of lists go.
enum class ScanOrder : uint8_t {
  automatic,  ///< as costs say
  sequential, ///< step by step, as they are written
  waves       ///< nests of them in waves of independent elements wherever that is legal
};

/// What tuning did for a nest.
struct TunedNest {
  std::string name;                   ///< as in `explain`
  int64_t measured = 0, possible = 0; ///< schedules: ways to cut it
  double by_rule = 0;                 ///< seconds of a run of the nest, cut by Kolam's rules
  double best = 0;                    ///< and as later compiles cut it
  std::string schedule;               ///< the loops, as `explain` shows them
};

/// A traced function of tensors. Copies share it.
class Program {
public:
  struct State;
  explicit Program(std::shared_ptr<State> state) : state_(std::move(state)) {}

  /// The text after a stage: "program", "tensors" (its lists as tensors), "rewritten", "nests",
  /// "lowered", "llvm", "assembly". Throws `[unknown-stage]`.
  std::string as_text(const std::string& stage = "program") const;
  /// The nests: what is fused, what is not and why, bytes and flops, and a summary of reasons.
  std::string explain() const;
  /// The same, and what each step takes when the program runs on `arguments`, the longest first:
  /// its share of the run and of what the machine can do at most. Runs the program for about half a
  /// second, once at least, with its host functions. Throws what a run throws.
  std::string explain_measured(std::vector<Array> arguments) const;
  /// A picture of a program on lists, as text: "cells" (expression trees), "structure" (parallel
  /// functions as boxes in one another), "blocks" (the dataflow graph with its access maps) or
  /// "domain" (in which step of its wavefront each element of a nest of scans may run, for the
  /// lengths that the lists of `arguments` have; of lists of lists for those of the first ones).
  /// Throws `[unknown-picture]` and, for "domain", `[argument-mismatch]`.
  std::string picture(const std::string& kind, std::vector<Array> arguments = {}) const;
  /// The same in graphviz's language; "program" is the graph of the program's ops.
  std::string as_dot(const std::string& kind = "program", std::vector<Array> arguments = {}) const;
  /// Of a run: "flops", and "bytes" that ops read and write. Symbolic extents count as 1000.
  std::map<std::string, double> cost() const;

  /// Compiles where that has not been done, and runs. Throws `[argument-mismatch]`,
  /// `[out-of-memory]` and the Error of a check that fails. Where `*cancel` (for others than the
  /// default: in place of `request_cancel`) becomes non-zero the run stops soon, with
  /// `[cancelled]`. Memory that only `arguments` hold may become that of results.
  std::vector<Array> run(std::vector<Array> arguments, Backend backend = Backend::cpu,
                         const volatile int32_t* cancel = runtime::cancel_flag()) const;
  /// The same; leaves `arguments` empty but for its memory, so that a caller who keeps the vector
  /// allocates it once.
  std::vector<Array> run_emptying(std::vector<Array>& arguments, Backend backend = Backend::cpu,
                                  const volatile int32_t* cancel = runtime::cancel_flag()) const;
  /// The same; result i is written to the memory of `outputs[i]` and is that array where the
  /// compiled program can do so: where dtype and shape are those of the result, and data do not
  /// decide the shape. That memory overlaps no argument and no other output.
  std::vector<Array> run_into(std::vector<Array>& arguments, std::span<const Array> outputs,
                              Backend backend = Backend::cpu,
                              const volatile int32_t* cancel = runtime::cancel_flag()) const;
  void compile(Backend backend = Backend::cpu) const;
  /// Whether it is compiled, and each run takes less than about a millisecond.
  bool is_short(Backend backend = Backend::cpu) const;

  /// Measures schedules of the nests for about `budget` seconds, running on `arguments` (tune.h);
  /// later runs follow the fastest. Throws `[bad-option]`.
  std::vector<TunedNest> tune(std::vector<Array> arguments, double budget) const;

  /// The program with checks put in: a failure throws an Error with the op and the user's line.
  Program with_checks(const Checks& checks) const;

  /// The program with loops of its nests given by hand: schedules by the nest's name, as `explain`
  /// and "nests" show them. Throws `[bad-schedule]` when it is compiled, or shown, where a nest is
  /// not there or a schedule does not compute it.
  Program with_schedules(std::map<std::string, std::string> schedules) const;
  /// The program with intermediate values in memory as given by hand: by the names of their buffers
  /// in "nests", strides in elements, `1, n` for f32[n, m] column by column, and after `first` the
  /// number of the first element where it is not 0. Throws `[bad-layout]` when it is compiled, or
  /// shown, where elements lie on one another or outside their buffer, and for buffers that must be
  /// row-major: arguments, results, and what ops with loops of their own or the runtime read.
  Program with_layouts(std::map<std::string, std::string> layouts) const;
  /// The program with the dims of intermediate values in a random order in memory, another one for
  /// each seed but 0: results have the same bits. For tests.
  Program with_random_layouts(uint64_t seed) const;
  /// What a run of every nest's schedule on zeros, without code, finds wrong; nothing where all is
  /// right. For tests of the compiler.
  std::vector<std::string> schedule_faults(int threads = 2) const;

  /// The program whose scans of lists take that order; its results have the same bits.
  Program in_order(ScanOrder order) const;

  std::vector<TensorSpec> parameters() const;
  std::vector<TensorSpec> results() const;
  /// Arrays of the code around the function that it used; they are passed after the declared
  /// arguments.
  const std::vector<Array>& captured() const;
  /// The names that a program's text gives to its arguments and returned values; empty for a traced
  /// program.
  std::vector<std::string> parameter_names() const;
  std::vector<std::string> result_names() const;

private:
  std::shared_ptr<State> state_;
};

/// Calls `function` once on traced values of the given specs and records what it does. `names` say
/// how the user reaches each parameter, as `params[0]["w1"]`, in texts and errors; where they are
/// none, its number does.
Program trace(std::span<const TensorSpec> parameters,
              const std::function<std::vector<Tensor>(std::vector<Tensor>)>& function,
              const std::vector<std::string>& names = {});

/// Calls `function`, which records into the trace that is running on this thread, and puts checks
/// into what it records. Throws `[bad-option]` in a body over single elements, which can hold none.
/// Outside a trace it only calls.
void trace_checked(const Checks& checks, const std::function<void()>& function);

/// The stages that `as_text` knows, in order.
std::vector<std::string> stage_names();

/// Reads a program's text as `as_text("program")` writes it. Throws `[bad-program]`, naming line
/// and column.
Program parse_program(const std::string& text, const std::string& file_name);

} // namespace kolam
