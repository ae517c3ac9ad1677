// Cuts programs at random.
#include "kolam/planner/search.h"

#include "kolam/planner/replay.h"
#include "kolam/planner/rewritten.h"

#include <random>

namespace kolam::planner {
namespace {

/// Cuts a box at random places, dim by dim, into at most `most` boxes.
void cut_randomly(const space::Box& box, const std::vector<bool>& dims, int64_t most,
                  std::mt19937_64& random, std::vector<space::Box>& pieces) {
  std::vector<int> able;
  for (int dim = 0; dim < box.rank(); ++dim)
    if (dims[static_cast<size_t>(dim)] && box.extent(dim) > 1)
      able.push_back(dim);
  if (most <= 1 || able.empty()) {
    pieces.push_back(box);
    return;
  }
  const int dim = able[std::uniform_int_distribution<size_t>(0, able.size() - 1)(random)];
  const int64_t start = box.start()[static_cast<size_t>(dim)];
  const int64_t middle =
      start + std::uniform_int_distribution<int64_t>(1, box.extent(dim) - 1)(random);
  const int64_t left = std::uniform_int_distribution<int64_t>(1, most - 1)(random);
  cut_randomly(space::with_range(box, dim, start, middle), dims, left, random, pieces);
  cut_randomly(space::with_range(box, dim, middle, box.end()[static_cast<size_t>(dim)]), dims,
               most - left, random, pieces);
}

StageCut random_cut(const Stage& stage, transform::Cuts& parts, int64_t workers,
                    std::mt19937_64& random) {
  std::vector<bool> dims = parts.cut_dims(stage.root);
  for (size_t dim = 0; dim < dims.size(); ++dim)
    dims[dim] = dims[dim] && stage.signature.dims[dim].kind == space::DimKind::map;
  std::vector<space::Box> pieces;
  cut_randomly(space::index_box(stage.signature), dims,
               std::uniform_int_distribution<int64_t>(1, 5)(random), random, pieces);
  std::vector<space::Box> all;
  const int64_t runs = std::uniform_int_distribution<int64_t>(1, 4)(random);
  std::uniform_int_distribution<int64_t> any_worker(0, workers - 1);
  for (const space::Box& piece : pieces) {
    std::vector<space::Box> parts_of_sums;
    if (runs > 1 && stage.summed_dim >= 0 && stage.root->getNumResults() == 1)
      parts_of_sums = exact_runs(stage, piece, runs);
    if (parts_of_sums.empty())
      parts_of_sums = {piece};
    all.insert(all.end(), parts_of_sums.begin(), parts_of_sums.end());
  }
  StageCut cut;
  for (const space::Box& box : all)
    cut.pieces.push_back({box, any_worker(random)});
  cut = fitted(stage, std::move(cut), parts);
  if (cut.pieces.empty()) {
    const int64_t worker = any_worker(random);
    cut.pieces = {{space::index_box(stage.signature), stage.keeps_order ? 0 : worker}};
  }
  return cut;
}

/// Takes up to two steps that keep every bit, drawn at random, and gives their trace.
std::vector<plans::Choice> rewrite_randomly(mlir::func::FuncOp main, int64_t workers,
                                            std::mt19937_64& random) {
  std::vector<std::string> names;
  for (const rewrite::Choice& choice : rewrite::all_choices())
    names.emplace_back(choice.name);
  std::vector<plans::Choice> trace;
  for (int64_t left = std::uniform_int_distribution<int64_t>(0, 2)(random); left > 0; --left) {
    const std::vector<rewrite::Possible> steps =
        rewrite::possible_steps(main, names, workers, rewrite::Keeps::exact);
    if (steps.empty())
      break;
    const auto drawn = std::uniform_int_distribution<size_t>(0, steps.size() - 1)(random);
    trace.push_back(trace_of(rewrite::take(main, steps[drawn].step, rewrite::Keeps::exact)));
  }
  return trace;
}

} // namespace

plans::Plan random_plan(mlir::func::FuncOp given, int64_t workers, Allow, uint64_t seed) {
  std::mt19937_64 random(seed);
  mlir::OwningOpRef<mlir::ModuleOp> module = given->getParentOfType<mlir::ModuleOp>().clone();
  auto main = module->lookupSymbol<mlir::func::FuncOp>(given.getSymName());
  std::vector<plans::Choice> trace;
  if (transform::why_no_choices(main).empty())
    trace = rewrite_randomly(main, workers, random);
  transform::Cuts parts;
  llvm::DenseSet<mlir::Value> stored = usual_stored(main, parts);
  for (mlir::Operation& op : main.getBody().front().without_terminator()) {
    if (op.getNumResults() != 1 || std::uniform_int_distribution<int>(0, 3)(random) != 0 ||
        !transform::has_numbers(op.getResult(0)))
      continue;
    stored.insert(op.getResult(0));
  }
  const std::vector<Stage> stages = stages_of(main, stored, parts);
  std::vector<StageCut> cuts;
  for (const Stage& stage : stages)
    cuts.push_back(random_cut(stage, parts, workers, random));
  const auto group = static_cast<int64_t>(seed % 3); // none, a tree, pairs of near workers
  plans::Plan plan = make_plan(main, stages, cuts, {.workers = workers, .group = group}, parts);
  plan.trace = trace;
  for (const Stage& stage : stages)
    plan.trace.push_back({.name = "cut",
                          .stage = name_of(stage.root),
                          .parameters = {{"grid", "at random"}, {"op", number_of(stage.root)}}});
  if (group > 0)
    plan.trace.push_back(
        {.name = "spread", .stage = "transfers", .parameters = {{"group", std::to_string(group)}}});
  return plan;
}

} // namespace kolam::planner
