// Makes contractions of two operands.
#include "kolam/language/contract.h"

#include "kolam/ir/contract_spec.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/labelled.h"
#include "kolam/language/promotion.h"
#include "kolam/language/transpose.h"

#include <numeric>

namespace kolam::language {
namespace {

/// The product of the second operand's free extents.
Extent column_count(const ir::ContractSpec& spec, const Shape& rhs) {
  Extent columns = 1;
  for (size_t dim = 0; dim < rhs.size(); ++dim) {
    bool free = spec.rhs[dim] < spec.result_count && !llvm::is_contained(spec.lhs, spec.rhs[dim]);
    if (free)
      columns = columns * rhs[dim];
  }
  return columns;
}

void require_rank(Value x, std::string_view argument, int64_t least, int64_t most,
                  const std::string& expected) {
  int64_t rank = ir::rank_of(x);
  if (rank < least || rank > most)
    fail_argument(ErrorKind::value, "rank-mismatch", argument, expected, describe(x));
}

constexpr int64_t kAnyRank = std::numeric_limits<int64_t>::max();

bool is_batch(int label) { return label >= kBatchLabel; }

bool is_never(int) { return false; }

/// Contracts x and y after promotion.
Value contract_pair(Builder& b, Labelled x, Labelled y, const Labels& result,
                    std::optional<DType> dtype, bool (*stretch)(int), const Terms& terms = {}) {
  require_known(terms);
  Values values = promote_numbers(b, {x.value, y.value});
  x.value = values[0];
  y.value = values[1];
  DType result_dtype = sum_dtype(ir::dtype_of(x.value), dtype);
  std::vector<Labelled> operands = unify_labels(b, {x, y}, stretch);
  return contract(b, operands[0], operands[1], result, result_dtype, terms).value;
}

} // namespace

void require_known(const Terms& terms) {
  if (!terms.accumulate.empty() && terms.accumulate != "chain")
    fail_argument(ErrorKind::value, "bad-option", "accumulate", "'chain', or nothing",
                  "'" + terms.accumulate + "'");
}

bool are_few_columns(const Extent& columns) {
  constexpr int64_t kFew = 16; // meaning: it decides orders of sums
  auto count = columns.constant();
  return count && *count < kFew;
}

Accumulate contraction_order(const Extent& columns) {
  return are_few_columns(columns) ? kContractLanes : kContractChain;
}

/// The same sums where the rows of `lhs` lie along a letter of the result, and so can be columns:
/// contract "kn,km->nm" = contract "km,kn->mn", transposed. Null where the columns of `rhs` are
/// many or those of `lhs` as few.
Value contract_by_rows_of_lhs(Builder& b, Value lhs, Value rhs, const ir::ContractSpec& parsed,
                              const std::string& spec, DType result_dtype, const Terms& terms) {
  const bool has_sums = parsed.index_count > parsed.result_count;
  if (!has_sums || parsed.lhs.empty() || !are_few_columns(column_count(parsed, ir::shape_of(rhs))))
    return {};
  const int columns = parsed.lhs.back();
  if (columns >= parsed.result_count || llvm::is_contained(parsed.rhs, columns) ||
      are_few_columns(ir::shape_of(lhs).back()))
    return {};
  ir::ContractLetters letters = ir::contract_letters(spec);
  const char last = letters.lhs.back();
  const size_t dim = letters.result.find(last);
  std::string result = letters.result;
  result.erase(dim, 1);
  std::string swapped = letters.rhs + "," + letters.lhs;
  if (parsed.has_where)
    swapped += "," + letters.where;
  Value made = contract(b, rhs, lhs, swapped + "->" + result + last, result_dtype, terms);
  return moveaxis(b, made, {-1}, {static_cast<int64_t>(dim)});
}

Value factor_of_sums(Builder& b, Value factor, DType sums) {
  bool is_wider = sums == DType::f64 && is_narrow_float(ir::dtype_of(factor));
  return is_wider ? cast(b, factor, sums) : factor;
}

Value contract(Builder& b, Value lhs, Value rhs, const std::string& spec, DType result_dtype,
               const Terms& terms) {
  lhs = factor_of_sums(b, lhs, result_dtype);
  rhs = factor_of_sums(b, rhs, result_dtype);
  ir::ContractSpec parsed = *ir::parse_contract_spec(spec);
  if (terms.accumulate.empty())
    if (Value swapped = contract_by_rows_of_lhs(b, lhs, rhs, parsed, spec, result_dtype, terms))
      return swapped;
  Shape rhs_shape = ir::shape_of(rhs);
  Shape extents = parsed.extents(ir::shape_of(lhs), rhs_shape);
  extents.resize(parsed.result_count);
  const Accumulate order =
      terms.accumulate.empty() ? contraction_order(column_count(parsed, rhs_shape)) : kOneChain;
  return ir::ContractOp::create(b, tensor_type(b, result_dtype, extents), lhs, rhs,
                                b.getStringAttr(spec), ir::accumulate_attr(b.getContext(), order),
                                terms.where);
}

Value matmul(Builder& b, Value x, Value y, std::optional<DType> dtype, const Terms& terms) {
  require_rank(x, "x", 1, kAnyRank, "rank 1 or more");
  require_rank(y, "y", 1, kAnyRank, "rank 1 or more");
  int64_t x_batch = std::max<int64_t>(ir::rank_of(x) - 2, 0);
  int64_t y_batch = std::max<int64_t>(ir::rank_of(y) - 2, 0);
  bool row = ir::rank_of(x) == 1, column = ir::rank_of(y) == 1;
  std::string matrix = std::string(row ? "" : "m") + (column ? "" : "n");
  return contract_pair(b, {x, batch_labels(x_batch, row ? "k" : "mk")},
                       {y, batch_labels(y_batch, column ? "k" : "kn")},
                       batch_labels(std::max(x_batch, y_batch), matrix), dtype, is_batch, terms);
}

Value tensordot(Builder& b, Value x, Value y, const Axes& x_axes, const Axes& y_axes,
                std::optional<DType> dtype, const Terms& terms) {
  if (x_axes.size() != y_axes.size())
    fail_argument(ErrorKind::value, "shape-mismatch", "axes", "as many axes of x as of y",
                  std::to_string(x_axes.size()) + " and " + std::to_string(y_axes.size()));
  normalize_axes(x_axes, ir::rank_of(x), "axes"); // refuses duplicates
  normalize_axes(y_axes, ir::rank_of(y), "axes");
  auto count_from = [](int64_t rank, int64_t start) {
    Labels labels(rank);
    std::iota(labels.begin(), labels.end(), static_cast<int>(kBatchLabel + start));
    return labels;
  };
  Labels x_labels = count_from(ir::rank_of(x), 0);
  Labels y_labels = count_from(ir::rank_of(y), ir::rank_of(x));
  for (auto [x_axis, y_axis] : llvm::zip(x_axes, y_axes))
    y_labels[normalize_axis(y_axis, ir::rank_of(y), "axes")] =
        x_labels[normalize_axis(x_axis, ir::rank_of(x), "axes")];
  Labels result;
  for (int label : x_labels)
    if (!llvm::is_contained(y_labels, label))
      result.push_back(label);
  for (int label : y_labels)
    if (!llvm::is_contained(x_labels, label))
      result.push_back(label);
  return contract_pair(b, {x, x_labels}, {y, y_labels}, result, dtype, is_never, terms);
}

Value tensordot(Builder& b, Value x, Value y, int64_t axes, std::optional<DType> dtype,
                const Terms& terms) {
  int64_t most = std::min(ir::rank_of(x), ir::rank_of(y));
  if (axes < 0 || axes > most)
    fail_argument(ErrorKind::index, "axis-out-of-range", "axes",
                  "a number of axes from 0 to " + std::to_string(most), std::to_string(axes));
  Axes x_axes(axes), y_axes(axes);
  std::iota(x_axes.begin(), x_axes.end(), ir::rank_of(x) - axes);
  std::iota(y_axes.begin(), y_axes.end(), 0);
  return tensordot(b, x, y, x_axes, y_axes, dtype, terms);
}

Value vecdot(Builder& b, Value x, Value y, int64_t axis, std::optional<DType> dtype,
             const Terms& terms) {
  require_rank(x, "x", 1, kAnyRank, "rank 1 or more");
  require_rank(y, "y", 1, kAnyRank, "rank 1 or more");
  if (axis >= 0 && ir::rank_of(x) != ir::rank_of(y))
    fail_argument(ErrorKind::index, "axis-out-of-range", "axis",
                  "a negative axis for operands of different ranks", std::to_string(axis));
  auto labels_of = [&](Value operand) {
    int64_t rank = ir::rank_of(operand);
    Labels labels = batch_labels(rank - 1, "");
    labels.insert(labels.begin() + normalize_axis(axis, rank), 'k');
    return labels;
  };
  int64_t batch = std::max(ir::rank_of(x), ir::rank_of(y)) - 1;
  return contract_pair(b, {x, labels_of(x)}, {y, labels_of(y)}, batch_labels(batch, ""), dtype,
                       is_batch, terms);
}

Value outer(Builder& b, Value x, Value y) {
  require_rank(x, "x", 1, 1, "rank 1");
  require_rank(y, "y", 1, 1, "rank 1");
  Values values = promote_numbers(b, {x, y});
  DType dtype = ir::dtype_of(values[0]);
  Shape shape{ir::shape_of(x)[0], ir::shape_of(y)[0]};
  auto place = [&](Value operand, int64_t dim) {
    return ir::BroadcastOp::create(b, tensor_type(b, dtype, shape), operand, dim);
  };
  return elementwise(b, Fn::multiply, {place(values[0], 0), place(values[1], 1)});
}

Value linear(Builder& b, Value x, Value weight, Value bias) {
  require_rank(x, "x", 1, kAnyRank, "rank 1 or more");
  require_rank(weight, "weight", 2, 2, "rank 2");
  Values operands = {x, weight};
  if (bias) {
    require_rank(bias, "bias", 1, 1, "rank 1");
    operands.push_back(bias);
  }
  operands = promote_numbers(b, operands);
  DType dtype = ir::dtype_of(operands[0]);
  DType sums = is_narrow_float(dtype) && bias ? DType::f32 : dtype;
  int64_t batch = ir::rank_of(x) - 1;
  Value result = contract_pair(b, {operands[0], batch_labels(batch, "i")},
                               {operands[1], {'o', 'i'}}, batch_labels(batch, "o"), sums, is_never);
  if (!bias)
    return result;
  Shape shape = ir::shape_of(result);
  unify(b, shape.back(), ir::shape_of(bias)[0], "the last dim of weight and of bias");
  result = elementwise(b, Fn::add, {result, cast(b, operands[2], sums)});
  return cast(b, result, dtype);
}

} // namespace kolam::language
