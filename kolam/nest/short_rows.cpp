// Prices lanes along a row of few elements against lanes along many such rows.
#include "kolam/nest/short_rows.h"

#include "kolam/analysis/cost.h"
#include "kolam/ir/ops.h"
#include "kolam/nest/evaluations.h"
#include "kolam/nest/fusion.h"
#include "kolam/nest/lanes.h"
#include "kolam/nest/segments.h"

#include "llvm/ADT/bit.h"

#include <cmath>

namespace kolam::nest {
namespace {

/// Size of code: ops that are emitted once for each element of a row.
constexpr int64_t kMostOps = 256;

/// How far the trailing dims of few elements reach: their first, behind a dim.
int64_t first_of_few(const Shape& shape) {
  auto first = static_cast<int64_t>(shape.size());
  for (int64_t count = 1; first > 1; --first) {
    std::optional<int64_t> extent = shape[first - 1].constant();
    if (!extent || *extent < 1 || count * *extent > kMostInterleaved)
      break;
    count *= *extent;
  }
  return first;
}

Extent elements_from(const Shape& shape, int64_t first) {
  return element_count(Shape(shape.begin() + first, shape.end()));
}

/// Whether code for lanes along `rows` is there for all that differs between them. Where some rows
/// are computed otherwise than others, sums would go both ways for vectors that hold both.
bool has_lanes_along(const Nest& nest, const NestRelation& relation, int64_t rows) {
  const bool has_sums = llvm::any_of(nest.ops(), has_loop);
  return llvm::none_of(nest.ops(), [&](mlir::Operation* op) {
    auto parts = llvm::dyn_cast<ir::ConcatOp>(op);
    return relation.varies(op, rows) &&
           ((carries(op) && !llvm::isa<ir::ForOp>(op)) || loop_inside(op) ||
            goes_by_lanes(op, kMostInterleaved) ||
            (has_sums && parts && static_cast<int64_t>(parts.getDim()) <= rows));
  });
}

/// Vectors of arithmetic for an element of a row, and the sums that go along it by lanes.
struct RowWork {
  double flops = 0;
  int sums = 0;
};
RowWork work_of(const Nest& nest, const NestRelation& relation, int64_t rows,
                analysis::Signatures& signatures) {
  RowWork work;
  const double elements = analysis::elements_of(nest.root->getResult(0));
  for (mlir::Operation* op : nest.ops())
    if (relation.varies(op, rows)) {
      work.flops += analysis::flops_of(op, signatures) / elements;
      work.sums += has_loop(op) ? 1 : 0;
    }
  return work;
}

/// Ops that are emitted for a row of so many elements from dim `first` on: what does not vary along
/// the row stands there once.
int64_t code_of_row(const Nest& nest, const NestRelation& relation, int64_t first, int64_t width) {
  int64_t ops = 0;
  for (mlir::Operation* op : nest.fused)
    ops += relation.varies(op, first) ? width : 1;
  return ops;
}

/// Whether loops inside an element have few turns, which all stand in the code.
bool has_few_turns(const NestRelation& relation) {
  return llvm::all_of(llvm::drop_begin(relation.access().loops(), relation.access().rank()),
                      [](const analysis::RelationLoop& loop) {
                        return loop.extent.constant().value_or(kMostInterleaved + 1) <=
                               kMostInterleaved;
                      });
}

/// The step along a loop where it is a small number, of places of the last dim.
std::optional<int64_t> small_step(const analysis::RelationIndex& index, int loop) {
  if (index.empty() || !index.back().row || !space::is_affine(*index.back().row) ||
      llvm::any_of(llvm::drop_end(index),
                   [&](const analysis::RelationCoordinate& at) { return at.depends_on(loop); }))
    return std::nullopt;
  const std::vector<int64_t>& steps = index.back().row->coefficients;
  const int64_t step = loop < static_cast<int>(steps.size()) ? steps[loop] : 0;
  return step > 1 && step <= kSmallStep ? std::optional(step) : std::nullopt;
}

/// What turning rows of what is read takes, each row once, and loading what lanes step over for
/// each of the elements of a row; nullopt where lanes step otherwise.
std::optional<double> price_of_reads(const NestRelation& relation, int64_t rows, int64_t elements,
                                     const Machine& machine) {
  const auto along = static_cast<int>(rows);
  double price = 0;
  std::vector<std::pair<mlir::Value, analysis::RelationIndex>> known;
  for (const analysis::RelationUse& read : relation.access().reads()) {
    mlir::Value value = relation.value_of(read);
    analysis::RelationIndex row = read.at;
    int64_t width = 1;
    for (; !row.empty() && !row.back().depends_on(along); row.pop_back())
      width *= ir::shape_of(value)[row.size() - 1].constant().value_or(0);
    if (row.empty()) // the same for all rows
      continue;
    if (auto step = small_step(read.at, along)) {
      price += static_cast<double>(elements * (2 * *step - 1)); // loads, and shuffles of two each
      continue;
    }
    if (width == 0 || !row.back().steps_by_one(along))
      return std::nullopt;
    if (width == 1 || llvm::is_contained(known, std::pair(value, row)))
      continue;
    price += price_of_turned_rows(width, machine);
    known.emplace_back(value, row);
  }
  return price;
}

} // namespace

int64_t first_of_short_row(const Shape& shape) {
  const int64_t first = first_of_few(shape);
  bool has_rows = first < static_cast<int64_t>(shape.size()) &&
                  shape[first - 1].constant().value_or(kWideRun) >= kWideRun;
  return has_rows ? first : -1;
}

double price_of_turned_rows(int64_t width, const Machine& machine) {
  const int64_t lanes = machine.lanes(), squares = (width + lanes - 1) / lanes;
  if (width <= kShortRun) // by factors: two shuffles for each vector, and the vector
    return 3 * static_cast<double>(width);
  return static_cast<double>(squares * lanes * llvm::bit_width(static_cast<uint64_t>(lanes)));
}

int64_t first_of_short_row(const Nest& nest, const NestRelation& relation, const MapPlan& plan,
                           analysis::Signatures& signatures, const Machine& machine) {
  Shape shape = ir::shape_of(nest.root->getResult(0));
  const auto rank = static_cast<int64_t>(shape.size());
  if (rank < 2 || carries(nest.root) || reduces_segments(nest))
    return -1;
  const int64_t first = first_of_short_row(shape), rows = first - 1;
  if (first < 0 || plan.first_run < first || !has_lanes_along(nest, relation, rows))
    return -1;
  for (mlir::Value output : nest.outputs)
    if (nest.layout_of(output) || ir::shape_of(output) != shape)
      return -1;
  const int64_t width = *elements_from(shape, first).constant();
  if (code_of_row(nest, relation, first, width) > kMostOps)
    return -1;
  if (first + 1 == rank && width <= kShortRun)
    return first;
  std::optional<double> turned = price_of_reads(relation, rows, width, machine);
  if (!turned || !has_few_turns(relation))
    return -1;
  *turned += price_of_turned_rows(width, machine) * static_cast<double>(nest.outputs.size());
  const RowWork work = work_of(nest, relation, rows, signatures);
  const double lanes = machine.lanes(), each = static_cast<double>(width);
  const double run = static_cast<double>(*elements_from(shape, plan.first_run).constant());
  const double vectors = plan.lanes == 1 ? each : each / run * std::ceil(run / lanes);
  constexpr double kMoves = 2; // one by one an element is loaded and stored
  const double along =
      lanes * vectors *
      (work.flops + (plan.lanes == 1 ? kMoves : machine.prices.halves * work.sums));
  return each * work.flops + *turned < along ? first : -1;
}

} // namespace kolam::nest
