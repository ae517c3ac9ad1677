// Compiles programs, and shows what stages make of them.
#include "kolam/driver/compile.h"

#include "kolam/driver/executable.h"
#include "kolam/driver/program_cache.h"
#include "kolam/driver/spine.h"
#include "kolam/ir/dialect.h"
#include "kolam/support/error.h"

#include "llvm/ADT/StringExtras.h"

namespace kolam::driver {

mlir::func::FuncOp Module::main() const {
  return module.get().lookupSymbol<mlir::func::FuncOp>("main");
}

Module Module::clone() const { return {context, module.get().clone(), is_parsed}; }

std::shared_ptr<mlir::MLIRContext> make_context() {
  auto context = std::make_shared<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  context->loadDialect<ir::KolamDialect, mlir::func::FuncDialect>();
  return context;
}

std::shared_ptr<mlir::MLIRContext> lend_context() {
  constexpr int kMostLoans = 1000;
  struct Lent {
    std::shared_ptr<mlir::MLIRContext> context;
    int loans = 0;
  };
  thread_local Lent lent;
  bool is_free = lent.context && lent.context.use_count() == 1 && lent.loans < kMostLoans;
  if (!is_free)
    lent = {make_context(), 0};
  ++lent.loans;
  return lent.context;
}

std::shared_ptr<const Executable> compile(Module program, const Options& options) {
  const Machine machine = options.backend->machine();
  if (options.is_interpreted)
    return interpreted(travel(std::move(program), options, kProgram).program, machine.has_fma);
  const ProgramPlace place(program, options);
  if (std::optional<CompiledProgram> kept = place.find()) {
    options.backend->require_runnable();
    std::optional<OnLists> on_lists;
    if (kept->is_on_lists)
      on_lists = {std::move(program), true};
    return native(std::move(*kept), std::move(on_lists), machine);
  }
  Road road = travel(std::move(program), options, kLoaded);
  std::optional<OnLists> on_lists;
  if (road.on_lists)
    on_lists = {std::move(*road.on_lists)};
  CompiledProgram made = compiled_program(std::move(road));
  place.keep(made);
  return native(std::move(made), std::move(on_lists), machine);
}

std::vector<std::string> stage_names(const backend::Backend& backend) {
  std::vector<std::string> names{"program", "tensors", "rewritten", "nests"};
  llvm::append_range(names, backend.stages());
  return names;
}

std::string stage_text(const Module& program, const Options& options, const std::string& name) {
  std::vector<std::string> known = stage_names(*options.backend);
  auto found = llvm::find(known, name);
  if (found == known.end())
    fail(ErrorKind::value, "unknown-stage",
         "expected one of " + llvm::join(known, ", ") + ", but got '" + name + "'");
  auto stage = static_cast<Stage>(found - known.begin());
  return travel(program.clone(), options, stage, {stage}).texts[stage];
}

} // namespace kolam::driver
