// Composes indices along the edges of a nest.
#include "kolam/nest/evaluations.h"

#include "kolam/analysis/access.h"
#include "kolam/analysis/views.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"
#include "kolam/ir/reduction.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/nest/lanes.h"
#include "kolam/nest/products.h"
#include "kolam/nest/row_reductions.h"
#include "kolam/nest/segments.h"
#include "kolam/nest/short_rows.h"
#include "kolam/support/accumulate.h"
#include "kolam/support/machine.h"

#include <algorithm>

namespace kolam::nest {
namespace {

using analysis::copied_dim;
using ir::rough_count;

/// Tiles pack factors that are computed: columns once for all rows, rows once for the columns of a
/// panel. So only this part of the turns asks.
double share_packed(const Product& product, unsigned operand) {
  constexpr double kPanel = kTiles.small_unit;
  Shape shape = ir::shape_of(product.op->getResult(0));
  if (operand == product.rows_of)
    return 1 / std::clamp(rough_count({shape.back()}), 1.0, kPanel);
  double rows = 1;
  for (int dim : product.dims.rows)
    rows *= rough_count({shape[dim]});
  return 1 / std::max(1.0, rows);
}

bool multiplies_by_lanes(mlir::Operation* op) {
  auto contract = llvm::dyn_cast<ir::ContractOp>(op);
  return contract && ir::accumulate_of(contract.getAccumulate()).order == Order::lanes;
}

/// How many elements an op combines to one.
double terms_of(mlir::Operation* op, analysis::Signatures& signatures) {
  double terms = 1;
  for (const space::IndexDim& dim : signatures.of(op).dims)
    terms *= dim.kind == space::DimKind::reduce ? rough_count({dim.extent}) : 1;
  return terms;
}

} // namespace

/// Whether an op sums a few elements by lanes.
static bool has_few_terms(mlir::Operation* op, analysis::Signatures& signatures) {
  const double terms = terms_of(op, signatures);
  return terms > 1 && terms <= kMostInterleaved && ir::facts_of(op).bodies == ir::Bodies::none;
}

/// Code for an element at so many indices. The first is emitted somewhere in any case; views and
/// constants are numbers of the code around.
static double code_of(mlir::Operation* op, int indices) {
  constexpr double kFirst = 0.125; // size of code
  bool is_code = !analysis::view_of_operand(op) && ir::facts_of(op).again != ir::Again::free;
  double ops = 1 + static_cast<double>(ir::ops_inside(op));
  return is_code ? (indices - 1 + kFirst) * ops : 0;
}

/// Neighbours for which a choice is made at once.
static constexpr double kVector = kUsualLanes;

/// How often the innermost of the loops runs.
static double turns_of(const std::vector<double>& turns, const analysis::RelationIndex& index) {
  double most = 1;
  for (int loop : analysis::loops_of(index))
    most = std::max(most, turns[loop]);
  return most;
}

double Evaluations::turns(const Use& use) const {
  return std::max(use.chosen, turns_of(root_of(use).turns, use.at));
}

void Evaluations::note_loops(Root& root, double around, int64_t most_with_ends_apart) {
  const auto& loops = root.composer.loops();
  while (root.turns.size() < loops.size()) {
    const analysis::RelationLoop& loop = loops[root.turns.size()];
    around *= rough_count({loop.extent});
    root.turns.push_back(around);
    root.reduces.push_back(
        loop.kind != space::DimKind::map ||
        llvm::any_of(loop.around, [&](int outer) { return root.reduces[outer]; }));
    root.is_uncut.push_back(loop.kind == space::DimKind::reduce &&
                            loop.extent.constant().value_or(kEndless) > most_with_ends_apart);
  }
}

/// Of a root whose rows of few elements go side by side: the loop over a row stands inside those
/// over what is reduced, so that what does not depend on it is computed once for the row.
static bool turns_inside(mlir::Operation* op) {
  const auto reduction = ir::reduction_of(op);
  if (op->getNumResults() != 1 || !reduction || reduction->accumulate.order != Order::chunk)
    return false;
  const Shape shape = ir::shape_of(op->getResult(0));
  const auto last = static_cast<int64_t>(shape.size()) - 1;
  return last > 0 && first_of_short_row(shape) == last && *shape.back().constant() <= kShortRun;
}

/// Up to how many elements a reduction has its first and its last vector in code of their own, so
/// that what its loop reads is known to lie inside.
static int64_t most_with_ends_apart(mlir::Operation* op) {
  const auto reduction = ir::reduction_of(op);
  const bool is_run =
      reduction && reduction->accumulate.order == Order::lanes && reduction->dims.size() == 1;
  return is_run ? reduction->accumulate.chunk : 0;
}

void Evaluations::add_root(mlir::Operation* op, int64_t step) {
  auto root = std::make_unique<Root>();
  for (auto [dim, own] : llvm::enumerate(signatures_.of(op).dims)) {
    int loop = root->composer.add_loop({0, static_cast<int>(dim), own.extent, own.kind, {}});
    root->index.push_back(analysis::RelationCoordinate::of_loop(loop));
  }
  note_loops(*root, 1, most_with_ends_apart(op));
  if (turns_inside(op)) {
    const auto row = static_cast<size_t>(ir::rank_of(op->getResult(0))) - 1;
    for (size_t loop = row; loop < root->turns.size(); ++loop)
      root->turns[loop] /= loop == row ? 1 : *ir::shape_of(op->getResult(0)).back().constant();
    root->turns[row] = root->turns.back() * *ir::shape_of(op->getResult(0)).back().constant();
  }
  if (auto reduce = llvm::dyn_cast<ir::SegmentReduceOp>(op))
    root->composer.set_segments(segments_in(reduce.getOffsets()), 0);
  root->step = step;
  analysis::RelationIndex index = root->index;
  roots_[op] = std::move(root);
  ask_operands(op, {op, {}}, index);
}

void Evaluations::add_inside(mlir::Operation* op) {
  std::vector<Use> uses = uses_.lookup(op);
  for (const auto& [root, count] : uses_by_root(op))
    roots_[root]->code += code_of(op, count);
  for (const Use& use : uses) {
    Root& root = *roots_[use.root];
    analysis::RelationIndex index = root.composer.own_index(++root.ops, signatures_.of(op), use.at);
    note_loops(root, turns(use), most_with_ends_apart(op));
    ask_operands(op, use, index);
  }
}

std::vector<std::pair<mlir::Operation*, int>> Evaluations::uses_by_root(mlir::Operation* op) const {
  llvm::MapVector<mlir::Operation*, int> counts;
  for (const Use& use : uses_.lookup(op))
    ++counts[use.root];
  return {counts.begin(), counts.end()};
}

double Evaluations::largest_code(mlir::Operation* op) const {
  double most = 0;
  for (const auto& [root, count] : uses_by_root(op))
    most = std::max(most, roots_.find(root)->second->code + code_of(op, count));
  return most;
}

/// Each element lies in one segment, however many of how many elements the sizes make us think of.
/// By lanes those of short segments are computed where there are none, too.
static double share_in_segments(ir::SegmentReduceOp op, const space::Signature& signature) {
  constexpr double kEmptyLanes = 3; // assumed: vectors computed for one that has elements
  const bool has_lanes = ir::accumulate_of(op.getAccumulate()).order == Order::lanes;
  Shape asked{signature.dims.front().extent, signature.dims.back().extent};
  const double there = rough_count({ir::shape_of(op.getInputs()[0])[0]});
  return std::min(1.0, (has_lanes ? kEmptyLanes : 1) * there / std::max(1.0, rough_count(asked)));
}

/// What is asked for once in a segment, by element. Sizes that only the run knows do not say it.
static constexpr double kOfSegment = 1.0 / 16; // assumed

void Evaluations::ask_operands(mlir::Operation* op, const Use& own,
                               const analysis::RelationIndex& index) {
  Root& root = *roots_[own.root];
  const double at_index = turns_of(root.turns, index);
  std::optional<Product> product = as_product(op, signatures_);
  bool is_view = analysis::view_of_operand(op) || analysis::is_view_by_data(op);
  const space::Signature& signature = signatures_.of(op);
  for (auto [number, value] : llvm::enumerate(op->getOperands())) {
    const double inside = analysis::share_inside(signature, number);
    double chosen = inside < 1 ? std::max(own.chosen, at_index / kVector) : own.chosen;
    if (own.is_factor && !is_view) // what a row shares is computed for each element that is packed
      chosen = std::max(chosen, at_index);
    bool shows = (is_view || ir::facts_of(op).keeps_order) && number == 0;
    Use use{own.root,
            root.composer.read_index(root.ops, signature.operands[number], index),
            own.share * inside,
            chosen,
            {},
            own.is_row_factor && shows,
            own.is_factor && shows,
            own.is_lane_factor && shows};
    if (llvm::isa<ir::DynamicSliceOp>(op) && number == 0) {
      use.moved = use.at;
      for (size_t dim = 0; dim < use.at.size(); ++dim)
        if (use.at[dim].is_by_data)
          use.moved[dim] = index[dim];
    }
    note_loops(root, std::max(own.chosen, at_index));
    if (ir::SegmentIdsOp ids = number == 0 ? ids_of_rows(op) : ir::SegmentIdsOp();
        ids && !unknown_.contains(ids)) {
      use.at[0] = root.composer.segment_of(segments_in(ids.getOffsets()), ir::shape_of(value)[0]);
      note_loops(root, 1);
      use.share *= kOfSegment;
    }
    use.is_lane_factor |= multiplies_by_lanes(op);
    if (auto segments = llvm::dyn_cast<ir::SegmentReduceOp>(op); segments && number > 0)
      use.share = inside * share_in_segments(segments, signature);
    if (product) {
      use.share *= share_packed(*product, static_cast<unsigned>(number));
      use.is_row_factor = number == product->rows_of;
      use.is_factor = true;
    }
    mlir::Operation* producer = value.getDefiningOp();
    auto& uses = producer ? uses_[producer] : argument_uses_[value];
    auto same = std::find_if(uses.begin(), uses.end(), [&](const Use& other) {
      return other.root == use.root && other.at == use.at;
    });
    if (same == uses.end())
      uses.push_back(std::move(use));
    else
      same->share = std::min(1.0, same->share + use.share),
      same->chosen = std::max(same->chosen, use.chosen);
  }
}

double Evaluations::per_cell(mlir::Operation* op) const {
  auto found = uses_.find(op);
  if (found == uses_.end() || op->getNumResults() == 0)
    return 0;
  double cells = rough_count(ir::shape_of(op->getResult(0))), times = 0;
  for (const Use& use : found->second)
    times += turns(use) * use.share;
  return cells == 0 ? 0 : times / cells;
}

/// How far apart the coordinates of neighbours lie, along whichever loop that is farthest; those of
/// loop `last` are `step` apart.
static int64_t step_of(const analysis::RelationCoordinate& at, int last, int64_t step) {
  int64_t most = 1;
  if (at.row && at.row->divisor == 1)
    for (auto [loop, coefficient] : llvm::enumerate(at.row->coefficients))
      most = std::max(most, std::abs(coefficient) * (static_cast<int>(loop) == last ? step : 1));
  return most;
}

std::vector<Evaluations::Request> Evaluations::requests(mlir::Value value) const {
  mlir::Operation* op = value.getDefiningOp();
  std::vector<Request> requests;
  for (const Use& use : op ? uses_.lookup(op) : argument_uses_.lookup(value)) {
    const Root& root = root_of(use);
    const analysis::RelationIndex& at = use.moved.empty() ? use.at : use.moved;
    bool is_run = at.empty() || (!at.back().is_by_data && !at.back().loops.empty());
    bool is_spread = !is_run && llvm::any_of(at, [](const analysis::RelationCoordinate& place) {
      return place.is_by_data;
    });
    const int last = static_cast<int>(root.index.size()) - 1;
    const int64_t step = at.empty() ? 1 : step_of(at.back(), last, root.step);
    is_spread |= step > kSmallStep;
    const auto loops = analysis::loops_of(use.at);
    const bool is_uncut = llvm::any_of(loops, [&](int loop) { return root.is_uncut[loop]; });
    const bool is_reduced = llvm::any_of(loops, [&](int loop) { return root.reduces[loop]; });
    requests.push_back({use.root, turns(use) * use.share, step, is_spread, is_uncut, is_reduced});
  }
  return requests;
}

bool Evaluations::is_read_by_rows(mlir::Operation* op) const {
  auto found = uses_.find(op);
  if (found == uses_.end() || !analysis::is_view_by_data(op))
    return false;
  // Of rows that are summed each would be looked up again for every tile.
  auto gather = llvm::dyn_cast<ir::GatherOp>(op);
  const size_t chosen = gather ? ir::rank_of(gather.getIndices()) - 1 : 0;
  return llvm::all_of(found->second, [&](const Use& use) {
    const Root& root = root_of(use);
    auto is_summed = [&](const analysis::RelationCoordinate& at) {
      return llvm::any_of(at.loops, [&](int loop) { return root.reduces[loop]; });
    };
    return use.is_row_factor && llvm::none_of(llvm::ArrayRef(use.at).take_front(chosen), is_summed);
  });
}

bool Evaluations::is_asked_for_along_rows(mlir::Operation* op) const {
  llvm::SmallDenseSet<mlir::Operation*, 4> once;
  auto found = uses_.find(op);
  return found != uses_.end() && llvm::any_of(found->second, [&](const Use& use) {
           const int last = static_cast<int>(root_of(use).index.size()) - 1;
           return !use.at.empty() && use.at.back().depends_on(last) &&
                  !once.insert(use.root).second;
         });
}

bool Evaluations::is_packed_by_tiles(mlir::Operation* op) const {
  auto found = uses_.find(op);
  return found != uses_.end() && !analysis::view_of_operand(op) && !is_read_by_rows(op) &&
         !llvm::isa<ir::ReshapeOp>(op) &&
         llvm::any_of(found->second, [](const Use& use) { return use.is_row_factor; });
}

bool Evaluations::is_summed_by_lanes(mlir::Operation* op) const {
  auto found = uses_.find(op);
  return found != uses_.end() &&
         llvm::any_of(found->second, [](const Use& use) { return use.is_lane_factor; });
}

static bool is_by_chunks(mlir::Operation* op) {
  auto sum = llvm::dyn_cast<ir::ReduceOp>(op);
  return sum && ir::reduction_of(sum).accumulate.order == Order::chunk;
}

/// Whether sums by chunks combine an op's elements, or functions of them.
static bool is_read_by_sums(mlir::Operation* op) {
  constexpr size_t kMostOps = 32; // bound
  llvm::SetVector<mlir::Operation*> reached;
  reached.insert(op);
  bool is_summed = false;
  for (size_t next = 0; next < reached.size(); ++next)
    for (mlir::Operation* user : reached[next]->getUsers()) {
      if (is_by_chunks(user) && llvm::cast<ir::ReduceOp>(user).getDims().size() == 1)
        is_summed = true;
      else if (!llvm::isa<ir::ElementwiseOp, ir::CastOp>(user) || reached.size() == kMostOps)
        return false;
      else
        reached.insert(user);
    }
  return is_summed;
}

bool Evaluations::is_gathered(mlir::Operation* op) const {
  auto transpose = llvm::dyn_cast<ir::TransposeOp>(op);
  auto found = uses_.find(op);
  if (!transpose || found == uses_.end() || ir::rank_of(transpose.getResult()) == 0)
    return false;
  llvm::ArrayRef<int64_t> permutation = transpose.getPermutation();
  const auto inner = static_cast<int64_t>(permutation.size()) - 1;
  const auto shown = llvm::find(permutation, inner) - permutation.begin();
  return llvm::any_of(found->second, [&](const Use& use) {
    const int rank =
        use.root->getNumResults() == 0 ? 0 : static_cast<int>(ir::rank_of(use.root->getResult(0)));
    const Root& root = root_of(use);
    auto reduces = [&](int loop) { return root.reduces[loop]; };
    const bool is_reduced = llvm::any_of(use.at.back().loops, reduces);
    // Windows move along what they sum: neighbours read neighbours.
    const bool is_window = llvm::any_of(use.at, [&](const analysis::RelationCoordinate& at) {
      return llvm::any_of(at.loops, reduces) && !llvm::all_of(at.loops, reduces);
    });
    if (is_reduced && is_window)
      return false;
    // Lanes of sums by chunks go along the root's last dim.
    if (rank > 0 && shown != inner && use.at.back().depends_on(rank - 1)) {
      analysis::RelationIndex memory(use.at.size());
      for (auto [dim, at] : llvm::zip(permutation, use.at))
        memory[dim] = at;
      if (is_read_by_sums(op) && lies_in_squares(memory, rank - 1))
        return false;
      if (is_by_chunks(use.root))
        return true;
    }
    if (is_reduced && shown != inner)
      return !use.is_row_factor && !use.is_lane_factor; // products have rules of their own
    return rank > 0 && use.at.back().depends_on(rank - 1) && !use.at[shown].loops.empty() &&
           llvm::all_of(use.at[shown].loops, [&](int loop) { return loop >= rank; });
  });
}

bool Evaluations::is_asked_by_rows(mlir::Operation* op, int64_t most) const {
  std::vector<Use> uses = uses_.lookup(op);
  if (uses.size() < 2 || uses[0].root->getNumResults() != 1)
    return false;
  mlir::Operation* root = uses[0].root;
  Shape shape = ir::shape_of(root->getResult(0));
  if (shape.size() < 2 || shape != ir::shape_of(op->getResult(0)) ||
      shape.back().constant().value_or(most + 1) > most)
    return false;
  analysis::RelationIndex own = root_of(uses[0]).index;
  own.resize(std::min(own.size(), shape.size() - 1));
  return llvm::all_of(uses, [&](const Use& use) {
    return use.root == root && std::equal(own.begin(), own.end(), use.at.begin(), use.at.end() - 1);
  });
}

bool Evaluations::is_asked_by_short_rows(mlir::Operation* op) const {
  std::vector<Use> uses = uses_.lookup(op);
  if (uses.empty() || uses[0].root->getNumResults() != 1)
    return false;
  mlir::Operation* root = uses[0].root;
  if (!has_few_terms(op, signatures_) && !has_few_terms(root, signatures_))
    return false;
  const Shape shape = ir::shape_of(root->getResult(0)), own = ir::shape_of(op->getResult(0));
  const int64_t first = first_of_short_row(shape);
  const analysis::RelationIndex& rows = root_of(uses[0]).index;
  if (first < 0 || !analysis::computes_cells(root, signatures_) ||
      static_cast<int64_t>(std::min(own.size(), rows.size())) < first ||
      element_count(Shape(own.begin() + first, own.end())).constant().value_or(INT64_MAX) >
          kMostInterleaved)
    return false;
  return llvm::all_of(uses, [&](const Use& use) {
    return use.root == root && std::equal(rows.begin(), rows.begin() + first, use.at.begin());
  });
}

bool Evaluations::is_behind_short_rows(mlir::Operation* op) const {
  return !roots_at_own_index(op) && llvm::any_of(uses_.lookup(op), [&](const Use& use) {
    return analysis::computes_cells(use.root, signatures_) &&
           first_of_short_row(ir::shape_of(use.root->getResult(0))) >= 0;
  });
}

bool Evaluations::is_summed_beside_rows(mlir::Operation* op) const {
  const std::vector<Use> uses = uses_.lookup(op);
  return !uses.empty() && terms_of(op, signatures_) <= kMostInterleaved &&
         llvm::all_of(uses, [&](const Use& use) {
           const analysis::RelationIndex& own = root_of(use).index;
           const auto rows = turns_inside(use.root) ? ir::rank_of(use.root->getResult(0)) - 1 : 0;
           return rows > 0 && rows <= static_cast<int64_t>(use.at.size()) &&
                  std::equal(own.begin(), own.begin() + rows, use.at.begin());
         });
}

bool Evaluations::is_asked_by_segments(mlir::Operation* op) const {
  auto found = uses_.find(op);
  auto reduce = llvm::dyn_cast<ir::SegmentReduceOp>(op);
  return reduce && found != uses_.end() && llvm::all_of(found->second, [&](const Use& use) {
           return use.at[0] ==
                  root_of(use).composer.known_segment(segments_in(reduce.getOffsets()));
         });
}

bool Evaluations::is_inside_reduction(mlir::Operation* op) const {
  auto is_inside = [&](const Use& use) {
    const Root& root = root_of(use);
    return llvm::any_of(analysis::loops_of(use.at), [&](int loop) { return root.reduces[loop]; });
  };
  auto found = uses_.find(op);
  return found != uses_.end() && llvm::any_of(found->second, is_inside);
}

std::optional<std::vector<mlir::Operation*>>
Evaluations::roots_at_own_index(mlir::Operation* op) const {
  std::vector<mlir::Operation*> roots;
  const Shape shape = ir::shape_of(op->getResult(0));
  for (const Use& use : uses_.lookup(op)) {
    const analysis::RelationIndex& own = root_of(use).index;
    bool is_own =
        use.root->getNumResults() == 1 && ir::shape_of(use.root->getResult(0)) == shape &&
        use.at.size() == shape.size() &&
        std::equal(use.at.begin(), use.at.end(), own.begin(),
                   own.begin() + static_cast<int64_t>(std::min(own.size(), use.at.size())));
    if (!is_own)
      return std::nullopt;
    roots.push_back(use.root);
  }
  return roots;
}

} // namespace kolam::nest
