// Prices elements computed again against elements in memory.
#include "kolam/nest/prices.h"

#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/nest/fusion.h"

#include <limits>
#include <set>

namespace kolam::nest {
namespace {

// Note [Prices]: where the figures come from.

/// Storing and fetching a byte: of values that stay in a core's cache, in the last one, in memory.
constexpr double kNearByte = 2, kFarByte = 4, kMemoryByte = 20;
constexpr double kNearBytes = 512 << 10, kFarBytes = 16 << 20;
/// One nest more: compiling and running it.
constexpr double kNest = 25000;
/// The same work without vectors, and how many operations a loop hides that carries a state or
/// writes where data says.
constexpr double kWithoutLanes = 8, kHidden = 4;
/// Fetching elements for vectors from places that data decides.
constexpr double kSpreadLoad = 16;

double count_elements(mlir::Operation* op) {
  return op->getNumResults() == 0 ? 1
                                  : std::max(1.0, ir::rough_count(ir::shape_of(op->getResult(0))));
}

bool reduces(const space::Signature& signature) {
  return llvm::any_of(signature.dims, [](const space::IndexDim& dim) {
    return dim.kind == space::DimKind::reduce;
  });
}

/// What one element takes, operands given.
double own_work(mlir::Operation* op, analysis::Signatures& signatures) {
  double flops = analysis::flops_per_cell(op, signatures);
  if (flops == 0)
    return 0;
  int width = byte_width(ir::dtype_of(op->getResult(0)));
  return flops * std::max(1, width / 4);
}

/// Whether a nest of the root asks for elements by vectors.
bool asks_by_vectors(mlir::Operation* root, analysis::Signatures& signatures) {
  constexpr int64_t kShort = 4;
  auto signed_op = llvm::dyn_cast<ir::SignedOp>(root);
  if (!signed_op || signed_op.task_count() || root->getNumResults() == 0)
    return true;
  const space::Signature& signature = signatures.of(root);
  if (signature.opaque || signature.dims.empty())
    return true;
  if (carries(root)) { // its states go in lanes along the last dim
    Shape shape = ir::shape_of(root->getResult(0));
    return !shape.empty() && shape.back().constant().value_or(kShort) >= kShort;
  }
  const space::IndexDim& last = signature.dims.back();
  bool is_short = last.extent.constant().value_or(kShort) < kShort;
  return last.kind != space::DimKind::scan &&
         !(is_short && analysis::first_result(signature).indirect);
}

} // namespace

Work work_of_element(mlir::Operation* op, llvm::function_ref<bool(mlir::Value)> is_stored,
                     double most, analysis::Signatures& signatures, int64_t step) {
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
  Evaluations inside(signatures);
  inside.add_root(op, step);
  ask(op);
  const double elements = count_elements(op);
  auto times = [&](mlir::Value value) {
    double sum = 0;
    for (const Evaluations::Request& request : inside.requests(value))
      sum += request.times / elements;
    return sum;
  };
  Work work{own_work(op, signatures), 0};
  constexpr int kMostOps = 512; // so many are dear, or a chain whose price is known well enough
  for (int count = 0; !waiting.empty() && work.flops <= most && count < kMostOps; ++count) {
    mlir::Operation* producer = *waiting.begin();
    waiting.erase(waiting.begin());
    work.flops += own_work(producer, signatures) * times(producer->getResult(0));
    inside.add_inside(producer);
    ask(producer);
  }
  for (mlir::Value value : read)
    for (const Evaluations::Request& request : inside.requests(value))
      (request.is_spread ? work.flops : work.loads) +=
          request.times / elements * (request.is_spread ? kSpreadLoad : 1);
  return work;
}

double price_of_memory(mlir::Value value) {
  double width = byte_width(ir::dtype_of(value));
  double elements = std::max(1.0, ir::rough_count(ir::shape_of(value)));
  double bytes = width * elements;
  double byte = bytes <= kNearBytes ? kNearByte : bytes <= kFarBytes ? kFarByte : kMemoryByte;
  return width * byte + kNest / elements;
}

std::string why_in_memory(mlir::Operation* op, const std::vector<Evaluations::Request>& requests,
                          llvm::function_ref<bool(mlir::Value)> is_stored,
                          analysis::Signatures& signatures) {
  // Inside a reader sums go element by element, each by vectors of what it adds up: they are dear
  // beside vectors of them.
  constexpr double kMostSum = 8;
  const bool is_sum = reduces(signatures.of(op));
  const double elements = count_elements(op);
  double memory = 0;
  for (mlir::Value result : op->getResults())
    memory += price_of_memory(result);
  if (is_sum)
    memory = std::min(memory, kMostSum);
  int64_t step = 1;
  double times = 0, by_vectors = 0, one_by_one = 0, loads = 0;
  for (const Evaluations::Request& request : requests) {
    bool has_vectors = is_sum || asks_by_vectors(request.root, signatures);
    bool is_spread = request.is_spread && !is_sum;
    times += request.times;
    step = std::max(step, request.step);
    (has_vectors ? by_vectors : one_by_one) += request.times;
    loads += request.times * std::max(has_vectors ? 1 : kWithoutLanes, is_spread ? kSpreadLoad : 1);
  }
  auto computed = [&](const Work& work) {
    return by_vectors * work.flops +
           one_by_one * kWithoutLanes * std::max(0.0, work.flops - kHidden) + loads * work.loads;
  };
  auto stored = [&](const Work& work) {
    return elements * (work.flops + work.loads + memory) + loads;
  };
  const double slope = by_vectors + one_by_one * kWithoutLanes - elements;
  double most = slope > 0 ? (stored({}) + one_by_one * kWithoutLanes * kHidden) / slope
                          : std::numeric_limits<double>::infinity();
  if (slope <= 0 && loads <= elements)
    return "";
  Work work = work_of_element(op, is_stored, most, signatures, step);
  if (computed(work) <= stored(work))
    return "";
  auto whole = [](double x) { return std::to_string(static_cast<int64_t>(x + 0.5)); };
  std::string text = "each element is read " + whole(times / elements) + " times and costs " +
                     whole(work.flops) + " operations";
  if (work.loads > 1)
    text += " and " + whole(work.loads) + " loads";
  return text + ", in memory " + whole(memory);
}

} // namespace kolam::nest

// Note [Prices]
// The figures are of x86-64 cores of 2022 and later, and rough: what they decide differs by several
// times. A core does 8 to 16 operations on elements of 32 bits in the time of one load or store of
// a vector from its second cache (kNearByte: a store, a load and the loop around), a few times that
// where the last cache is shared (kFarByte), and some hundred where lines come from memory and go
// there (kMemoryByte). A nest is a step of the runtime, 60 to 80 ns, and a function to compile,
// which small values are not worth. Scalar code has no 8 or 16 lanes but four ops a cycle; a few of
// them run while a store waits for its address. A gather fetches about one element in a cycle.
