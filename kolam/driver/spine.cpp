// Read it from top to bottom: that is the order in which a program flows.
#include "kolam/driver/spine.h"

#include "kolam/backend/cpu/compile.h"
#include "kolam/driver/nest_cache.h"
#include "kolam/driver/program_rules.h"
#include "kolam/driver/progress.h"
#include "kolam/driver/verify.h"
#include "kolam/lower/lower.h"
#include "kolam/rewrite/simplify.h"
#include "kolam/support/error.h"
#include "kolam/support/trace.h"

namespace kolam::driver {
namespace {

std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text + "\n";
}

auto traced(std::string_view stage, auto&& work) {
  TraceSpan span(stage, "compile");
  return work();
}

class Journey {
public:
  Journey(Road& road, const Options& options, Stage last, const std::set<Stage>& shown)
      : road_(road), target_(options.target), last_(last), shown_(shown) {}

  void run() {
    mlir::ModuleOp program = *road_.program.module;
    traced("verify", [&] { verify(program); });
    show(Stage::program, [&] { return print(program); });
    if (road_.program.is_parsed)
      traced("guard", [&] { guard_sizes(program); });
    if (last_ == Stage::program)
      return;
    Progress progress;
    progress.at("rewrite");
    traced("rewrite", [&] { rewrite::simplify(program); });
    if (ends(Stage::rewritten, [&] { return print(program); }))
      return;
    progress.at("nests");
    road_.nests = traced("nests", [&] { return nest::form_nests(road_.program.main()); });
    if (ends(Stage::nests, [&] { return nest::to_string(road_.nests); }))
      return;
    for (const auto& [number, nest] : llvm::enumerate(road_.nests.nests)) {
      progress.at("nest", number + 1, road_.nests.nests.size());
      traced(nest.name, [&] { run(nest); });
    }
  }

private:
  void run(const nest::Nest& in_program) {
    nest::IsolatedNest isolated = nest::isolate(in_program);
    const nest::Nest& nest = isolated.nest;
    ContentKey key = traced("key", [&] { return nest_key(isolated, target_); });
    if (last_ == Stage::loaded)
      if (CompiledNest found = traced("find", [&] { return find_nest(key); })) {
        road_.loaded.push_back(std::move(found));
        return;
      }
    lower::load_dialects(*road_.program.context);
    auto code = traced("lower", [&] { return lower::lower_nest(nest, target_.machine); });
    if (ends(Stage::lowered, [&] { return "// " + nest.name + "\n" + print(*code); }))
      return;
    traced("llvm", [&] { KOLAM_CHECK(lower::to_llvm(*code)); });
    if (ends(Stage::llvm,
             [&] { return "// " + nest.name + "\n" + backend::cpu::llvm_text(*code, target_); }))
      return;
    if (ends(Stage::assembly, [&] {
          return "// " + nest.name + "\n" + backend::cpu::assembly_text(*code, target_);
        }))
      return;
    auto object = traced(
        "codegen", [&] { return backend::cpu::compile_object(*code, target_, nest_symbol(key)); });
    road_.loaded.push_back(traced("load", [&] { return keep_nest(key, object); }));
  }

  void show(Stage stage, auto&& text) {
    if (shown_.contains(stage))
      road_.texts[stage] += text();
  }
  bool ends(Stage stage, auto&& text) {
    show(stage, text);
    return stage == last_;
  }

  Road& road_;
  const backend::cpu::Target& target_;
  Stage last_;
  const std::set<Stage>& shown_;
};

} // namespace

Road travel(Module program, const Options& options, Stage last, const std::set<Stage>& shown) {
  TraceSpan span("compile", "compile");
  Road road{std::move(program), {}, {}, {}};
  Journey(road, options, last, shown).run();
  for (Stage stage : {Stage::lowered, Stage::llvm, Stage::assembly})
    if (shown.contains(stage) && stage <= last && road.nests.nests.empty())
      road.texts[stage] = "// no nests: every step is of the runtime\n";
  return road;
}

} // namespace kolam::driver
