// Read it from top to bottom: that is the order in which a program flows.
#include "kolam/driver/spine.h"

#include "kolam/driver/nest_cache.h"
#include "kolam/driver/program_rules.h"
#include "kolam/driver/progress.h"
#include "kolam/driver/schedules.h"
#include "kolam/driver/verify.h"
#include "kolam/nest/layouts.h"
#include "kolam/rewrite/simplify.h"
#include "kolam/runtime/long_work.h"
#include "kolam/runtime/thread_pool.h"
#include "kolam/support/error.h"
#include "kolam/support/trace.h"
#include "kolam/transform/custom_partitioning.h"
#include "kolam/transform/derive/adjoint_groups.h"
#include "kolam/transform/derive/copies.h"
#include "kolam/transform/derive/notes.h"
#include "kolam/transform/kernels.h"
#include "kolam/transform/layout_notes.h"
#include "kolam/transform/lists.h"

#include <atomic>
#include <chrono>
#include <exception>

namespace kolam::driver {
namespace {

std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text + "\n";
}

/// Adds the time from here to the end of its scope.
class Stopwatch {
public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_ = Clock::now();
};

class Journey {
public:
  Journey(Road& road, const Options& options, Stage last, const std::set<Stage>& shown)
      : road_(road), options_(options), backend_(*options.backend), last_(last), shown_(shown) {}

  void run() {
    mlir::ModuleOp program = *road_.program.module;
    traced("verify", [&] {
      verify(program);
      if (!transform::has_lists(program))
        verify_extents(program);
    });
    show(kProgram, [&] { return print(program); });
    if (road_.program.is_parsed)
      traced("guard", [&] { guard_sizes(program); });
    if (last_ == kProgram)
      return;
    auto leave = [&] { road_.notes = leave_what_runs(program); };
    transform::has_kernels(program) ? traced("kernels", leave) : leave();
    if (transform::has_reversed_axes(program))
      traced("adjoints", [&] {
        llvm::append_range(road_.notes, transform::group_adjoints(program));
        verify(program);
      });
    if (transform::has_lists(program))
      traced("lists", [&] {
        if (last_ == kLoaded)
          road_.on_lists = road_.program.clone();
        llvm::append_range(road_.notes, transform::lists_to_tensors(program));
        verify(program);
      });
    if (ends(kTensors, [&] { return print(program); }))
      return;
    Progress progress;
    progress.at("rewrite");
    traced("rewrite", [&] {
      llvm::append_range(road_.notes,
                         rewrite::simplify(program, options_.backend->machine().has_fma));
    });
    if (ends(kRewritten, [&] { return print(program); }))
      return;
    progress.at("nests");
    road_.nests = traced("nests", [&] {
      return nest::form_nests(road_.program.main(), options_.captured, options_.backend->machine(),
                              options_.explains);
    });
    if (!options_.layout_texts.empty())
      nest::give_layouts(road_.nests, options_.layout_texts);
    if (options_.layout_seed != 0)
      nest::permute_layouts(road_.nests, options_.layout_seed);
    require_nests_of_schedules();
    if (ends(kNests, [&] { return nest::to_string(road_.nests) + schedules_text(); }))
      return;
    if (last_ == kLoaded)
      backend_.require_runnable();
    for (const auto& [number, nest] : llvm::enumerate(road_.nests.nests)) {
      progress.at("nest", number + 1, road_.nests.nests.size());
      traced(nest.name, [&] { run(nest); });
    }
    if (last_ < kLoaded)
      return;
    progress.at("machine code");
    traced("codegen", [&] { compile_pending(); });
    traced("load", [&] { load(); });
  }

private:
  template <class F> std::invoke_result_t<F&> traced(std::string_view stage, F&& work) {
    runtime::stop_if_cancelled();
    Stopwatch watch(road_.seconds[std::string(stage)]);
    return kolam::traced(stage, "compile", work);
  }

  /// A nest that lies nowhere yet.
  struct Pending {
    ContentKey key;
    std::unique_ptr<backend::UnfinishedNest> code;
    std::string bytes = {};
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

  /// How a nest runs.
  struct Chosen {
    nest::Schedule schedule;
    NestOrigin origin;
  };

  /// Of equal nests once, but for those whose schedule is given by name.
  const Chosen& choose(const nest::IsolatedNest& isolated) {
    const std::string& name = isolated.nest.name;
    const ContentKey measurements = measurements_key(isolated, backend_);
    auto [found, is_first] = chosen_.try_emplace(
        {measurements, options_.schedule_texts.contains(name) ? name : std::string()});
    if (is_first) {
      const ContentKey measured = measurements_stamp(measurements, CacheDirectory::open());
      nest::Schedule schedule = schedule_of(isolated, options_);
      const ContentKey code = nest_key(isolated, backend_, schedule);
      found->second = {std::move(schedule), {code, measurements, measured}};
    }
    return found->second;
  }

  void run(const nest::Nest& in_program) {
    nest::IsolatedNest isolated = nest::isolate(in_program);
    const Chosen& chosen = *traced("key", [&] { return &choose(isolated); });
    road_.origins.push_back(chosen.origin);
    const ContentKey& key = chosen.origin.code;
    if (last_ == kLoaded) {
      auto [found, is_first] = compiled_.try_emplace(key);
      if (is_first)
        found->second = traced("find", [&] { return find_nest(key, backend_); });
      if (!is_first || found->second)
        return;
    }
    auto code = backend_.translate(isolated, chosen.schedule, nest_symbol(key),
                                   [&](size_t stage, llvm::function_ref<std::string()> text) {
                                     return ends(kNests + 1 + stage, [&] {
                                       return "// " + isolated.nest.name + "\n" + text();
                                     });
                                   });
    if (code)
      pending_.push_back({key, std::move(code)});
  }

  /// Threads take one after the other: nests differ in how long they take.
  void compile_pending() {
    struct Shared {
      std::vector<Pending>& pending;
      const backend::Backend& backend;
      std::atomic<size_t> next = 0;
      std::vector<std::exception_ptr> errors;
    } shared{pending_, backend_, {}, std::vector<std::exception_ptr>(pending_.size())};
    auto work = [](void* context, int64_t, int64_t, int) {
      auto& shared = *static_cast<Shared*>(context);
      std::unique_ptr<backend::Tools> tools;
      for (size_t i = shared.next++; i < shared.pending.size(); i = shared.next++)
        try {
          runtime::stop_if_cancelled();
          if (!tools)
            tools = shared.backend.make_tools();
          shared.pending[i].bytes = shared.pending[i].code->finish(*tools);
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
      compiled_[nest.key] = keep_nest(nest.key, nest.bytes, backend_);
    for (const NestOrigin& origin : road_.origins)
      road_.loaded.push_back(compiled_.at(origin.code));
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
  const backend::Backend& backend_;
  Stage last_;
  const std::set<Stage>& shown_;
  std::map<std::pair<ContentKey, std::string>, Chosen> chosen_; ///< by measurements, and by name
  std::map<ContentKey, CompiledNest> compiled_;                 ///< null for what is pending
  std::vector<Pending> pending_;
};

} // namespace

std::vector<std::string> leave_what_runs(mlir::ModuleOp program) {
  transform::drop_derivative_notes(program);
  transform::derive::drop_copies(program);
  transform::keep_binding_pins(program);
  transform::take_bodies(program, transform::Composites::none);
  if (!transform::has_kernels(program))
    return {};
  std::vector<std::string> notes = transform::kernels_to_values(program);
  verify(program);
  return notes;
}

Road travel(Module program, const Options& options, Stage last, const std::set<Stage>& shown) {
  TraceSpan span("compile", "compile");
  Road road{std::move(program), {}, {}};
  Journey(road, options, last, shown).run();
  for (Stage stage : shown)
    if (stage > kNests && stage <= last && road.nests.nests.empty())
      road.texts[stage] = "// no nests: every step is of the runtime\n";
  return road;
}

} // namespace kolam::driver
