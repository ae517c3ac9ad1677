/// From a traced program to something that runs.
#pragma once

#include "kolam/backend/cpu/target.h"
#include "kolam/driver/disk_cache.h"
#include "kolam/lower/schedule.h"
#include "kolam/runtime/array.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kolam::driver {

using runtime::Array;

enum class Backend : uint8_t { cpu, interpret };

struct Options {
  Backend backend = Backend::cpu;
  backend::cpu::Target target = backend::cpu::Target::host();
  /// Of nests by measurements_key (driver/schedules.h); others follow the best that was measured.
  std::map<ContentKey, lower::Schedule> schedules = {};
};

/// A compiled program.
class Executable {
public:
  virtual ~Executable() = default;
  /// Runs on arrays of the declared dtypes and shapes. Throws `[argument-mismatch]`,
  /// `[out-of-memory]`, and the Error of a check that fails, at the user's line; `[cancelled]` soon
  /// after `*cancel` became non-zero. Memory that only `arguments` hold may become that of results:
  /// the caller must drop them. May be called from several threads at once.
  virtual std::vector<Array> run(std::span<const Array> arguments,
                                 const volatile int32_t* cancel) const = 0;
  /// Whether each run takes less than about a millisecond.
  virtual bool is_short() const = 0;
  /// Runs and gives the seconds that each nest took; none for the interpreter.
  virtual std::vector<double> measure(std::span<const Array> arguments,
                                      const volatile int32_t* cancel) const = 0;
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
std::vector<std::string> stage_names();

/// The text of the program after a stage: "program", "rewritten", "nests", "lowered", "llvm",
/// "assembly". Throws `[unknown-stage]`.
std::string stage_text(const Module& module, const Options& options, const std::string& stage);

} // namespace kolam::driver
