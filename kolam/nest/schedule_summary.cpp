// Reads the shape of a schedule's loops.
#include "kolam/nest/schedule_summary.h"

#include "kolam/ir/ops.h"
#include "kolam/nest/map_plan.h"
#include "kolam/nest/read_where.h"

#include <set>

namespace kolam::nest {
namespace {

/// The loops around the root's stage, and what the schedule has beside them.
struct Shown {
  const ScheduleStage* stage = nullptr;
  std::vector<const ScheduleLoop*> loops;
  bool by_rows = false, has_ahead = false;
  int kept = 0; ///< ops whose rows are stored while others read them
};

Shown shown(const Schedule& schedule) {
  Shown result;
  std::set<int> stored, computed;
  for_each_node(schedule.nodes, [&](const ScheduleNode& node, const auto& around) {
    if (auto* stage = std::get_if<ScheduleStage>(&node.what)) {
      computed.insert(stage->op);
      result.by_rows |= stage->by == Emitter::rows;
      if (stage->op == 0) { // the last of them writes the results
        result.loops = around;
        result.stage = stage;
      }
    } else if (auto* store = std::get_if<ScheduleStore>(&node.what)) {
      stored.insert(store->op);
    } else if (std::holds_alternative<ScheduleAhead>(node.what)) {
      result.has_ahead = true;
    }
  });
  for (int op : stored)
    result.kept += !computed.contains(op);
  return result;
}

/// Steps of an unrolled loop: what its block holds of them.
int64_t steps_of(const Shown& shown, const Schedule& schedule, int dim, bool of_run) {
  std::optional<int64_t> block = schedule.dims[dim].extent.constant();
  for (const ScheduleLoop* loop : shown.loops) {
    if (loop->dim != dim)
      continue;
    if (loop->kind == LoopKind::unrolled)
      return block.value_or(1) / loop->step.constant().value_or(1);
    block = loop->kind == LoopKind::parallel && !of_run ? block : loop->step.constant();
  }
  return 1;
}

std::string lanes_text(const Shown& shown, const Schedule& schedule, const Nest& nest,
                       const Machine& machine) {
  int lanes = shown.stage->lanes;
  if (lanes == 1)
    return "1 lane: " + why_one_lane(schedule, nest, machine);
  std::string text = std::to_string(lanes) + " lanes";
  if (shown.by_rows)
    return text + ", row by row";
  auto run = static_cast<int>(schedule.dims.size()) - 1;
  if (run < 0)
    return text + ", parts of a scan side by side";
  int64_t vectors = steps_of(shown, schedule, run, true), rows = 1;
  for (int dim = 0; dim < run; ++dim)
    rows = std::max(rows, steps_of(shown, schedule, dim, false));
  if (vectors > 1)
    text = std::to_string(vectors) + " vectors of " + text;
  return rows > 1 ? std::to_string(rows) + " rows of " + text : text;
}

} // namespace

std::string why_one_lane(const Schedule& schedule, const Nest& nest, const Machine& machine) {
  const ScheduleStage& stage = *shown(schedule).stage;
  bool is_other = !nest.products.empty() || stage.by == Emitter::whole;
  return is_other || stage.lanes > 1 ? ""
                                     : std::string(choose_map_plan(nest, machine).why_one_lane);
}

std::string summary(const Schedule& schedule, const Nest& nest, const Machine& machine) {
  Shown of = shown(schedule);
  if (of.stage->by == Emitter::packing)
    return "packing columns of matrices, once";
  if (!nest.products.empty()) {
    bool is_packed = llvm::any_of(nest.products,
                                  [](const Product& product) { return product.is_packed_before; });
    auto may_be_unread = [&](const Product& product) { return read_where(product, nest); };
    std::string text = "tiles of matrices";
    if (is_packed)
      text += ", whose columns are packed before";
    if (llvm::any_of(nest.products, may_be_unread))
      text += ", but for those that nothing reads";
    return text;
  }
  if (of.stage->by == Emitter::whole)
    return "loops of its own";
  std::string text = lanes_text(of, schedule, nest, machine);
  int64_t rank = ir::rank_of(nest.root->getResult(0));
  auto first_run = static_cast<int64_t>(schedule.dims.size()) - 1;
  if (first_run >= 0 && first_run + 1 < rank)
    text += ", dims " + std::to_string(first_run) + " to " + std::to_string(rank - 1) + " as one";
  if (of.stage->by == Emitter::interleaved)
    text += ", short rows interleaved";
  if (of.stage->by == Emitter::tiles)
    text += ", tiles transposed from dim " + std::to_string(of.loops.back()->dim);
  if (of.kept > 0)
    text += ", " + std::to_string(of.kept) + (of.kept == 1 ? " op" : " ops") + " kept by rows";
  if (of.stage->past_caches)
    text += ", past the caches";
  return text + (of.has_ahead ? ", memory asked for ahead" : "");
}

} // namespace kolam::nest
