// Read it from top to bottom: that is the order in which a program flows.
#include "kolam/driver/spine.h"

#include "kolam/backend/cpu/compile.h"
#include "kolam/driver/nest_cache.h"
#include "kolam/driver/program_rules.h"
#include "kolam/driver/progress.h"
#include "kolam/driver/schedules.h"
#include "kolam/driver/verify.h"
#include "kolam/lower/lower.h"
#include "kolam/rewrite/simplify.h"
#include "kolam/runtime/long_work.h"
#include "kolam/runtime/thread_pool.h"
#include "kolam/support/error.h"
#include "kolam/support/trace.h"
#include "kolam/transform/lists.h"

#include <atomic>
#include <exception>

namespace kolam::driver {
namespace {

std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text + "\n";
}

auto traced(std::string_view stage, auto&& work) {
  runtime::stop_if_cancelled();
  TraceSpan span(stage, "compile");
  return work();
}

class Journey {
public:
  Journey(Road& road, const Options& options, Stage last, const std::set<Stage>& shown)
      : road_(road), options_(options), target_(options.target), last_(last), shown_(shown) {}

  void run() {
    mlir::ModuleOp program = *road_.program.module;
    traced("verify", [&] { verify(program); });
    show(Stage::program, [&] { return print(program); });
    if (road_.program.is_parsed)
      traced("guard", [&] { guard_sizes(program); });
    if (last_ == Stage::program)
      return;
    if (transform::has_lists(program))
      traced("lists", [&] {
        if (last_ == Stage::loaded)
          road_.on_lists = road_.program.clone();
        road_.list_orders = transform::lists_to_tensors(program);
        verify(program);
      });
    if (ends(Stage::tensors, [&] { return print(program); }))
      return;
    Progress progress;
    progress.at("rewrite");
    traced("rewrite", [&] { rewrite::simplify(program); });
    if (ends(Stage::rewritten, [&] { return print(program); }))
      return;
    progress.at("nests");
    road_.nests =
        traced("nests", [&] { return nest::form_nests(road_.program.main(), options_.captured); });
    require_nests_of_schedules();
    if (ends(Stage::nests, [&] { return nest::to_string(road_.nests) + schedules_text(); }))
      return;
    if (last_ == Stage::loaded)
      target_.require_runnable();
    for (const auto& [number, nest] : llvm::enumerate(road_.nests.nests)) {
      progress.at("nest", number + 1, road_.nests.nests.size());
      traced(nest.name, [&] { run(nest); });
    }
    if (last_ < Stage::loaded)
      return;
    progress.at("machine code");
    traced("codegen", [&] { compile_pending(); });
    traced("load", [&] { load(); });
  }

private:
  /// A nest that lies nowhere yet.
  struct Pending {
    ContentKey key;
    backend::cpu::TranslatedNest code;
    std::string object = {};
  };

  /// Schedules are given for nests that are there.
  void require_nests_of_schedules() const {
    for (const auto& [name, text] : options_.schedule_texts)
      if (llvm::none_of(road_.nests.nests,
                        [&](const nest::Nest& nest) { return nest.name == name; }))
        fail(ErrorKind::value, "bad-schedule",
             "the program has " + nest_names() + ", but none called '" + name + "'");
  }

  std::string nest_names() const {
    size_t count = road_.nests.nests.size();
    if (count < 2)
      return count == 0 ? "no nest" : "1 nest, " + road_.nests.nests[0].name;
    return std::to_string(count) + " nests, " + road_.nests.nests[0].name + " to " +
           road_.nests.nests.back().name;
  }

  /// The loops of each nest.
  std::string schedules_text() const {
    std::string text;
    for (const nest::Nest& nest : road_.nests.nests)
      text +=
          nest.name + "\n" + indented(nest::to_string(schedule_of(nest::isolate(nest), options_)));
    return text;
  }

  void run(const nest::Nest& in_program) {
    nest::IsolatedNest isolated = nest::isolate(in_program);
    const nest::Nest& nest = isolated.nest;
    nest::Schedule schedule = schedule_of(isolated, options_);
    keys_.push_back(traced("key", [&] { return nest_key(isolated, target_, schedule); }));
    const ContentKey& key = keys_.back();
    if (last_ == Stage::loaded) {
      auto [found, is_first] = compiled_.try_emplace(key);
      if (is_first)
        found->second = traced("find", [&] { return find_nest(key); });
      if (!is_first || found->second)
        return;
    }
    lower::load_dialects(*road_.program.context);
    auto code = traced("lower", [&] { return lower::lower_nest(nest, target_.machine, schedule); });
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
    pending_.push_back({key, backend::cpu::TranslatedNest(*code, nest_symbol(key))});
  }

  /// Threads take one after the other: nests differ in how long they take.
  void compile_pending() {
    struct Shared {
      std::vector<Pending>& pending;
      const backend::cpu::Target& target;
      std::atomic<size_t> next = 0;
      std::vector<std::exception_ptr> errors;
    } shared{pending_, target_, {}, std::vector<std::exception_ptr>(pending_.size())};
    auto work = [](void* context, int64_t, int64_t, int) {
      auto& shared = *static_cast<Shared*>(context);
      std::unique_ptr<backend::cpu::CodeGenerator> generator;
      for (size_t i = shared.next++; i < shared.pending.size(); i = shared.next++)
        try {
          runtime::stop_if_cancelled();
          if (!generator)
            generator = std::make_unique<backend::cpu::CodeGenerator>(shared.target);
          shared.pending[i].object = shared.pending[i].code.compile(*generator);
        } catch (...) {
          shared.errors[i] = std::current_exception();
        }
    };
    auto threads = std::min<int64_t>(runtime::thread_count(), std::ssize(pending_));
    runtime::parallel_for(threads, work, &shared);
    for (const std::exception_ptr& error : shared.errors)
      if (error)
        std::rethrow_exception(error);
  }

  void load() {
    for (const Pending& nest : pending_)
      compiled_[nest.key] = keep_nest(nest.key, nest.object);
    for (const ContentKey& key : keys_)
      road_.loaded.push_back(compiled_.at(key));
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
  const Options& options_;
  const backend::cpu::Target& target_;
  Stage last_;
  const std::set<Stage>& shown_;
  std::vector<ContentKey> keys_;                ///< by nest
  std::map<ContentKey, CompiledNest> compiled_; ///< null for what is pending
  std::vector<Pending> pending_;
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
