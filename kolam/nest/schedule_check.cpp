// Goes through a schedule's tree with what is known of the block of each dim.
#include "kolam/nest/schedule_check.h"

#include "kolam/ir/ops.h"
#include "kolam/nest/fusion.h"
#include "kolam/nest/joined_dims.h"
#include "kolam/nest/lanes.h"
#include "kolam/nest/map_plan.h"
#include "kolam/nest/parts.h"
#include "kolam/nest/product_check.h"
#include "kolam/nest/schedule_choice.h"
#include "kolam/nest/symbols.h"
#include "kolam/support/error.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

namespace kolam::nest {
namespace {

/// Size of code: copies of an element's side by side.
constexpr int64_t kMostCopies = 64;

/// What the loops so far leave of a dim.
struct Block {
  std::optional<int64_t> length; ///< where it is known
  int64_t multiple = 1;          ///< its length is one of this
  bool is_masked = false;
};

class MapCheck {
public:
  MapCheck(const Schedule& schedule, const Nest& nest, const Machine& machine)
      : schedule_(schedule), nest_(nest), machine_(machine), plan_(choose_map_plan(nest, machine)),
        relation_(nest.root, nest.fused, signatures_),
        run_(static_cast<int>(schedule.dims.size()) - 1),
        shape_(ir::shape_of(nest.root->getResult(0))) {}

  std::vector<ScheduleIssue> check() {
    check_dims();
    if (!issues_.empty())
      return std::move(issues_);
    for (const ScheduleDim& dim : schedule_.dims)
      blocks_.push_back({dim.extent.constant(), dim.extent.constant().value_or(1)});
    check(schedule_.nodes);
    if (roots_ == 0)
      add("y", "is never computed");
    if (roots_ > 1)
      add("y", "is computed " + std::to_string(roots_) + " times");
    return std::move(issues_);
  }

private:
  void add(std::string where, std::string reason) {
    issues_.push_back({std::move(where), std::move(reason)});
  }

  void check_dims() {
    JoinedDims joined(nest_);
    int64_t first_run = 0;
    for (mlir::Value result : nest_.root->getResults())
      if (ir::rank_of(result) == static_cast<int64_t>(shape_.size()))
        first_run = std::max(first_run, joined.first_joined(result));
    auto rank = static_cast<int>(shape_.size());
    if (rank == 0 ? run_ >= 0 : run_ < 0 || run_ >= rank)
      return add("dims", "there are " + std::to_string(run_ + 1) + " for a result of rank " +
                             std::to_string(rank));
    is_short_row_ = plan_.interleaves && run_ == plan_.first_run;
    is_run_ = rank == 0 || run_ >= first_run;
    if (rank > 0 && !is_run_ && !is_short_row_)
      add("dims", "'" + schedule_.dims[run_].name +
                      "' joins dims that do not lie one after the other in all that is read");
    for (int dim = 0; dim <= run_; ++dim) {
      Extent expected = shape_[dim];
      for (int behind = dim + 1; dim == run_ && behind < rank; ++behind)
        expected = expected * shape_[behind];
      if (schedule_.dims[dim].extent != expected)
        add("dims", "'" + schedule_.dims[dim].name + "' has " + expected.to_string() +
                        " elements, not " + schedule_.dims[dim].extent.to_string());
    }
  }

  /// The dim that threads share, and the elements along it that are one unit of their range.
  std::pair<int, Extent> shared() const {
    auto parallel = static_cast<int>(parallel_dim(nest_).value_or(0));
    if (parallel < run_)
      return {parallel, 1};
    Extent unit = 1;
    for (size_t dim = parallel + 1; dim < shape_.size(); ++dim)
      unit = unit * shape_[dim];
    return {run_, unit};
  }

  void check(const std::vector<ScheduleNode>& nodes) {
    size_t available = available_.size(), stored = stored_.size();
    for (const ScheduleNode& node : nodes)
      std::visit([&](const auto& what) { check(what, node, nodes); }, node.what);
    available_.resize(available);
    stored_.resize(stored);
  }

  void check(const ScheduleAhead& ahead, const ScheduleNode&, const std::vector<ScheduleNode>&) {
    size_t number = ahead.value, outputs = nest_.outputs.size();
    if (number >= outputs + nest_.inputs.size())
      return add("ahead " + std::to_string(number), "the nest has no such parameter");
    mlir::Value value = number < outputs ? nest_.outputs[number] : nest_.inputs[number - outputs];
    if (ahead.first_of_row > ir::rank_of(value))
      add("ahead " + std::to_string(number), "has no dim " + std::to_string(ahead.first_of_row));
  }

  void check(const ScheduleWhen&, const ScheduleNode&, const std::vector<ScheduleNode>&) {
    add("when", "only of products sizes at the run choose loops");
  }

  void check(const ScheduleParts& parts, const ScheduleNode& node,
             const std::vector<ScheduleNode>&) {
    std::string where = "parts of " + schedule_.dims[parts.dim].name;
    if (open_.empty())
      add(where, "no parallel loop is around them");
    if (parts.dim == run_ && !is_run_)
      add(where, "all of a row is computed at once");
    if (static_cast<int64_t>(parts.at.size()) >= kMostParts)
      add(where, "there are " + std::to_string(parts.at.size() + 1) + ", more than " +
                     std::to_string(kMostParts));
    for (size_t i = 1; i < parts.at.size(); ++i)
      if ((parts.at[i] - parts.at[i - 1]).constant().value_or(0) < 0)
        add(where, "'" + parts.at[i].to_string() + "' lies in front of '" +
                       parts.at[i - 1].to_string() + "'");
    Block around = blocks_[parts.dim];
    if (!is_single(around))
      blocks_[parts.dim] = {std::nullopt, 1};
    check(node.body);
    blocks_[parts.dim] = around;
  }

  void check(const ScheduleSegments& segments, const ScheduleNode& node,
             const std::vector<ScheduleNode>&) {
    std::string where = "segments of " + schedule_.dims[segments.dim].name;
    mlir::Operation* ids = segments.op == 0 ? nest_.root : nest_.fused[segments.op - 1];
    if (open_.empty())
      add(where, "no parallel loop is around them");
    if (ids != plan_.segments)
      add(where, "'" + schedule_.ops[segments.op] + "' does not count segments of its elements");
    Block around = blocks_[segments.dim];
    if (!is_single(around))
      blocks_[segments.dim] = {std::nullopt, 1};
    has_segments_ = true;
    check(node.body);
    has_segments_ = false;
    blocks_[segments.dim] = around;
  }

  void check(const ScheduleLoop& loop, const ScheduleNode& node, const std::vector<ScheduleNode>&) {
    Block around = blocks_[loop.dim];
    std::string where = "loop " + loop.name;
    if (loop.kind == LoopKind::runs || loop.rest == Rest::next || loop.rest == Rest::fewer)
      return add(where, "only products have loops over runs, 'rest next' and 'rest fewer'");
    if (loop.kind == LoopKind::parallel)
      return check_parallel(loop, node);
    if (open_.empty() && !is_single(around))
      add(where, "no parallel loop is around it");
    std::optional<int64_t> step = loop.step.constant();
    if (!step || *step < 1)
      return add(where, "its step must be a number of at least 1, not " + loop.step.to_string());
    if (around.length.value_or(0) > 0 && *step > *around.length && loop.rest == Rest::none)
      add(where, "its step of " + std::to_string(*step) + " is beyond the " +
                     std::to_string(*around.length) + " elements around it");
    bool divides = around.multiple % *step == 0;
    if (!divides && loop.rest == Rest::none && loop.kind != LoopKind::unrolled)
      add(where, "what is behind its last whole step of " + std::to_string(*step) +
                     " is never computed: say 'rest peeled' or 'rest mask'");
    if (!divides && loop.rest == Rest::mask && loop.dim != run_)
      add(where, "lanes are masked along '" + schedule_.dims[run_].name + "' only");
    if (loop.kind == LoopKind::unrolled)
      check_unrolled(loop, node, around);
    bool is_masked = !divides && loop.rest == Rest::mask;
    blocks_[loop.dim] = {is_masked ? std::nullopt : step, is_masked ? 1 : *step, is_masked};
    steps_[loop.dim] = *step;
    open_.push_back(&loop);
    check(node.body);
    open_.pop_back();
    blocks_[loop.dim] = around;
  }

  void check_parallel(const ScheduleLoop& loop, const ScheduleNode& node) {
    auto [dim, unit] = shared();
    std::string where = "loop " + loop.name;
    if (!open_.empty())
      add(where, "a parallel loop stands in front of all others");
    if (loop.dim != dim)
      add(where, "threads share '" + schedule_.dims[dim].name + "', not '" +
                     schedule_.dims[loop.dim].name + "'");
    else if (loop.step != unit)
      add(where,
          "threads share units of " + unit.to_string() + " elements, not " + loop.step.to_string());
    Block around = blocks_[loop.dim];
    blocks_[loop.dim] = {std::nullopt, unit.constant().value_or(1)};
    open_.push_back(&loop);
    check(node.body);
    open_.pop_back();
    blocks_[loop.dim] = around;
  }

  void check_unrolled(const ScheduleLoop& loop, const ScheduleNode& node, const Block& around) {
    std::string where = "loop " + loop.name;
    int64_t step = *loop.step.constant();
    if (!around.length && !around.is_masked && around.multiple % step != 0)
      add(where, "it is unrolled, but the number of its steps is not known");
    if (around.is_masked || !around.length)
      add(where, "it is unrolled, but its block has no fixed length");
    copies_ *= around.length.value_or(step) / step;
    if (copies_ > kMostCopies)
      add(where, "it makes " + std::to_string(copies_) +
                     " copies of an element's code, more than " + std::to_string(kMostCopies));
    bool is_chain = node.body.size() == 1;
    if (auto* inner = is_chain ? std::get_if<ScheduleLoop>(&node.body[0].what) : nullptr)
      is_chain = inner->kind == LoopKind::unrolled;
    else if (is_chain)
      is_chain = std::holds_alternative<ScheduleStage>(node.body[0].what);
    if (!is_chain)
      add(where, "only one stage stands in an unrolled loop");
    const ScheduleStage* root = root_stage(schedule_);
    if (loop.dim == run_ && root && step != root->lanes)
      add(where, "it goes by " + std::to_string(step) + " elements where its stage goes by " +
                     std::to_string(root->lanes));
    if (loop.dim != run_ && step != 1)
      add(where, "it is unrolled by more than one element");
  }

  static bool is_single(const Block& block) { return block.length == 1; }

  void check(const ScheduleStore& store, const ScheduleNode&, const std::vector<ScheduleNode>&) {
    int64_t bytes = 0;
    for (mlir::Value result : op_of(store.op)->getResults())
      bytes += byte_width(ir::dtype_of(result)) * store.count;
    std::string where = "store " + schedule_.ops[store.op];
    if (store.space == StoreSpace::tile)
      add(where, "only sums of products are kept in tiles");
    if (bytes > kMostStored)
      add(where, "needs " + std::to_string(bytes) + " bytes of working memory, more than " +
                     std::to_string(kMostStored));
    stored_.push_back(store);
    if (llvm::is_contained(plan_.kept.ops, op_of(store.op))) {
      if (shape_.back() != Extent(store.count))
        add(where, "a row has " + shape_.back().to_string() + " elements, not " +
                       std::to_string(store.count));
      if (store.space != StoreSpace::row)
        add(where, "its row is kept in memory");
    }
  }

  mlir::Operation* op_of(int number) const {
    return number == 0 ? nest_.root : nest_.fused[number - 1];
  }

  void check(const ScheduleStage& stage, const ScheduleNode&,
             const std::vector<ScheduleNode>& nodes) {
    llvm::append_range(issues_, check_with(stage, schedule_, nest_, available_));
    if (stage.by == Emitter::elements || stage.by == Emitter::tiles ||
        stage.by == Emitter::interleaved)
      check_root(stage);
    else
      check_reduction(stage, nodes);
    available_.push_back(stage.op);
    llvm::append_range(available_, stage.beside);
    if (stage.by == Emitter::reduction) // it has filled the rows that it reads
      for (mlir::Value operand : op_of(stage.op)->getOperands())
        for (const ScheduleStore& store : stored_)
          if (operand.getDefiningOp() == op_of(store.op))
            available_.push_back(store.op);
  }

  void check_root(const ScheduleStage& stage) {
    std::string where = "stage " + schedule_.ops[stage.op];
    if (stage.op != 0)
      return add(where, "only the root goes by elements");
    ++roots_;
    int tile = -1;
    if (stage.by == Emitter::interleaved) {
      tile = run_ - 1;
      if (!is_short_row_ || blocks_[run_].length != schedule_.dims[run_].extent.constant())
        add(where, "is interleaved where rows are too short for lanes, all of a row at once");
    } else if (stage.by == Emitter::tiles && !open_.empty()) {
      tile = open_.back()->dim;
    }
    for (int dim = 0; dim < run_; ++dim)
      if (dim == tile ? steps_[dim] != stage.lanes : !is_single(blocks_[dim]))
        add(where, dim == tile ? "tiles have " + std::to_string(stage.lanes) + " rows"
                               : "is at one element of '" + schedule_.dims[dim].name +
                                     "', but the loops leave a block of them");
    if (stage.by != Emitter::interleaved) {
      check_lanes(stage, where);
      if (!is_run_)
        add(where,
            "'" + schedule_.dims[run_].name + "' is a row for all of which lanes are computed");
    }
    if (stage.by == Emitter::tiles && (tile != plan_.tile_dim || stage.lanes != plan_.lanes))
      add(where, plan_.tile_dim < 0 ? "no operand lies transposed"
                                    : "tiles lie along '" + schedule_.dims[plan_.tile_dim].name +
                                          "' and have " + std::to_string(plan_.lanes) + " lanes");
    if (stage.past_caches && !may_pass_caches(stage))
      add(where, "stores go past the caches in whole lines only");
  }

  void check_lanes(const ScheduleStage& stage, const std::string& where) {
    const int most = kSumsAtOnce * machine_.lanes();
    if (stage.lanes < 1 || stage.lanes > most || (stage.lanes & (stage.lanes - 1)) != 0)
      return add(where, std::to_string(stage.lanes) + " lanes: expected a power of two up to " +
                            std::to_string(most));
    if (stage.lanes == 1 || run_ < 0)
      return;
    auto goes = [&](mlir::Operation* op) {
      return relation_.varies(op, run_) && has_loop(op) && goes_by_lanes(op) &&
             !relation_.lies_across(op);
    };
    if (goes(nest_.root) || llvm::any_of(nest_.fused, goes))
      add(where, "its elements are sums by lanes: it goes one by one");
  }

  /// Lines of the caches are written whole.
  bool may_pass_caches(const ScheduleStage& stage) const {
    if (stage.lanes == 1 || nest_.outputs.size() != 1 || !nest_.aligned_outputs)
      return false;
    int64_t width = byte_width(ir::dtype_of(nest_.outputs[0]));
    std::optional<int64_t> row = shape_.back().constant();
    return (row && *row * width % machine_.caches.line == 0) ||
           (run_ == 0 && stage.by != Emitter::tiles);
  }

  void check_reduction(const ScheduleStage& stage, const std::vector<ScheduleNode>& nodes) {
    std::string where = "stage " + schedule_.ops[stage.op];
    for (int op : stage.beside)
      if (!reduce_alike(op_of(stage.op), op_of(op)))
        add(where, "does not combine its elements as " + schedule_.ops[op] + " does");
    bool has_run_loop = llvm::any_of(open_, [&](const ScheduleLoop* loop) {
      return loop->dim == run_ && loop->kind != LoopKind::parallel;
    });
    std::vector<int> ops{stage.op};
    llvm::append_range(ops, stage.beside);
    for (int op : ops)
      if (stage.by == Emitter::reduction)
        check_shared(op, has_run_loop);
      else
        check_columns(stage, op, has_run_loop, nodes);
  }

  /// A reduction that elements share.
  void check_shared(int number, bool has_run_loop) {
    std::string where = "stage " + schedule_.ops[number];
    mlir::Operation* op = op_of(number);
    if (has_segments_ && llvm::is_contained(plan_.in_segments, op))
      return;
    std::optional<int64_t> own = relation_.own_rank(op);
    if (!has_loop(op) || carries(op) || (!own && !llvm::is_contained(plan_.kept.reductions, op)))
      return add(where, "is no reduction that elements of the result share");
    auto rank = static_cast<int>(ir::rank_of(op->getResult(0)));
    if (has_run_loop && rank <= run_)
      add(where, "would be computed again for each block of '" + schedule_.dims[run_].name + "'");
    for (int dim = rank; dim < run_; ++dim)
      if (is_single(blocks_[dim]) && schedule_.dims[dim].extent != Extent(1))
        add(where, "would be computed again for each step of '" + schedule_.dims[dim].name + "'");
    const int last = rank == static_cast<int>(shape_.size()) ? run_ + 1 : std::min(rank, run_);
    for (int dim = 0; dim < last; ++dim)
      if (!is_single(blocks_[dim]))
        add(where, "is at one element of '" + schedule_.dims[dim].name +
                       "', but the loops leave a block of them");
  }

  void check_columns(const ScheduleStage& stage, int number, bool has_run_loop,
                     const std::vector<ScheduleNode>& nodes) {
    std::string where = "stage " + schedule_.ops[number];
    mlir::Operation* op = op_of(number);
    const bool by_squares = stage.by == Emitter::squares, by_rows = stage.by == Emitter::rows;
    if (!by_squares && !by_rows && stage.by != Emitter::columns)
      return add(where, "a map has no such stage");
    if (by_squares && !plan_.by_squares)
      add(where, "what it combines does not follow one another in memory");
    std::vector<mlir::Operation*> together = column_reductions(nest_, relation_);
    if (!llvm::is_contained(together, op))
      return add(where, "is not a reduction by chunks at the result's own elements");
    auto store = llvm::find_if(nodes, [&](const ScheduleNode& node) {
      auto* kept = std::get_if<ScheduleStore>(&node.what);
      return kept && kept->op == number;
    });
    if (store == nodes.end() || !has_run_loop)
      return add(where, "its elements are stored nowhere in the block that reads them");
    const auto& kept = std::get<ScheduleStore>(store->what);
    if (kept.space != (by_rows ? StoreSpace::row : StoreSpace::registers))
      add(where, std::string("its elements are kept in ") + (by_rows ? "a row" : "registers"));
    if (kept.count < steps_[run_])
      add("store " + schedule_.ops[number], "has room for " + std::to_string(kept.count) + " of " +
                                                std::to_string(steps_[run_]) + " elements");
    auto* last = std::get_if<ScheduleLoop>(&nodes.back().what);
    if (!by_rows && !(last && last->dim == run_ && last->kind == LoopKind::unrolled))
      add(where, "no unrolled loop reads its elements");
  }

  const Schedule& schedule_;
  const Nest& nest_;
  const Machine& machine_;
  const MapPlan plan_; ///< what could be kept, where tiles may lie
  analysis::Signatures signatures_;
  NestRelation relation_;
  const int run_;
  const Shape shape_;
  std::vector<Block> blocks_;             ///< by dim
  std::map<int, int64_t> steps_;          ///< by dim: of the innermost loop
  std::vector<const ScheduleLoop*> open_; ///< the loops around
  std::vector<int> available_;            ///< ops that have been computed
  std::vector<ScheduleStore> stored_;
  bool has_segments_ = false; ///< around what is checked
  std::vector<ScheduleIssue> issues_;
  int roots_ = 0;
  int64_t copies_ = 1;
  bool is_short_row_ = false, is_run_ = true; ///< the last dim of the schedule
};

/// The first line in which two texts differ.
std::string first_difference(const std::string& got, const std::string& expected) {
  size_t line = 0;
  for (size_t i = 0; i < expected.size() && i < got.size() && got[i] == expected[i]; ++i)
    if (got[i] == '\n')
      line = i + 1;
  auto line_of = [&](const std::string& text) {
    std::string found = line < text.size() ? text.substr(line, text.find('\n', line) - line) : "";
    found.erase(0, found.find_first_not_of(' '));
    return found.empty() ? "nothing" : "'" + found + "'";
  };
  return "expected " + line_of(expected) + ", but got " + line_of(got);
}

} // namespace

std::vector<ScheduleIssue> check_with(const ScheduleStage& stage, const Schedule& schedule,
                                      const Nest& nest, llvm::ArrayRef<int> available) {
  std::set<int> needed;
  std::vector<int> open{stage.op};
  llvm::append_range(open, stage.beside);
  if (llvm::is_contained(available, stage.op)) // it stores what has been computed
    open.clear();
  while (!open.empty()) {
    mlir::Operation* reader = open.back() == 0 ? nest.root : nest.fused[open.back() - 1];
    open.pop_back();
    for (mlir::Value operand : reader->getOperands()) {
      auto found = llvm::find(nest.fused, operand.getDefiningOp());
      int number = static_cast<int>(found - nest.fused.begin()) + 1;
      if (found != nest.fused.end() && !llvm::is_contained(available, number) &&
          needed.insert(number).second)
        open.push_back(number);
    }
  }
  std::vector<ScheduleIssue> issues;
  std::string where = "stage " + schedule.ops[stage.op];
  for (int op : needed)
    if (!llvm::is_contained(stage.with, op))
      issues.push_back({where, "reads " + schedule.ops[op] + ", which is computed nowhere before"});
  for (int op : stage.with)
    if (!needed.contains(op))
      issues.push_back({where, llvm::is_contained(available, op)
                                   ? "computes " + schedule.ops[op] + ", which is computed before"
                                   : "does not read " + schedule.ops[op]});
  return issues;
}

std::vector<ScheduleIssue> check_schedule(const Schedule& schedule, const Nest& nest,
                                          const Machine& machine) {
  if (schedule.ops != op_names(nest))
    return {{"ops", "the nest has " + llvm::join(op_names(nest), " ")}};
  const ScheduleStage* root = root_stage(schedule);
  if (!root)
    return {{"y", "is never computed"}};
  Schedule rules = choose_schedule(nest, machine);
  Emitter by = root_stage(rules)->by;
  bool is_map = nest.products.empty() &&
                (by == Emitter::elements || by == Emitter::tiles || by == Emitter::interleaved);
  if (is_map)
    return MapCheck(schedule, nest, machine).check();
  if (!nest.products.empty())
    return check_product(schedule, nest, machine);
  // Other ops have one schedule.
  if (schedule == rules)
    return {};
  return {{"stage y", first_difference(to_string(schedule), to_string(rules))}};
}

void require_schedule(const Schedule& schedule, const Nest& nest, const Machine& machine) {
  std::vector<ScheduleIssue> issues = check_schedule(schedule, nest, machine);
  if (!issues.empty())
    fail(ErrorKind::value, "bad-schedule",
         nest.name + ": " + issues[0].where + ": " + issues[0].reason);
}

} // namespace kolam::nest
