// The spine. Read it from top to bottom: that is the order in which a program flows.
#include "kolam/driver/compile.h"

#include "kolam/backend/cpu/compile.h"
#include "kolam/driver/executable.h"
#include "kolam/driver/nest_cache.h"
#include "kolam/driver/progress.h"
#include "kolam/driver/verify.h"
#include "kolam/ir/dialect.h"
#include "kolam/lower/lower.h"
#include "kolam/nest/nest.h"
#include "kolam/rewrite/simplify.h"
#include "kolam/support/error.h"
#include "kolam/support/trace.h"

#include "llvm/ADT/StringExtras.h"

namespace kolam::driver {

mlir::func::FuncOp Module::main() const {
  return module.get().lookupSymbol<mlir::func::FuncOp>("main");
}

std::shared_ptr<mlir::MLIRContext> make_context() {
  auto context = std::make_shared<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  context->loadDialect<ir::KolamDialect, mlir::func::FuncDialect>();
  return context;
}

std::shared_ptr<const Executable> compile(Module program, const Options& options) {
  TraceSpan whole("compile", "compile");
  Progress progress;
  verify(*program.module);
  if (options.backend == Backend::interpret)
    return interpreted(std::move(program), options.target);

  progress.at("rewriting");
  {
    TraceSpan span("rewrite", "compile");
    rewrite::simplify(*program.module);
  }
  progress.at("forming nests");
  nest::NestList nests = [&] {
    TraceSpan span("nests", "compile");
    return nest::form_nests(program.main());
  }();
  lower::load_dialects(*program.context);
  std::vector<std::shared_ptr<const backend::cpu::LoadedNest>> loaded;
  for (const nest::Nest& nest : nests.nests) {
    progress.at("nest", loaded.size() + 1, nests.nests.size());
    TraceSpan span(nest.name, "compile");
    loaded.push_back(compile_nest(nest, options.target));
  }
  return native(std::move(nests), std::move(loaded), program.main());
}

std::vector<std::string> stage_names() {
  return {"program", "rewritten", "nests", "lowered", "llvm", "assembly"};
}

std::string stage_text(const Module& program, const Options& options, const std::string& stage) {
  auto print = [](mlir::ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream);
    return text + "\n";
  };
  std::vector<std::string> known = stage_names();
  if (llvm::find(known, stage) == known.end())
    fail(ErrorKind::value, "unknown-stage",
         "expected one of " + llvm::join(known, ", ") + ", but got '" + stage + "'");
  verify(*program.module);
  if (stage == "program")
    return print(*program.module);
  mlir::OwningOpRef<mlir::ModuleOp> copy = program.module.get().clone();
  rewrite::simplify(*copy);
  if (stage == "rewritten")
    return print(*copy);
  nest::NestList nests = nest::form_nests(copy->lookupSymbol<mlir::func::FuncOp>("main"));
  if (stage == "nests")
    return nest::to_string(nests);
  lower::load_dialects(*program.context);
  std::string text;
  for (const nest::Nest& nest : nests.nests) {
    text += "// " + nest.name + "\n";
    auto lowered = lower::lower_nest(nest, options.target.has_fma);
    if (stage == "lowered") {
      text += print(*lowered);
      continue;
    }
    KOLAM_CHECK(lower::to_llvm(*lowered));
    text += stage == "llvm" ? backend::cpu::llvm_text(*lowered, options.target)
                            : backend::cpu::assembly_text(*lowered, options.target);
  }
  return text;
}

} // namespace kolam::driver
