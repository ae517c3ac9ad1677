// Decides between recomputing and storing, op by op, from access facts.
#include "kolam/nest/fusion.h"

#include "kolam/analysis/cost.h"
#include "kolam/analysis/views.h"
#include "kolam/ir/element_loop.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"
#include "kolam/ir/reshape_groups.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/nest/changes.h"
#include "kolam/nest/evaluations.h"
#include "kolam/nest/lanes.h"
#include "kolam/nest/next_states.h"
#include "kolam/nest/prices.h"
#include "kolam/nest/products.h"
#include "kolam/nest/row_reductions.h"
#include "kolam/nest/segments.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

#include <functional>

namespace kolam::nest {
namespace {

/// Size of code: ops that a nest repeats at other indices; keeps compile time bounded too.
constexpr double kMaxCode = 128;

bool reduces(mlir::Operation* op, analysis::Signatures& signatures) {
  return llvm::any_of(signatures.of(op).dims, [](const space::IndexDim& dim) {
    return dim.kind == space::DimKind::reduce && dim.extent != Extent(1);
  });
}

bool is_literal(mlir::Operation* op) {
  auto constant = llvm::dyn_cast<ir::ConstantOp>(op);
  return constant && !llvm::cast<mlir::DenseElementsAttr>(constant.getValue()).isSplat();
}

/// Why a loop needs an operand in memory; empty where it does not. `work` gives the operations for
/// one of its elements.
std::string why_loop_reads(mlir::OpOperand& operand, llvm::function_ref<double()> work,
                           analysis::Signatures& signatures, const Prices& prices) {
  mlir::Operation* loop = operand.getOwner();
  if (ir::rank_of(operand.get()) == 0 || !carries(loop))
    return "";
  if (signatures.of(loop).operands[operand.getOperandNumber()].indirect)
    return "each step of a loop reads it at places of its own";
  Shape shape = ir::shape_of(loop->getResult(0));
  bool is_sliced = ir::rank_of(operand.get()) > static_cast<int64_t>(shape.size());
  bool has_lanes = !shape.empty() && shape.back().constant().value_or(kShortRun) >= kShortRun;
  return is_sliced && !has_lanes && work() > prices.step ? "a loop without lanes reads it" : "";
}

/// Whether an op shows elements that others read too, or most of them: these are worth memory, not
/// the view of them.
bool shows_most(mlir::Operation* op) {
  if (!analysis::view_of_operand(op) && !keeps_order(op))
    return false;
  auto elements = [](mlir::Value value) { return ir::rough_count(ir::shape_of(value)); };
  mlir::Value source = op->getOperand(0);
  return !source.hasOneUse() || elements(source) <= 2 * elements(op->getResult(0));
}

/// Whether the operand has the places of windows of a line and more: a place for each row is little
/// beside the row.
bool places_rows(const mlir::OpOperand& operand, const Machine& machine) {
  auto gather = llvm::dyn_cast<ir::GatherOp>(operand.getOwner());
  if (!gather || operand.get() != gather.getIndices())
    return false;
  Shape result = ir::shape_of(gather.getResult());
  constexpr int64_t kElement = byte_width(DType::f32);
  return ir::rough_count(Shape(result.begin() + ir::rank_of(operand.get()) - 1, result.end())) >=
         static_cast<double>(machine.caches.line / kElement);
}

/// Whether elements that follow one another, row-major, are computed from elements that do.
bool is_flat(mlir::Value value, llvm::function_ref<bool(mlir::Value)> is_stored) {
  constexpr size_t kMostOps = 32; // bound: of ops that are looked at
  llvm::SetVector<mlir::Value> cone;
  cone.insert(value);
  for (size_t next = 0; next < cone.size(); ++next) {
    mlir::Operation* op = cone[next].getDefiningOp();
    if (!op || is_stored(cone[next]))
      continue;
    auto broadcast = llvm::dyn_cast<ir::BroadcastOp>(op);
    if (broadcast && element_count(ir::shape_of(broadcast.getOperand())) == Extent(1))
      continue;
    auto constant = llvm::dyn_cast<ir::ConstantOp>(op);
    if (constant && llvm::cast<mlir::DenseElementsAttr>(constant.getValue()).isSplat())
      continue;
    if (!llvm::isa<ir::ElementwiseOp, ir::CastOp>(op) && !keeps_order(op))
      return false;
    cone.insert_range(op->getOperands());
    if (cone.size() > kMostOps)
      return false;
  }
  return true;
}

/// Whether dims of these extents are counted through as one, where a row of the last has fewer
/// elements than a vector has lanes.
bool has_short_rows(llvm::ArrayRef<Extent> counted, const Machine& machine) {
  while (!counted.empty() && counted.back() == Extent(1))
    counted = counted.drop_back();
  auto row = counted.empty() ? std::nullopt : counted.back().constant();
  return row && *row < machine.lanes() &&
         llvm::any_of(
             counted.drop_back(), [](const Extent& extent) { return extent != Extent(1); });
}

/// Whether an op counts through rows of its operand that are shorter than vectors: each lane would
/// find its row by itself, and take what the row is computed from one by one. Stored, they are a
/// run, and are computed side by side.
bool counts_through_short_rows(const mlir::OpOperand& operand,
                               llvm::function_ref<bool(mlir::Value)> is_stored,
                               const Machine& machine) {
  constexpr double kFewest = 512; // assumed: of fewer elements a nest costs more
  const Shape from = ir::shape_of(operand.get());
  if (ir::rough_count(from) < kFewest)
    return false;
  auto joins_rows = [&] {
    if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(operand.getOwner())) {
      size_t first = from.size();
      while (first > 0 && llvm::is_contained(reduce.getDims(), first - 1))
        --first;
      return has_short_rows(llvm::ArrayRef(from).drop_front(first), machine);
    }
    auto reshape = llvm::dyn_cast<ir::ReshapeOp>(operand.getOwner());
    if (!reshape)
      return false;
    // Vectors go along the last dims of the result, of which short ones go side by side.
    const Shape to = ir::shape_of(reshape.getResult());
    int64_t behind = 1;
    const std::vector<ir::ReshapeGroup> groups = ir::reshape_groups(from, to);
    for (const ir::ReshapeGroup& group : llvm::reverse(groups)) {
      if (has_short_rows(llvm::ArrayRef(from).slice(group.from.first, group.from.count), machine))
        return true;
      const Shape own(to.begin() + group.to.first, to.begin() + group.to.first + group.to.count);
      behind *= element_count(own).constant().value_or(machine.lanes());
      if (behind >= machine.lanes())
        break;
    }
    return false;
  };
  return joins_rows() && !is_flat(operand.get(), is_stored);
}

} // namespace

bool forms_step(mlir::Operation* op) { return ir::facts_of(op).runs == ir::Runs::step; }

bool carries(mlir::Operation* op) {
  return ir::facts_of(op).bodies == ir::Bodies::in_turn && !forms_step(op) &&
         !ir::is_by_elements(op);
}

bool keeps_order(mlir::Operation* op) { return ir::facts_of(op).keeps_order; }

mlir::Value unnamed(mlir::Value value) {
  while (auto reshape = value.getDefiningOp<ir::ReshapeOp>()) {
    Shape from = ir::shape_of(reshape.getOperand()), to = ir::shape_of(value);
    if (from.size() != to.size())
      return value;
    int64_t names = 0;
    for (auto [old, renamed] : llvm::zip(from, to)) {
      bool is_name = !(old == renamed);
      names += is_name ? 1 : 0;
      // Only beside extents that are not 0 does an equal number of elements make it the same
      // extent.
      if (is_name ? old.is_constant() && renamed.is_constant() : old.constant().value_or(0) == 0)
        return value;
    }
    if (names > 1)
      return value;
    value = reshape.getOperand();
  }
  return value;
}

mlir::Value shown_alone(mlir::Value value) {
  auto is_known = [](mlir::Value shown) {
    return llvm::all_of(ir::shape_of(shown), [](const Extent& e) { return e.is_constant(); });
  };
  mlir::Operation* op = value.getDefiningOp();
  if (!op || !keeps_order(op))
    return {};
  mlir::Value shown = op->getOperand(0);
  bool is_ours = shown.getDefiningOp() && shown.hasOneUse() && is_known(value) && is_known(shown);
  return is_ours ? shown : mlir::Value();
}

/// Whether an update of part of an array places its elements, and would read them across: by
/// squares they are read and written along their lines.
static bool is_placed_across(mlir::Operation* op, const Machine& machine) {
  auto transpose = llvm::dyn_cast<ir::TransposeOp>(op);
  if (!transpose)
    return false;
  const Shape shape = ir::shape_of(transpose.getResult());
  const auto inner = static_cast<int64_t>(shape.size()) - 1;
  llvm::ArrayRef<int64_t> permutation = transpose.getPermutation();
  auto fills_lanes = [&](const Extent& extent) {
    return extent.constant().value_or(machine.lanes()) >= machine.lanes();
  };
  if (inner < 1 || permutation.back() == inner || !fills_lanes(shape.back()) ||
      !fills_lanes(shape[llvm::find(permutation, inner) - permutation.begin()]))
    return false;
  mlir::Value placed = transpose.getResult();
  while (placed.hasOneUse() && keeps_order(*placed.user_begin()))
    placed = placed.user_begin()->getResult(0);
  auto update = placed.hasOneUse() ? llvm::dyn_cast<ir::DynamicUpdateSliceOp>(*placed.user_begin())
                                   : ir::DynamicUpdateSliceOp();
  return update && update.getUpdate() == placed;
}

/// Whether what an op shows has rows of some vectors, over which it is better computed than over
/// the op's own dims, as it is there that what it reads lies in rows.
static bool shows_rows(mlir::Operation* op, const Machine& machine) {
  mlir::Value shown = shown_alone(op->getResult(0));
  if (!shown || ir::rank_of(shown) == 0)
    return false;
  const Shape shape = ir::shape_of(shown);
  // Short rows go side by side (nest/short_rows.h).
  constexpr int64_t kMost = 8; // size of code
  const int64_t row = *shape.back().constant();
  const bool has_short_rows = shown.getDefiningOp<ir::ElementwiseOp>() && shape.size() > 1 &&
                              row > 1 && row <= kMost &&
                              *shape[shape.size() - 2].constant() >= kWideRun;
  return has_short_rows || row >= machine.lanes();
}

/// A step of its own is run whole, also where its rows have one element.
static bool gives_cells(mlir::Operation* op, analysis::Signatures& signatures) {
  return !forms_step(op) && analysis::computes_cells(op, signatures);
}

/// A reduction whose elements are chunks: what it merges was cut so that threads share it.
static bool merges_parts(mlir::Operation* op) {
  auto reduce = llvm::dyn_cast<ir::ReduceOp>(op);
  return reduce && ir::accumulate_of(reduce.getAccumulate()).chunk == 1;
}

/// Its steps go over nothing of what others compute, so only literals are read where they stand.
static void require_for_loop(mlir::Operation* loop, Required& required) {
  for (mlir::Value operand : loop->getOperands())
    if (mlir::Operation* producer = operand.getDefiningOp();
        producer &&
        (producer->getNumOperands() > 0 || ir::facts_of(producer).again != ir::Again::free))
      required.try_emplace(operand, "a loop over its elements needs it in memory");
}

/// Whether an op sums a few elements one after the other and not along its rows: neighbours, which
/// are lanes of whoever reads them, are summed at once.
static bool sums_few_across(mlir::Operation* op) {
  auto reduce = llvm::dyn_cast<ir::ReduceOp>(op);
  if (!reduce || ir::accumulate_of(reduce.getAccumulate()).order != Order::chunk)
    return false;
  const Shape shape = ir::shape_of(reduce.getInputs()[0]);
  double terms = 1;
  for (int64_t dim : reduce.getDims())
    terms *= ir::rough_count({shape[static_cast<size_t>(dim)]});
  return terms <= kMostInterleaved &&
         !llvm::is_contained(reduce.getDims(), ir::rank_of(reduce.getInputs()[0]) - 1);
}

/// Whether an op sums by lanes, but not along its rows: one element alone gathers what it sums.
static bool gathers_lanes(mlir::Operation* op) {
  auto reduce = llvm::dyn_cast<ir::ReduceOp>(op);
  return reduce && goes_by_lanes(op, kMostInterleaved) &&
         !llvm::is_contained(reduce.getDims(), ir::rank_of(reduce.getInputs()[0]) - 1);
}

/// Why an op does not give single elements, by what its signature says.
static std::string why_no_cells(mlir::Operation* op) {
  if (forms_step(op)) {
    bool is_loop = ir::facts_of(op).bodies == ir::Bodies::in_turn;
    return "it is a step of its own" + (is_loop ? ": " + ir::pointwise(op).why_not : "");
  }
  auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
  if (!signed_op || op->getNumResults() == 0)
    return "it gives no elements";
  if (ir::is_by_elements(op))
    return "it is a loop that changes elements in memory";
  if (signed_op.task_count())
    return "it cuts its work into tasks of its own";
  space::Signature signature = signed_op.signature();
  if (analysis::first_result(signature).indirect)
    return "data decides where its elements lie";
  if (llvm::any_of(signature.dims,
                   [](const space::IndexDim& dim) { return dim.kind == space::DimKind::scan; }))
    return "its elements depend on those before";
  return "it gives no single elements";
}

/// Bound: the sums of a third product in a nest would wait where those of its own should be.
static constexpr int kTallProducts = 2;

static bool has_tall_tiles(const Product& product) {
  return row_count(product).constant().value_or(kTiles.unit) > kTiles.wide_rows;
}

/// Whether an op adds such products up, or what does.
static bool adds_tall_products(mlir::Operation* op, analysis::Signatures& signatures) {
  constexpr int kMost = 4; // bound: of ops in a row
  std::function<bool(mlir::Operation*, int)> adds = [&](mlir::Operation* sum, int left) {
    return left > 0 && llvm::isa_and_present<ir::ElementwiseOp>(sum) &&
           llvm::any_of(sum->getOperands(), [&](mlir::Value operand) {
             mlir::Operation* term = operand.getDefiningOp();
             auto product = term ? as_product(term, signatures) : std::nullopt;
             return (product && has_tall_tiles(*product)) || adds(term, left - 1);
           });
  };
  return adds(op, kMost);
}

/// Whether a transpose shows the op's elements with another dim in vectors.
static bool is_turned(mlir::Operation* op) {
  return llvm::any_of(op->getUsers(), [](mlir::Operation* user) {
    auto transpose = llvm::dyn_cast<ir::TransposeOp>(user);
    if (!transpose || transpose.getPermutation().empty())
      return false;
    Shape shape = ir::shape_of(transpose.getOperand());
    auto moving = [&](int64_t dim) { return shape[dim] != Extent(1); };
    auto order = llvm::make_filter_range(transpose.getPermutation(), moving);
    llvm::SmallVector<int64_t> dims(order);
    return !dims.empty() && dims.back() != *llvm::max_element(dims);
  });
}

/// Whether elements along the last dim of a value lie side by side in memory, as far as ops of as
/// many dims show it.
static bool lies_in_rows(mlir::Value value, llvm::function_ref<bool(mlir::Value)> is_stored) {
  for (mlir::Operation* producer = value.getDefiningOp(); producer && !is_stored(value);
       producer = value.getDefiningOp()) {
    auto transpose = llvm::dyn_cast<ir::TransposeOp>(producer);
    if (transpose && transpose.getPermutation().back() != ir::rank_of(value) - 1)
      return false;
    const auto shown = llvm::find_if(producer->getOperands(), [&](mlir::Value operand) {
      return ir::rank_of(operand) == ir::rank_of(value);
    });
    if (shown == producer->operand_end())
      return true;
    value = *shown;
  }
  return true;
}

/// How many elements an op combines for each of its own.
static double terms_of(ir::SignedOp op) {
  double terms = 1;
  for (const space::IndexDim& dim : op.signature().dims)
    if (dim.kind == space::DimKind::reduce)
      terms *= ir::rough_count({dim.extent});
  return terms;
}

/// Whether an op combines more than a few elements of memory that lies in the order of its own
/// dims, so that it is met best in that order.
static bool combines_as_it_lies(mlir::Operation* op,
                                llvm::function_ref<bool(mlir::Value)> is_stored) {
  constexpr double kFew = 2; // assumed: gathers of so many take as long as one that is stored
  auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
  if (!signed_op || op->getNumResults() != 1)
    return false;
  return terms_of(signed_op) > kFew && llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
           return ir::rank_of(operand) > ir::rank_of(op->getResult(0)) &&
                  lies_in_rows(operand, is_stored);
         });
}

/// Whether an op's last dim is that of memory which it combines, so that neighbours are combined
/// side by side.
static bool combines_across(mlir::Operation* op, llvm::function_ref<bool(mlir::Value)> is_stored,
                            const Machine& machine) {
  if (!combines_as_it_lies(op, is_stored) || ir::rank_of(op->getResult(0)) == 0 ||
      ir::shape_of(op->getResult(0)).back().constant().value_or(machine.lanes()) < machine.lanes())
    return false;
  const space::Signature signature = llvm::cast<ir::SignedOp>(op).signature();
  auto last = [](const space::Operand& operand) {
    const auto& rows = operand.projection.map.rows;
    return rows.empty() ? -1 : analysis::copied_dim(rows.back());
  };
  const int own = last(analysis::first_result(signature));
  return own >= 0 && llvm::any_of(llvm::seq<size_t>(0, op->getNumOperands()), [&](size_t number) {
           return last(signature.operands[number]) == own &&
                  lies_in_rows(op->getOperand(number), is_stored);
         });
}

/// Operations of what elementwise ops compute of each element of an op.
static double work_behind(mlir::Operation* op) {
  constexpr size_t kMostOps = 16; // bound
  const Shape shape = ir::shape_of(op->getResult(0));
  llvm::SetVector<mlir::Operation*> behind;
  behind.insert(op);
  double work = 0;
  for (size_t next = 0; next < behind.size() && next < kMostOps; ++next)
    for (mlir::Operation* user : behind[next]->getUsers())
      if (llvm::isa<ir::ElementwiseOp, ir::CastOp>(user) &&
          ir::shape_of(user->getResult(0)) == shape && behind.insert(user))
        work += analysis::flops_per_cell(user);
  return work;
}

/// Whether an op sums along lanes, a few vectors for an element, and more than that is computed of
/// each: one by one, where vectors of sums would do.
static bool is_worth_vectors_of_sums(mlir::Operation* op, const Machine& machine) {
  constexpr double kMostTerms = 256; // assumed: of more the sum takes longer
  if (!goes_by_lanes(op) || ir::rank_of(op->getResult(0)) == 0 ||
      ir::shape_of(op->getResult(0)).back().constant().value_or(machine.lanes()) < machine.lanes())
    return false;
  return terms_of(llvm::cast<ir::SignedOp>(op)) <= kMostTerms &&
         work_behind(op) >= machine.prices.chain;
}

/// Whether ops computed on the way to an op's elements give sums that elements of a row share.
static bool shares_sums(mlir::Operation* op, llvm::function_ref<bool(mlir::Value)> is_stored) {
  constexpr size_t kMostOps = 64; // bound
  llvm::SetVector<mlir::Operation*> cone;
  cone.insert(op);
  for (size_t next = 0; next < cone.size() && next < kMostOps; ++next)
    for (mlir::Value operand : cone[next]->getOperands()) {
      mlir::Operation* producer = operand.getDefiningOp();
      if (!producer || is_stored(operand))
        continue;
      if (llvm::isa<ir::ReduceOp>(producer))
        return true;
      cone.insert(producer);
    }
  return false;
}

/// Whether an op joins parts that are shorter than vectors on average, one behind the other in a
/// row: lanes compute each part for all of a vector.
static bool joins_short_parts(mlir::Operation* op, const Machine& machine) {
  auto concat = llvm::dyn_cast<ir::ConcatOp>(op);
  if (!concat || static_cast<int64_t>(concat.getDim()) != ir::rank_of(op->getResult(0)) - 1)
    return false;
  const auto row = ir::shape_of(op->getResult(0)).back().constant();
  return row && *row < static_cast<int64_t>(op->getNumOperands()) * machine.lanes();
}

/// Whether any asks for elements that do not follow one another.
static bool asks_apart(const std::vector<Evaluations::Request>& requests) {
  return llvm::any_of(requests, [](const Evaluations::Request& request) {
    return request.is_spread || request.step > 1;
  });
}

/// The same where `unknown` ids are not known in segments. What is found to be none of the others,
/// though reductions are computed inside what knows them, is added to them: then it is asked again.
static Materialized choose_materialized(mlir::Block& block, analysis::Signatures& signatures,
                                        const Machine& machine,
                                        const llvm::DenseSet<mlir::Operation*>& parted,
                                        Evaluations::Ids& unknown) {
  const Prices& prices = machine.prices;
  Evaluations evaluations(signatures, unknown);
  Required required;
  for (mlir::Value value : block.getTerminator()->getOperands())
    required[value] = "it is a result";
  require_for_changes(block, required);
  require_for_next_states(block, machine, required);

  llvm::DenseMap<mlir::Operation*, bool>
      are_stored; // asked once: of a loop all of its body is read
  auto is_stored = [&](mlir::Value value) {
    if (required.contains(value))
      return true;
    mlir::Operation* op = value.getDefiningOp();
    auto [known, is_new] = are_stored.try_emplace(op);
    if (is_new)
      known->second = !gives_cells(op, signatures) || is_literal(op) ||
                      llvm::isa<ir::SegmentReduceOp>(op) || unknown.contains(op);
    return known->second;
  };
  auto work = [&](mlir::Operation* op, double most) {
    return work_of_element(op, is_stored, unknown, most, signatures, machine).flops;
  };
  auto loads = [&](mlir::Operation* op) {
    constexpr double kMostLooked = 256; // bound
    return work_of_element(op, is_stored, unknown, kMostLooked, signatures, machine).loads;
  };
  constexpr double kMostTurned = 4; // assumed: squares of so many take as long as one and memory
  for (mlir::Operation& op : block.without_terminator())
    for (mlir::OpOperand& operand : op.getOpOperands()) {
      mlir::Operation* producer = operand.get().getDefiningOp();
      if (!producer || is_stored(operand.get()))
        continue;
      // A scatter's loops go over what it places, not over what it copies.
      const bool is_scattered_onto =
          llvm::isa<ir::ScatterOp>(op) && llvm::is_contained(changed_by(&op), operand.get());
      if (is_scattered_onto && work(producer, 1) > 0)
        required[operand.get()] = "its consumer changes it in place";
      else if (llvm::isa<ir::CompressOp>(op) && ir::facts_of(producer).again != ir::Again::free)
        required[operand.get()] = "it is moved by what a mask says";
      else if (places_rows(operand, machine) && work(producer, prices.placed) > prices.placed)
        required[operand.get()] = "it places rows of many elements";
      else if (counts_through_short_rows(operand, is_stored, machine))
        required[operand.get()] = "its consumer counts through its rows, which are short";
      else if (std::string why = why_loop_reads(
                   operand, [&] { return work(producer, prices.step); }, signatures, prices);
               !why.empty())
        required[operand.get()] = why;
    }

  llvm::DenseSet<mlir::Value> destined; // these have memory of their own
  bool returns = llvm::isa<mlir::func::ReturnOp>(block.getTerminator());
  for (mlir::Value value : block.getTerminator()->getOperands())
    if (!returns || unnamed(value) == value)
      destined.insert(value);
  Materialized result;
  llvm::DenseMap<mlir::Operation*, MatrixDims> tiled; // roots with products of matrices inside
  llvm::DenseMap<mlir::Operation*, int> tall;         // of these the products with many rows
  const std::string full = "its consumer has products whose sums fill the registers";
  auto is_full = [&](const std::optional<std::vector<mlir::Operation*>>& roots) {
    return llvm::any_of(roots.value_or(std::vector<mlir::Operation*>()),
                        [&](mlir::Operation* root) { return tall.lookup(root) >= kTallProducts; });
  };
  for (mlir::Operation& op : llvm::reverse(block.without_terminator())) {
    std::string reason;
    for (mlir::Value value : op.getResults())
      if (reason.empty())
        reason = required.lookup(value);
    double times = evaluations.per_cell(&op);
    bool is_sum = gives_cells(&op, signatures) && reduces(&op, signatures);
    if (!gives_cells(&op, signatures))
      reason = why_no_cells(&op);
    else if (is_literal(&op))
      reason = "it is a literal";
    else if (llvm::isa<ir::MaterializeOp>(op))
      reason = "materialize asks for it";
    const bool is_by_short_rows =
        evaluations.is_asked_by_short_rows(&op) && !goes_by_lanes(&op, kMostInterleaved);
    if (reason.empty() && !is_by_short_rows && !evaluations.is_read_by_rows(&op) &&
        !shows_most(&op) && !evaluations.is_asked_by_rows(&op, most_row(machine)))
      reason = why_in_memory(&op, evaluations.requests(op.getResult(0)), is_stored, unknown,
                             signatures, machine);
    if (reason.empty() && is_sum && !is_by_short_rows && !sums_few_across(&op) &&
        !evaluations.is_summed_beside_rows(&op) && evaluations.is_inside_reduction(&op) &&
        work(&op, prices.sum) > prices.sum)
      reason = "its sums would be computed one by one in a reduction of them";
    if (reason.empty() && is_sum && !is_by_short_rows && evaluations.roots_at_own_index(&op) &&
        is_worth_vectors_of_sums(&op, machine))
      reason = "what is computed of its sums goes by vectors of them";
    if (reason.empty() && !is_by_short_rows && gathers_lanes(&op) &&
        evaluations.is_behind_short_rows(&op))
      reason = "its consumer's rows are too short for vectors, which it is met by";
    if (reason.empty() && times > prices.packed && evaluations.is_packed_by_tiles(&op))
      reason = "each element would be packed " + std::to_string(static_cast<int64_t>(times + 0.5)) +
               " times";
    if (reason.empty() && !is_by_short_rows &&
        ((times > prices.packed && llvm::isa<ir::TransposeOp>(op) &&
          evaluations.is_summed_by_lanes(&op)) ||
         evaluations.is_gathered(&op) || is_placed_across(&op, machine)))
      reason = "its elements would be gathered " +
               std::to_string(static_cast<int64_t>(times + 0.5)) + " times";
    if (reason.empty() && is_turned(&op) && shares_sums(&op, is_stored))
      reason = "its rows share sums, and are turned";
    if (reason.empty() && is_sum && !is_by_short_rows && is_turned(&op) &&
        combines_as_it_lies(&op, is_stored))
      reason = "it combines what lies in another order than its consumer's";
    if (reason.empty() && is_sum && !is_by_short_rows &&
        asks_apart(evaluations.requests(op.getResult(0))) &&
        combines_across(&op, is_stored, machine))
      reason = "it combines for neighbours side by side, its consumer asks for others";
    if (reason.empty() && !is_by_short_rows && is_turned(&op) &&
        lies_in_rows(op.getResult(0), is_stored) && loads(&op) > kMostTurned)
      reason = "what it reads would be turned, not its elements";
    if (reason.empty() && !is_by_short_rows && sums_rows_by_chunks(&op, machine) &&
        !evaluations.roots_at_own_index(&op))
      reason = "its rows are summed side by side";
    if (reason.empty() && !is_by_short_rows && joins_short_parts(&op, machine) &&
        evaluations.is_asked_for_along_rows(&op))
      reason = "its parts are shorter than vectors, and read at several indices";
    if (reason.empty() && evaluations.largest_code(&op) > kMaxCode)
      reason = "the nest would grow too large";
    if (auto ids = llvm::dyn_cast<ir::SegmentIdsOp>(op);
        ids && reason.empty() && !is_known_in_segments(ids, result, signatures))
      reason = "its consumers do not go segment by segment";
    if (llvm::isa<ir::SegmentIdsOp>(op) && !reason.empty())
      unknown.insert(&op);
    if (llvm::isa<ir::SegmentReduceOp>(op) && reason.empty() &&
        !evaluations.is_asked_by_segments(&op))
      reason = "its segments go one after the other";
    std::optional<Product> product = as_product(&op, signatures);
    if (product && reason.empty()) {
      auto roots = evaluations.roots_at_own_index(&op);
      if (!roots)
        reason = "its tiles are of other elements than its consumer's";
      if (reason.empty() && has_tall_tiles(*product) && is_full(roots))
        reason = full;
      for (mlir::Operation* root : roots.value_or(std::vector<mlir::Operation*>()))
        if (carries(root))
          reason = "its consumer is a loop";
        else if (!(tiled.try_emplace(root, product->dims).first->second == product->dims))
          reason = "its consumer has other matrices in tiles";
    }
    if (reason.empty() && !product && adds_tall_products(&op, signatures) &&
        is_full(evaluations.roots_at_own_index(&op)))
      reason = full;
    if (product && has_tall_tiles(*product) && reason.empty()) {
      const auto roots = evaluations.roots_at_own_index(&op);
      for (mlir::Operation* root : roots.value_or(std::vector<mlir::Operation*>()))
        ++tall[root];
    }
    if (!reason.empty())
      result[&op] = reason;
    if (!reason.empty() && keeps_order(&op) &&
        (!destined.contains(op.getResult(0)) || (returns && shows_rows(&op, machine))))
      required.try_emplace(op.getOperand(0), "its consumer shows its memory: " + reason);
    if (!reason.empty() && parted.contains(&op))
      for (mlir::Value operand : op.getOperands())
        required.try_emplace(operand, "it is computed where its consumer puts it");
    if (merges_parts(&op))
      required.try_emplace(op.getOperand(0), "threads share its parts");
    if (forms_step(&op))
      for (mlir::Value operand : op.getOperands())
        required.try_emplace(operand, "a step of its own needs it in memory");
    else if (ir::is_by_elements(&op))
      require_for_loop(&op, required);
    else if (reason.empty())
      evaluations.add_inside(&op);
    else
      evaluations.add_root(&op);
    if (product && !reason.empty())
      tiled[&op] = product->dims;
  }
  return result;
}

Materialized choose_materialized(mlir::Block& block, analysis::Signatures& signatures,
                                 const Machine& machine,
                                 const llvm::DenseSet<mlir::Operation*>& parted) {
  Evaluations::Ids unknown;
  for (;;) {
    const size_t before = unknown.size();
    Materialized result = choose_materialized(block, signatures, machine, parted, unknown);
    if (unknown.size() == before)
      return result;
  }
}

} // namespace kolam::nest
