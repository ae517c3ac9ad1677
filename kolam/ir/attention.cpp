// kolam.attention: what queries find among keys.
#include "kolam/ir/attention.h"
#include "kolam/ir/data_dim_rows.h"

#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/support/accumulate.h"
#include "kolam/support/machine.h"

namespace kolam::ir {
namespace {

llvm::LogicalResult expect_leading(AttentionOp op, mlir::Value value, const llvm::Twine& what) {
  Shape result = shape_of(op.getResult()), shape = shape_of(value);
  for (size_t dim = 0; dim + 2 < result.size(); ++dim)
    if (!fits_leading(result[dim], shape[dim]))
      return op.emitOpError("expected dim ")
             << dim << " of " << what << " to divide " << result[dim].to_string() << ", but got "
             << shape[dim].to_string();
  return mlir::success();
}

llvm::LogicalResult expect_extent(AttentionOp op, mlir::Value value, int64_t dim,
                                  const Extent& extent, const llvm::Twine& what) {
  Extent actual = shape_of(value)[dim];
  if (actual == extent)
    return mlir::success();
  return op.emitOpError("expected dim ") << dim << " of " << what << " to be " << extent.to_string()
                                         << ", but got " << actual.to_string();
}

/// q, k, v and the result fit together.
llvm::LogicalResult expect_tensors(AttentionOp op) {
  int64_t rank = rank_of(op.getResult());
  if (rank < 2)
    return op.emitOpError("expected the result to have rank 2 or more, but got ")
           << op.getResult().getType();
  DType dtype = dtype_of(op.getQ());
  for (auto [value, what] : {std::pair(op.getQ(), "q"), std::pair(op.getK(), "k"),
                             std::pair(op.getV(), "v"), std::pair(op.getResult(), "the result")})
    if (failed(expect_rank(op, value, rank, what)) ||
        failed(expect_dtype(op, value, is_float, "a dtype of floats", what)) ||
        failed(expect_dtype(op, value, dtype, what)) || failed(expect_leading(op, value, what)))
      return mlir::failure();
  Shape q = shape_of(op.getQ()), k = shape_of(op.getK()), v = shape_of(op.getV());
  if (failed(expect_extent(op, op.getK(), rank - 1, q[rank - 1], "k")) ||
      failed(expect_extent(op, op.getV(), rank - 2, k[rank - 2], "v")) ||
      failed(expect_extent(op, op.getResult(), rank - 2, q[rank - 2], "the result")) ||
      failed(expect_extent(op, op.getResult(), rank - 1, v[rank - 1], "the result")))
    return mlir::failure();
  return expect_dtype(op, op.getScale(), dtype == DType::f64 ? DType::f64 : DType::f32,
                      "the scale");
}

llvm::LogicalResult expect_mask(AttentionOp op) {
  mlir::Value mask = op.getMask();
  if (!mask)
    return mlir::success();
  int64_t rank = rank_of(op.getResult());
  DType bias = dtype_of(op.getScale());
  if (failed(expect_rank(op, mask, rank, "the mask")) ||
      failed(expect_leading(op, mask, "the mask")))
    return mlir::failure();
  if (dtype_of(mask) != DType::boolean && failed(expect_dtype(op, mask, bias, "the mask")))
    return mlir::failure();
  Extent rows = shape_of(op.getQ())[rank - 2], keys = shape_of(op.getK())[rank - 2];
  Shape shape = shape_of(mask);
  if (shape[rank - 2] != Extent(1) && failed(expect_extent(op, mask, rank - 2, rows, "the mask")))
    return mlir::failure();
  return shape[rank - 1] == Extent(1) ? mlir::success()
                                      : expect_extent(op, mask, rank - 1, keys, "the mask");
}

llvm::LogicalResult expect_segments(AttentionOp op) {
  if (!op.getQSegments() != !op.getKSegments())
    return op.emitOpError("expected segments of queries and of keys, but got one of them");
  if (!op.getQSegments())
    return mlir::success();
  int64_t rank = rank_of(op.getResult());
  for (auto [value, tensor, what] : {std::tuple(op.getQSegments(), op.getQ(), "the query segments"),
                                     std::tuple(op.getKSegments(), op.getK(), "the key segments")})
    if (failed(expect_rank(op, value, rank - 1, what)) ||
        failed(expect_dtype(op, value, is_integer, "an integer dtype", what)) ||
        failed(expect_dtype(op, value, dtype_of(op.getQSegments()), what)) ||
        failed(expect_leading(op, value, what)) ||
        failed(expect_extent(op, value, rank - 2, shape_of(tensor)[rank - 2], what)))
      return mlir::failure();
  return mlir::success();
}

/// What is kept of each row.
llvm::LogicalResult expect_kept(AttentionOp op) {
  mlir::Value lse = op.getLse();
  if (!lse)
    return mlir::success();
  Shape expected = shape_of(op.getResult());
  expected.pop_back();
  if (shape_of(lse) == expected)
    return expect_dtype(op, lse, dtype_of(op.getScale()), "lse");
  return op.emitOpError("expected lse to have shape ")
         << to_string(expected) << ", but got " << lse.getType();
}

/// What each point (b..., i, j) reads of an operand: the element of its leading dims, its element
/// along `row_dim` and `key_dim`, and whole dims besides.
space::Projection along(AttentionOp op, mlir::Value value, int64_t row_dim, int64_t key_dim) {
  Shape result = shape_of(op.getResult()), shape = shape_of(value);
  auto rank = static_cast<int64_t>(result.size());
  std::vector<space::AffineRow> rows;
  Shape sizes;
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
    bool is_leading = dim < rank - 2, is_row = dim == row_dim, is_key = dim == key_dim;
    bool repeats = (is_row || is_key) && shape[dim] == Extent(1);
    space::AffineRow own = row(rank, {});
    if (is_leading && shared_by(result[dim], shape[dim]) > 0) {
      own = row(rank, {{dim}});
      own.divisor = shared_by(result[dim], shape[dim]);
    } else if (is_row && !repeats) {
      own = row(rank, {{rank - 2}});
    } else if (is_key && !repeats) {
      own = row(rank, {{rank - 1}});
    }
    rows.push_back(own);
    sizes.push_back(is_leading || is_row || is_key ? Extent(1) : shape[dim]);
  }
  return space::projection({static_cast<int>(rank), std::move(rows)}, sizes);
}

/// The part of the pairs of a query and a key that lie in the window.
double share_of_window(AttentionOp op) {
  constexpr double kMostRows = 1000; // bound: of which the others are like
  int64_t rank = rank_of(op.getResult());
  double rows = rough_count({shape_of(op.getQ())[rank - 2]});
  double keys = rough_count({shape_of(op.getK())[rank - 2]});
  double step = std::max(1.0, rows / kMostRows), seen = 0, all = 0;
  for (double row = 0; row < rows; row += step) {
    double first = op.getLeft() ? row - static_cast<double>(*op.getLeft()) : 0;
    double last = op.getRight() ? row + static_cast<double>(*op.getRight()) + 1 : keys;
    seen += std::max(0.0, std::min(last, keys) - std::max(first, 0.0));
    all += keys;
  }
  return all == 0 ? 0 : seen / all;
}

} // namespace

int64_t shared_by(const Extent& result, const Extent& operand) {
  if (result == operand)
    return 1;
  if (operand == Extent(1))
    return 0;
  return *result.constant() / *operand.constant();
}

bool fits_leading(const Extent& result, const Extent& operand) {
  if (result == operand || operand == Extent(1))
    return true;
  auto all = result.constant(), part = operand.constant();
  return all && part && *part > 0 && *all % *part == 0;
}

bool has_few_rows(AttentionOp op) {
  constexpr int64_t most = 2; // assumed: half of the lanes of f64 where vectors are short
  std::optional<int64_t> rows = shape_of(op.getResult()).rbegin()[1].constant();
  std::optional<int64_t> depth = shape_of(op.getQ()).back().constant();
  return rows && *rows <= most && depth && *depth <= kContractChain.chunk;
}

std::string walk_of(AttentionOp op) {
  std::string text = "an online softmax over blocks of " + std::to_string(kAttentionKeys) +
                     " keys, " +
                     (has_few_rows(op) ? "one query at a time with keys in lanes"
                                       : std::to_string(kAttentionRows) + " queries a task");
  auto reach = [](std::optional<uint64_t> keys, const char* sign) {
    return keys ? sign + std::to_string(*keys) : std::string("any");
  };
  if (op.getLeft() || op.getRight())
    text += "; only blocks of the window from " + reach(op.getLeft(), "-") + " to " +
            reach(op.getRight(), "+");
  std::vector<std::string> masks;
  if (op.getMask())
    masks.push_back("the mask");
  if (op.getQSegments())
    masks.push_back("the segments");
  if (!op.getVisible().empty())
    masks.push_back("the function");
  if (!masks.empty())
    text += "; blocks that " + llvm::join(masks, " and ") + " hide are skipped";
  return text;
}

llvm::LogicalResult AttentionOp::verify() {
  if (failed(expect_tensors(*this)) || failed(expect_mask(*this)) ||
      failed(expect_segments(*this)) || failed(expect_kept(*this)))
    return mlir::failure();
  for (std::optional<uint64_t> reach : {getLeft(), getRight()})
    if (reach && failed(expect_at_least(*this, static_cast<int64_t>(*reach), 0,
                                        "key on each side of a query")))
      return mlir::failure();
  if (getVisible().empty() && !getCaptures().empty())
    return emitOpError("expected no captures without a region, but got ") << getCaptures().size();
  return mlir::success();
}

llvm::LogicalResult AttentionOp::verifyRegions() {
  mlir::Region& visible = getVisible();
  if (visible.empty())
    return mlir::success();
  if (visible.getNumArguments() < 4)
    return emitOpError("expected the region to take four places, but got ")
           << visible.getNumArguments() << " arguments";
  mlir::Type place = visible.getArgumentTypes()[0];
  if (!is_program_type(place) || !is_integer(dtype_of(place)))
    return emitOpError("expected the region's places to be integers, but got ") << place;
  llvm::SmallVector<mlir::Type> arguments(4, tensor_type(getContext(), dtype_of(place), {}));
  llvm::append_range(arguments, getCaptures().getTypes());
  if (failed(expect_arguments(*this, visible, arguments, "the region")))
    return mlir::failure();
  return expect_yields(*this, visible, {tensor_type(getContext(), DType::boolean, {})},
                       "the region");
}

space::Signature AttentionOp::signature() {
  Shape points = shape_of(getResult());
  auto rank = static_cast<int64_t>(points.size());
  points.back() = shape_of(getK())[rank - 2];
  space::Signature signature{name_of(*this), map_dims(points), {}};
  DType state = dtype_of(getScale());
  signature.dims.back() = space::reduce_dim("keys", points.back(),
                                            space::Monoid{"online_softmax", {state, state, state}});
  auto add = [&](const char* name, mlir::Value value, int64_t row_dim, int64_t key_dim) {
    if (value)
      signature.operands.push_back(read(name, value, along(*this, value, row_dim, key_dim)));
  };
  add("q", getQ(), rank - 2, -1);
  add("k", getK(), -1, rank - 2);
  add("v", getV(), -1, rank - 2);
  add("scale", getScale(), -1, -1);
  add("mask", getMask(), rank - 2, rank - 1);
  add("q_segments", getQSegments(), rank - 2, -1);
  add("k_segments", getKSegments(), -1, rank - 2);
  for (auto [number, capture] : llvm::enumerate(getCaptures()))
    signature.operands.push_back(
        read("capture" + std::to_string(number), capture, whole(rank, capture)));
  signature.operands.push_back(
      write("result", getResult(), along(*this, getResult(), rank - 2, -1)));
  if (getLse())
    signature.operands.push_back(write("lse", getLse(), along(*this, getLse(), rank - 2, -1)));
  return signature;
}

double AttentionOp::flops_per_point() {
  double products =
      2 * rough_count({shape_of(getQ()).back()}) + 2 * rough_count({shape_of(getV()).back()});
  double mask = getVisible().empty() ? 0 : region_flops(getVisible());
  return share_of_window(*this) * (products + kArithmetic.polynomial + mask);
}

std::optional<Extent> AttentionOp::task_count() {
  Shape shape = shape_of(getResult());
  Extent chunks = ceildiv(shape[shape.size() - 2], Extent(kAttentionRows));
  shape.resize(shape.size() - 2);
  return element_count(shape) * chunks;
}

/// Those of its equation: the rows of the product of q and k and those of the product of its
/// result, [b..., i, j], and v that agree in the D of the scores. (R9, R11)
std::vector<space::DataDimTable>
AttentionOp::data_dim_rows(const space::DataDimQuestion& question) {
  auto is_constant = [&](size_t number) {
    return number < question.constants.size() && question.constants[number];
  };
  int rank = static_cast<int>(rank_of(getResult())), row = rank - 2, column = rank - 1;
  Shape scores = shape_of(getResult());
  scores.back() = shape_of(getK())[row];
  // Index dims of the signature: those of the result, the last one being the keys.
  auto batches = [&] {
    std::vector<space::ProductDim> dims;
    for (int dim = 0; dim < row; ++dim)
      dims.push_back({dim, dim, true});
    return dims;
  };
  auto with = [&](space::ProductDim first, space::ProductDim second) {
    std::vector<space::ProductDim> dims = batches();
    dims.push_back(first);
    dims.push_back(second);
    return dims;
  };
  constexpr int kNoIndex = -1; // the features of q and k, and those of v, have none
  space::Product first{with({row, row}, {kNoIndex}), with({column, column}, {kNoIndex}), scores};
  space::Product second{with({row, row}, {column}), with({column}, {kNoIndex, column}),
                        shape_of(getResult())};
  const bool has_scores = !is_constant(0) || !is_constant(1);
  std::vector<space::DataDimRow> of_scores{{{space::kAnyDim, space::kAnyDim, space::kAnyDim}}};
  if (has_scores)
    of_scores = space::product_rows(first, is_constant(0), is_constant(1), question);
  std::vector<space::DataDimRow> of_values =
      space::product_rows(second, !has_scores, is_constant(2), question);
  space::DataDimTable table{{operand_place(0), operand_place(1), operand_place(2), result_place(0)},
                            {}};
  for (const space::DataDimRow& scored : of_scores)
    for (const space::DataDimRow& valued : of_values)
      if (scored.dims[2] == valued.dims[0])
        table.rows.push_back({{scored.dims[0], scored.dims[1], valued.dims[1], valued.dims[2]},
                              std::max(scored.cost, valued.cost),
                              scored.variant,
                              valued.blocked,
                              valued.weights < 0 ? scored.weights : 2});
  return {table};
}

} // namespace kolam::ir
