// Prices elements computed again against elements in memory.
#include "kolam/nest/prices.h"

#include "kolam/analysis/cost.h"
#include "kolam/ir/ops.h"
#include "kolam/nest/fusion.h"
#include "kolam/nest/scattered_elements.h"

#include <limits>
#include <set>

namespace kolam::nest {
namespace {

bool reduces(const space::Signature& signature) {
  return llvm::any_of(signature.dims, [](const space::IndexDim& dim) {
    return dim.kind == space::DimKind::reduce;
  });
}

/// Whether a nest of the root asks for elements by vectors.
bool asks_by_vectors(mlir::Operation* root, analysis::Signatures& signatures) {
  auto signed_op = llvm::dyn_cast<ir::SignedOp>(root);
  if (!signed_op || signed_op.task_count() || root->getNumResults() == 0)
    return true;
  const space::Signature& signature = signatures.of(root);
  if (signature.opaque || signature.dims.empty())
    return true;
  if (auto scatter = llvm::dyn_cast<ir::ScatterOp>(root); scatter && places_by_vectors(scatter))
    return true;
  if (carries(root)) { // its states go in lanes along the last dim
    Shape shape = ir::shape_of(root->getResult(0));
    return !shape.empty() && shape.back().constant().value_or(kShortRun) >= kShortRun;
  }
  const space::IndexDim& last = signature.dims.back();
  bool is_short = last.extent.constant().value_or(kShortRun) < kShortRun;
  return last.kind != space::DimKind::scan &&
         !(is_short && analysis::first_result(signature).indirect);
}

/// Whether the index says which of several places an element is found in.
bool chooses_by_index(mlir::Operation* op) {
  auto is_none = [](int64_t count) { return count == 0; };
  if (auto pad = llvm::dyn_cast<ir::PadOp>(op))
    return !llvm::all_of(pad.getLow(), is_none) || !llvm::all_of(pad.getHigh(), is_none);
  return llvm::isa<ir::ConcatOp>(op);
}

/// Whether it chooses along its rows between parts of which more than a vector lies on either side.
bool chooses_in_rows(mlir::Operation* op) {
  constexpr int64_t kEnds = 16; // assumed: elements of a row that its ends hold
  auto concat = llvm::dyn_cast<ir::ConcatOp>(op);
  if (!concat || static_cast<int64_t>(concat.getDim()) != ir::rank_of(concat.getResult()) - 1)
    return false;
  const auto dim = static_cast<size_t>(concat.getDim());
  auto extent = [&](mlir::Value value) {
    return ir::shape_of(value)[dim].constant().value_or(kEnds + 1);
  };
  int64_t before = 0, all = 0;
  for (mlir::Value part : concat.getOperands())
    all += extent(part);
  return llvm::any_of(concat.getOperands(), [&](mlir::Value part) {
    before += extent(part);
    return before > kEnds && all - before > kEnds;
  });
}

/// How many elements whose index chooses where they are found one element of the op is computed of.
double choices_behind(mlir::Operation* op, llvm::function_ref<bool(mlir::Operation*)> chooses,
                      llvm::function_ref<bool(mlir::Value)> is_stored) {
  constexpr size_t kMostOps = 64; // bound: of ops that are looked at
  llvm::SetVector<mlir::Operation*> cone;
  cone.insert(op);
  double choices = chooses(op) ? 1 : 0;
  for (size_t next = 0; next < cone.size() && cone.size() < kMostOps; ++next)
    for (mlir::Value operand : cone[next]->getOperands())
      if (mlir::Operation* producer = operand.getDefiningOp(); producer && !is_stored(operand)) {
        choices += chooses(producer) ? 1 : 0;
        cone.insert(producer);
      }
  return choices;
}

} // namespace

Work work_of_element(mlir::Operation* op, llvm::function_ref<bool(mlir::Value)> is_stored,
                     const Evaluations::Ids& unknown, double most, analysis::Signatures& signatures,
                     const Machine& machine, int64_t step) {
  auto comes_later = [](mlir::Operation* x, mlir::Operation* y) {
    return x != y && y->isBeforeInBlock(x);
  };
  std::set<mlir::Operation*, decltype(comes_later)> waiting(comes_later);
  llvm::SetVector<mlir::Value> read;
  auto ask = [&](mlir::Operation* asking) {
    for (mlir::Value operand : asking->getOperands())
      if (mlir::Operation* producer = operand.getDefiningOp(); producer && !is_stored(operand))
        waiting.insert(producer);
      else
        read.insert(operand);
  };
  Evaluations inside(signatures, unknown);
  inside.add_root(op, step);
  ask(op);
  const double elements = op->getNumResults() == 0 ? 1 : analysis::elements_of(op->getResult(0));
  auto times = [&](mlir::Value value) {
    double sum = 0;
    for (const Evaluations::Request& request : inside.requests(value))
      sum += request.times / elements;
    return sum;
  };
  Work work{analysis::work_per_cell(op, signatures), 0};
  // Bound: so many are dear, or a chain whose price is known well enough.
  constexpr int kMostOps = 512;
  for (int count = 0; !waiting.empty() && work.flops <= most && count < kMostOps; ++count) {
    mlir::Operation* producer = *waiting.begin();
    waiting.erase(waiting.begin());
    if (llvm::isa<ir::SegmentIdsOp>(producer))
      continue; // known in segments
    work.flops += analysis::work_per_cell(producer, signatures) * times(producer->getResult(0));
    inside.add_inside(producer);
    ask(producer);
  }
  for (mlir::Value value : read)
    for (const Evaluations::Request& request : inside.requests(value))
      (request.is_spread ? work.flops : work.loads) +=
          request.times / elements * (request.is_spread ? machine.prices.spread_load : 1);
  return work;
}

/// Assumed: elements of which fewer cost less than a nest more.
static constexpr double kFewestCut = 512;
/// Assumed: operations of a place that an index chooses, compares and a load under a mask. Sums of
/// padded and of joined arrays of 1e5 elements took 0.5 to 0.7 ns for each with AVX2.
static constexpr double kChoice = 32;

std::string why_in_memory(mlir::Operation* op, const std::vector<Evaluations::Request>& requests,
                          llvm::function_ref<bool(mlir::Value)> is_stored,
                          const Evaluations::Ids& unknown, analysis::Signatures& signatures,
                          const Machine& machine) {
  const Prices& prices = machine.prices;
  const bool is_sum = reduces(signatures.of(op));
  const double elements = op->getNumResults() == 0 ? 1 : analysis::elements_of(op->getResult(0));
  double memory = 0;
  for (mlir::Value result : op->getResults())
    memory += analysis::price_of_memory(result, machine);
  if (is_sum) // inside a reader they go one by one, each by vectors of what it adds up
    memory = std::min(memory, prices.sum);
  int64_t step = 1;
  double times = 0, by_vectors = 0, one_by_one = 0, loads = 0, uncut = 0, reduced = 0;
  for (const Evaluations::Request& request : requests) {
    bool has_vectors = is_sum || asks_by_vectors(request.root, signatures);
    bool is_spread = request.is_spread && !is_sum;
    times += request.times;
    if (elements >= kFewestCut && (request.is_uncut || request.is_reduced))
      (request.is_uncut ? uncut : reduced) += request.times;
    step = std::max(step, request.step);
    (has_vectors ? by_vectors : one_by_one) += request.times;
    loads += request.times *
             std::max(has_vectors ? 1 : prices.without_lanes, is_spread ? prices.spread_load : 1);
  }
  auto chooses = [&](mlir::Operation* behind) {
    return (behind != op && chooses_by_index(behind)) || chooses_in_rows(behind);
  };
  const double choices = uncut > 0 ? choices_behind(op, chooses, is_stored) : 0;
  const double in_rows = reduced > 0 ? choices_behind(op, chooses_in_rows, is_stored) : 0;
  const double by_choices = (uncut * choices + reduced * in_rows) * kChoice;
  auto computed = [&](const Work& work) {
    return by_vectors * work.flops +
           one_by_one * prices.without_lanes * std::max(0.0, work.flops - prices.hidden) +
           loads * work.loads + by_choices;
  };
  auto stored = [&](const Work& work) {
    return elements * (work.flops + work.loads + memory) + loads;
  };
  const double slope = by_vectors + one_by_one * prices.without_lanes - elements;
  double most = slope > 0 ? (stored({}) + one_by_one * prices.without_lanes * prices.hidden) / slope
                          : std::numeric_limits<double>::infinity();
  const bool is_read_once = slope <= 0 && loads <= elements;
  if (is_read_once && by_choices <= stored({}))
    return "";
  // Where it is computed once either way, what that costs decides nothing.
  const Work work = is_read_once
                        ? Work()
                        : work_of_element(op, is_stored, unknown, most, signatures, machine, step);
  if (computed(work) <= stored(work))
    return "";
  auto whole = [](double x) { return std::to_string(static_cast<int64_t>(x + 0.5)); };
  std::string text = "each element is read " + whole(times / elements) + " times";
  if (!is_read_once)
    text += " and costs " + whole(work.flops) + " operations";
  if (work.loads > 1)
    text += " and " + whole(work.loads) + " loads";
  if (choices + in_rows > 0)
    text += ", with " + whole(std::max(choices, in_rows)) + " choices at borders";
  return text + ", in memory " + whole(memory);
}

} // namespace kolam::nest
