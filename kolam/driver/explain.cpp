// Explains programs.
#include "kolam/driver/explain.h"

#include "kolam/analysis/block_graph.h"
#include "kolam/driver/compile_times.h"
#include "kolam/driver/cost.h"
#include "kolam/driver/nest_cache.h"
#include "kolam/driver/op_names.h"
#include "kolam/driver/ref_copies.h"
#include "kolam/driver/refusals.h"
#include "kolam/driver/schedules.h"
#include "kolam/driver/spine.h"
#include "kolam/ir/attention.h"
#include "kolam/ir/location.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/nest/schedule_choice.h"
#include "kolam/nest/schedule_summary.h"
#include "kolam/runtime/long_work.h"
#include "kolam/support/error.h"
#include "kolam/support/short_location.h"
#include "kolam/transform/derive/notes.h"
#include "kolam/transform/layout_notes.h"
#include "kolam/transform/lists.h"

#include "llvm/ADT/StringExtras.h"

namespace kolam::driver {
namespace {

std::string whole(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", number);
  return text;
}

std::string figures(double bytes, double flops) {
  return whole(bytes) + " bytes, " + whole(flops) + " flops";
}

std::string describe(const StepCost& step, OpNames& names) {
  std::string text = step.name + (step.root ? " = " + names.of(step.root) : "") + ": " +
                     figures(step.bytes, step.flops);
  if (step.times != 1)
    text += ", " + whole(step.times) + " times";
  if (auto attention = llvm::dyn_cast_if_present<ir::AttentionOp>(step.root))
    text += "; " + ir::walk_of(attention);
  return text + "\n";
}

std::string describe(const nest::Decision& decision, OpNames& names) {
  return names.of(decision.producer) + " -> " + names.of(decision.consumer) + ": " +
         (decision.reason.empty() ? "fused" : "not fused: " + decision.reason) + "\n";
}

/// How each nest runs and what its code does element by element, under the schedule that it would
/// be compiled with; which schedules were measured; and where compiled code lies. Adds to
/// `refusals` what the nests do without.
struct NestTexts {
  std::string walks, cache;
};
NestTexts describe_nests(const Road& road, const Options& options, Refusals& refusals) {
  const Machine& machine = options.backend->machine();
  CacheDirectory directory = object_directory();
  int64_t in_memory = 0, on_disk = 0;
  std::string walks, tuned;
  for (const nest::Nest& nest : road.nests.nests) {
    runtime::stop_if_cancelled();
    nest::IsolatedNest isolated = nest::isolate(nest);
    nest::Schedule schedule = schedule_of(isolated, options);
    std::vector<std::string> fallbacks = options.backend->fallbacks(isolated, schedule);
    walks += nest.name + " runs by " + nest::summary(schedule, isolated.nest, machine);
    for (const std::string& fallback : fallbacks)
      walks += ", " + fallback;
    walks += "\n";
    refusals.add_walk(nest, nest::why_one_lane(schedule, isolated.nest, machine), fallbacks);
    if (options.schedule_texts.contains(nest.name))
      tuned += nest.name + " is scheduled by hand\n";
    else if (schedule != nest::choose_schedule(isolated.nest, machine))
      tuned += nest.name + " is tuned\n";
    NestPlace place =
        place_of_nest(nest_key(isolated, *options.backend, schedule), *options.backend);
    in_memory += place == NestPlace::memory;
    on_disk += place == NestPlace::disk;
  }
  std::string places = "compiled before: " + std::to_string(in_memory) + " in memory, " +
                       (directory.is_open() ? std::to_string(on_disk) + " on disk in '" +
                                                  directory.settings().path + "'\n"
                                            : "none on disk: " + directory.reason() + "\n");
  return {walks, tuned + places};
}

/// What a program on lists reads where. Expressions may become too large to follow.
std::string describe_blocks(const Module& program) {
  try {
    Module copy = program.clone();
    transform::drop_layout_notes(*copy.module);
    return analysis::short_text(analysis::block_graph_of(copy.main()));
  } catch (const Error& error) {
    return std::string("no block graph: ") + error.what() + "\n";
  }
}

/// Of every value that a nest stores its data dimension, and why.
std::string describe_orders(const Road& road, const Machine& machine) {
  std::string text;
  for (const nest::Nest& nest : road.nests.nests)
    for (auto [number, output] : llvm::enumerate(nest.outputs)) {
      runtime::stop_if_cancelled();
      mlir::Value stored =
          llvm::isa<ir::TogetherOp>(nest.root) ? nest.root->getOperand(number) : output;
      mlir::Operation* op = stored.getDefiningOp();
      if (nest.packs || ir::rank_of(stored) == 0 || !op)
        continue;
      std::string line = short_location(ir::to_source_location(op->getLoc()));
      text += nest.name + " stores " + label_of(op) + (line.empty() ? "" : " (" + line + ")") +
              ": " + nest::why_ordered(stored, road.nests.axis_orders, machine) + "\n";
    }
  return text;
}

/// How sizes were counted that only a call knows; nothing where all are known.
std::string guess_text(const StepProgram& program) {
  bool is_guess = llvm::any_of(program.buffers, [](const BufferPlan& buffer) {
    return llvm::any_of(buffer.shape, [](const Extent& extent) { return !extent.is_constant(); });
  });
  return is_guess ? ", of sizes that only a call knows as " +
                        whole(ir::rough_count({Extent::symbol("n")}))
                  : "";
}

std::string count_of_nests(size_t count) {
  return std::to_string(count) + (count == 1 ? " nest" : " nests");
}

} // namespace

std::string label_of(mlir::Operation* op) { return analysis::label_of(op); }

std::string explain(const Module& program, const Options& options, const MeasuredRuns* measured) {
  Options asking = options;
  asking.explains = true;
  Road road = travel(program.clone(), asking, kNests, {kNests});
  OpNames names(*road.program.module);
  std::string text;
  if (transform::has_lists(*program.module))
    text += describe_blocks(program);
  for (const std::string& note : transform::derivative_notes(*program.module))
    text += note + "\n";
  for (const std::string& note : road.notes)
    text += note + "\n";
  text += road.texts[kNests] + ref_copies(road.nests);
  text += describe_orders(road, options.backend->machine());
  Cost cost = cost_of(road.nests, options.backend->machine());
  for (const StepCost& step : cost.steps)
    text += describe(step, names);
  text += "total: " + figures(cost.bytes, cost.flops) + ", " + whole(cost.arena_bytes) +
          " bytes of arena, " + count_of_nests(road.nests.nests.size()) +
          guess_text(road.nests.program) + "\n";
  Refusals refusals;
  refusals.add_decisions(road.nests.decisions);
  NestTexts nests = describe_nests(road, options, refusals);
  refusals.add_threads(road.nests);
  text += nests.walks;
  for (const nest::Decision& decision : road.nests.decisions) {
    runtime::stop_if_cancelled();
    text += describe(decision, names);
  }
  text += refusals.to_string() + nests.cache;
  if (measured)
    text += to_string(*measured, road.nests, names, options.backend->machine()) +
            to_string(measure_compiling(program, options));
  return text;
}

std::map<std::string, double> cost(const Module& program, const Options& options) {
  Road road = travel(program.clone(), options, kNests);
  Cost cost = cost_of(road.nests, options.backend->machine());
  return {{"flops", cost.flops},
          {"bytes", cost.bytes},
          {"arena_bytes", cost.arena_bytes},
          {"nests", static_cast<double>(road.nests.nests.size())}};
}

} // namespace kolam::driver
