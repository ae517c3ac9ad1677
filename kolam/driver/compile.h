/// From a traced program to something that runs.
#pragma once

#include "kolam/backend/table/backends.h"
#include "kolam/driver/disk_cache.h"
#include "kolam/nest/schedule.h"
#include "kolam/runtime/run_steps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace kolam::driver {

using runtime::Array;

struct Options {
  /// Whose code runs; of programs that are interpreted, whose steps of `accumulate` they take.
  std::shared_ptr<const backend::Backend> backend = backend::default_backend();
  bool is_interpreted = false;
  /// Of nests by measurements_key (driver/schedules.h); others follow the best that was measured.
  std::map<ContentKey, nest::Schedule> schedules = {};
  /// Of nests by name, as text (nest/schedule.h): given by hand, before all others. Throws
  /// `[bad-schedule]` where a nest is not there or its schedule does not compute it.
  std::map<std::string, std::string> schedule_texts = {};
  /// How buffers lie, by name, as text (nest/layouts.h). Throws `[bad-layout]`.
  std::map<std::string, std::string> layout_texts = {};
  /// Where it is not 0, intermediate values have their dims in a random order in memory, drawn by
  /// it (nest/layouts.h).
  uint64_t layout_seed = 0;
  /// What is chosen says why: for `explain`.
  bool explains = false;
  /// So many of the last arguments are the same arrays at every run with one Prepared.
  int captured = 0;
};

class Executable;

/// What a run took: in all, and step by step.
struct Measured {
  double seconds = 0;             ///< without what is computed once, in front of all runs
  double preparation_seconds = 0; ///< of that; 0 where an earlier run did it
  std::vector<runtime::StepRecord> steps, preparation; ///< by the numbers of steps
};

/// What executables have computed once, in front of all runs, of one set of captured arguments.
/// May be used by several threads at once.
class Prepared {
public:
  /// The arrays that `make` gave for this executable; where it has not yet run, runs it.
  const std::vector<Array>& of(const Executable& executable,
                               const std::function<std::vector<Array>()>& make);

private:
  struct Made {
    uint64_t executable; ///< its number
    std::vector<Array> arrays;
  };
  std::mutex mutex_;                             ///< guards the making
  std::vector<std::unique_ptr<const Made>> all_; ///< earlier ones may be in use still
  std::atomic<const Made*> latest_ = nullptr;
};

/// A compiled program with memory that stays: runs need no checks of arguments, and allocate
/// nothing (runtime/bound_run.h).
class BoundProgram {
public:
  virtual ~BoundProgram() = default;
  /// From now on argument or result `number` is at `memory`, of as many bytes.
  virtual void read_from(int number, const void* memory) = 0;
  virtual void write_to(int number, void* memory) = 0;
  /// Throws the Error of a check that fails; results are unspecified then.
  virtual void run() = 0;
};

/// A compiled program.
class Executable {
public:
  virtual ~Executable() = default;
  /// Runs on arrays of the declared dtypes and shapes. Throws `[argument-mismatch]`,
  /// `[out-of-memory]`, and the Error of a check that fails, at the user's line; `[cancelled]` soon
  /// after `*cancel` became non-zero. Memory that only `arguments` hold may become that of results:
  /// the caller must drop them. May be called from several threads at once.
  /// What is computed once is kept in `prepared`; null: with the executable, which is right where
  /// nothing is captured. Result i may be written to the memory of `outputs[i]`, as run_steps says;
  /// it then is that array.
  virtual std::vector<Array> run(std::span<const Array> arguments, const volatile int32_t* cancel,
                                 Prepared* prepared = nullptr,
                                 std::span<const Array> outputs = {}) const = 0;
  /// Whether each run takes less than about a millisecond.
  virtual bool is_short() const = 0;
  /// Runs and gives what that took; of the interpreter no steps.
  virtual Measured measure(std::span<const Array> arguments, const volatile int32_t* cancel,
                           Prepared* prepared = nullptr) const = 0;
  /// The program on that memory, arguments and outputs of the declared dtypes and shapes; null
  /// where it can't be bound: interpreted programs, sizes that only the run knows. Lives no longer
  /// than this.
  virtual std::unique_ptr<BoundProgram> bind(std::span<const Array> arguments,
                                             std::span<const Array> outputs,
                                             Prepared& prepared) const = 0;
  /// The argument whose memory each result may be written to, as what it holds is not read any more
  /// then; -1 for none.
  virtual std::vector<int> donors() const = 0;
  /// Whether a run on arguments as declared may stop with an Error, but for memory.
  virtual bool may_fail() const = 0;

  /// No other executable of the process has or had this number.
  const uint64_t number = next_number();

private:
  static uint64_t next_number();
};

/// A program: the context and the module whose function `main` it is.
struct Module {
  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Read from text: nobody has checked yet that its sizes fit (program_rules.h, guard_sizes).
  bool is_parsed = false;
  mlir::func::FuncOp main() const;
  Module clone() const;
};

/// A context with every dialect the stages use.
std::shared_ptr<mlir::MLIRContext> make_context();
/// The last one that this gave to the thread, where no program holds it any more; else a new one,
/// which costs as much as a small program. What a context has seen it keeps, so it is not lent
/// forever.
std::shared_ptr<mlir::MLIRContext> lend_context();

/// Runs all stages (driver/spine.h). The module is taken over (it is dropped, or kept by the
/// interpreter).
std::shared_ptr<const Executable> compile(Module module, const Options& options);

/// The stages that `stage_text` knows, in order.
std::vector<std::string> stage_names(const backend::Backend& backend = *backend::default_backend());

/// The text of the program after a stage: "program", "tensors" (its lists as tensors), "rewritten",
/// "nests", and those of the backend ("lowered", "llvm", "assembly"). Throws `[unknown-stage]`.
std::string stage_text(const Module& module, const Options& options, const std::string& stage);

} // namespace kolam::driver
