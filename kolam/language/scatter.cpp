// Makes scatters.
#include "kolam/language/scatter.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/window.h"

namespace kolam::language {
namespace {

constexpr std::initializer_list<std::string_view> kModes = {"drop", "element", "clip",
                                                            "wrap", "promise", "check"};

std::string known_combiner(std::string_view combiner, const Values& operands) {
  if (!llvm::is_contained({"kUpdate", "kAdd", "kMul", "kMin", "kMax"}, combiner))
    fail_argument(ErrorKind::value, "unknown-combiner", "rmw_op",
                  "one of 'kUpdate', 'kAdd', 'kMul', 'kMin', 'kMax' or a function",
                  "'" + std::string(combiner) + "'");
  for (Value operand : operands)
    if ((combiner == "kAdd" || combiner == "kMul") && ir::dtype_of(operand) == DType::boolean)
      fail_argument(ErrorKind::type, "dtype-mismatch", "operand",
                    "numbers for '" + std::string(combiner) + "'", "bool");
  return std::string(combiner);
}

/// `; write update[:, None]` where `shape` lacks only dims of extent 1: those that are indexed.
std::string missing_dims(const Shape& shape, const Shape& expected, size_t batch_rank,
                         const Windows& windows) {
  Shape without;
  std::string items, text;
  for (size_t dim = 0; dim < expected.size(); ++dim) {
    bool is_indexed = dim >= batch_rank &&
                      llvm::is_contained(windows.dims, static_cast<int64_t>(dim - batch_rank));
    items += items.empty() ? "" : ", ";
    items += is_indexed ? "None" : ":";
    if (is_indexed)
      text = items; // colons behind the last None need no words
    else
      without.push_back(expected[dim]);
  }
  return shape == without ? "; write update[" + text + "]" : "";
}

/// `update` under the extents that operand and indices give it; `operand` has the unified batched
/// extents.
Value with_window(Builder& b, Value update, const Shape& operand, const Shape& indices,
                  const Windows& windows) {
  Shape shape = ir::shape_of(update), expected(indices.begin(), indices.end() - 1);
  size_t batch_rank = expected.size();
  expected.insert(expected.end(), operand.begin() + windows.batched_dims, operand.end());
  if (shape.size() != expected.size())
    fail_argument(ErrorKind::value, "rank-mismatch", "update",
                  std::to_string(expected.size()) + " dims, those of the batches and of the window",
                  describe(update) + missing_dims(shape, expected, batch_rank, windows));
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    bool indexed = dim >= batch_rank &&
                   llvm::is_contained(windows.dims, static_cast<int64_t>(dim - batch_rank));
    if (!indexed)
      shape[dim] =
          unify(b, expected[dim], shape[dim], "argument 'update', dim " + std::to_string(dim));
  }
  return with_shape(b, update, shape);
}

Values make(Builder& b, Values operands, Values updates, Value start_indices,
            const ScatterSpec& spec, const std::string& combiner, CombinerRegion user) {
  std::string mode = window_mode(spec.mode, kModes);
  if (operands.empty() || operands.size() != updates.size())
    fail_argument(ErrorKind::value, "shape-mismatch", "update",
                  "one update per operand, " + std::to_string(operands.size()) + " of them",
                  std::to_string(updates.size()));
  Windows windows{
      window_dims(operands[0], start_indices, spec.dims, spec.batched_dims, "scatter_dims"),
      spec.batched_dims,
      {}};
  for (auto [operand, update] : llvm::zip(operands, updates)) {
    if (ir::dtype_of(operand) != ir::dtype_of(update))
      fail_argument(ErrorKind::type, "dtype-mismatch", "update",
                    "the operand's dtype " + std::string(name(ir::dtype_of(operand))),
                    std::string(name(ir::dtype_of(update))) + "; astype converts it");
    if (ir::rank_of(operand) != ir::rank_of(operands[0]))
      fail_argument(ErrorKind::value, "rank-mismatch", "operand",
                    "operands of one shape, " + describe(operands[0]), describe(operand));
  }
  unify_batched(b, operands, ir::rank_of(operands[0]));
  Values batched{operands[0], start_indices};
  unify_batched(b, batched, spec.batched_dims);
  start_indices = batched[1];
  Shape operand = ir::shape_of(batched[0]), indices = ir::shape_of(start_indices);
  for (Value& value : operands)
    value = with_shape(b, value, operand);
  for (Value& update : updates)
    update = with_window(b, update, operand, indices, windows);
  unify_batched(b, updates, ir::rank_of(updates[0]));
  Shape update = ir::shape_of(updates[0]);
  for (int64_t dim : windows.dims)
    windows.lengths.push_back(update[indices.size() - 1 + dim]);
  Extent points = element_count(Shape(indices.begin(), indices.end() - 1));
  if (!spec.drops_each)
    require_lengths(b, operand, windows, "update",
                    spec.fits_where_any ? min(points, 1) : Extent(1));
  if (mode == "check")
    require_inside(b, operand, start_indices, windows, CallScope::current_function());
  const bool has_elements =
      !windows.dims.empty() && !llvm::is_contained(windows.lengths, Extent(0));
  if (mode == "wrap" && !has_elements) { // no place is outside, or nothing is written
    mode = "drop";
  } else if (mode == "wrap") { // single elements, none of which is outside
    Shape extents;
    for (int64_t dim : windows.dims)
      extents.push_back(operand[windows.batched_dims + dim]);
    start_indices = element_places(b, start_indices, windows.lengths, extents);
    for (Value& value : updates)
      value = window_elements(b, value, static_cast<int64_t>(indices.size()) - 1, windows.dims);
    mode = "promise";
  }

  llvm::SmallVector<mlir::Type> types;
  for (Value value : operands)
    types.push_back(value.getType());
  auto op =
      ir::ScatterOp::create(b, types, operands, updates, start_indices, user.captures, windows.dims,
                            spec.batched_dims, combiner, spec.unique_indices, mode);
  if (user.region)
    op.getCombine().takeBody(*user.region);
  return Values(op.getResults().begin(), op.getResults().end());
}

/// Tests that a user's combiner gives the state back.
void require_state(mlir::Region& region, const Values& operands) {
  mlir::ValueRange yields = region.front().getTerminator()->getOperands();
  if (yields.size() != operands.size())
    fail_argument(ErrorKind::value, "combiner-mismatch", "rmw_op",
                  "a function that gives " + std::to_string(operands.size()) + " values",
                  std::to_string(yields.size()));
  for (auto [value, operand] : llvm::zip(yields, operands))
    if (ir::rank_of(value) != 0 || ir::dtype_of(value) != ir::dtype_of(operand))
      fail_argument(ErrorKind::type, "combiner-mismatch", "rmw_op",
                    "a function that gives a scalar of dtype " +
                        std::string(name(ir::dtype_of(operand))),
                    describe(value));
}

} // namespace

Values scatter(Builder& b, const Values& operands, const Values& updates, Value start_indices,
               const ScatterSpec& spec) {
  return make(b, operands, updates, start_indices, spec, known_combiner(spec.combiner, operands),
              {});
}

Values scatter(Builder& b, const Values& operands, const Values& updates, Value start_indices,
               const ScatterSpec& spec, CombinerRegion combiner) {
  require_state(*combiner.region, operands);
  return make(b, operands, updates, start_indices, spec, "user", std::move(combiner));
}

void check_unique(Builder& b, ir::ScatterOp op) {
  auto filled = [&](Value like, int64_t value) {
    return broadcast_to(b, weak_constant(b, value, DType::i32), ir::shape_of(like));
  };
  ScatterSpec spec{.dims = Axes(op.getDims().begin(), op.getDims().end()),
                   .combiner = "kAdd",
                   .batched_dims = static_cast<int64_t>(op.getBatchedDims()),
                   .mode = op.getMode()};
  Value hits = scatter(b, {filled(op.getDestinations()[0], 0)}, {filled(op.getUpdates()[0], 1)},
                       op.getIndices(), spec)[0];
  check(
      b, elementwise(b, Fn::less_equal, {hits, weak_constant(b, int64_t{1}, DType::i32)}),
      "indices-not-unique",
      "argument 'unique_indices': expected every element hit at most once, as promised, but got an "
      "element hit more often");
}

} // namespace kolam::language
