// Makes contractions.
#include "kolam/language/contract.h"

#include "kolam/ir/contract_spec.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/promotion.h"

namespace kolam::language {
namespace {

/// Below this many result columns a lane each would stay idle.
constexpr int64_t kFewColumns = 16;

Accumulate accumulation_order(const ir::ContractSpec& spec, const Shape& rhs) {
  Extent columns = 1;
  for (size_t dim = 0; dim < rhs.size(); ++dim) {
    bool free = spec.rhs[dim] < spec.result_count && !llvm::is_contained(spec.lhs, spec.rhs[dim]);
    if (free)
      columns = columns * rhs[dim];
  }
  auto count = columns.constant();
  return count && *count < kFewColumns ? kContractLanes : kContractChain;
}

} // namespace

Value contract(Builder& b, Value lhs, Value rhs, std::string spec) {
  ir::ContractSpec parsed = *ir::parse_contract_spec(spec);
  Shape lhs_shape = ir::shape_of(lhs), rhs_shape = ir::shape_of(rhs);
  for (size_t i = 0; i < lhs_shape.size(); ++i)
    for (size_t j = 0; j < rhs_shape.size(); ++j)
      if (parsed.lhs[i] == parsed.rhs[j])
        lhs_shape[i] = rhs_shape[j] =
            unify(b, lhs_shape[i], rhs_shape[j],
                  "dim " + std::to_string(i) + " of the first and dim " + std::to_string(j) +
                      " of the second operand");
  lhs = with_shape(b, lhs, lhs_shape);
  rhs = with_shape(b, rhs, rhs_shape);
  Shape extents = parsed.extents(lhs_shape, rhs_shape);
  extents.resize(parsed.result_count);
  return ir::ContractOp::create(
      b, tensor_type(b, ir::dtype_of(lhs), extents), lhs, rhs, b.getStringAttr(spec),
      ir::accumulate_attr(b.getContext(), accumulation_order(parsed, rhs_shape)));
}

Value matmul(Builder& b, Value x, Value y) {
  for (Value operand : {x, y})
    if (ir::rank_of(operand) == 0)
      fail(ErrorKind::value, "rank-mismatch",
           "expected operands of rank 1 or more, but got " + describe(operand));
  Values operands = promote(b, {x, y});
  if (ir::dtype_of(operands[0]) == DType::boolean)
    fail(ErrorKind::type, "dtype-mismatch", "expected numbers, but got booleans");
  // Batch dims broadcast; 'm', 'k' and 'n' are the matrix dims.
  int64_t x_batch = std::max<int64_t>(ir::rank_of(x) - 2, 0);
  int64_t y_batch = std::max<int64_t>(ir::rank_of(y) - 2, 0);
  int64_t batch = std::max(x_batch, y_batch);
  std::string letters;
  for (int64_t i = 0; i < batch; ++i)
    letters.push_back(static_cast<char>('A' + i));
  if (batch > 26)
    fail(ErrorKind::value, "rank-mismatch", "expected at most 28 dims, but got more");
  if (x_batch > 0 && y_batch > 0) {
    Shape xs = ir::shape_of(x), ys = ir::shape_of(y);
    Shape common = broadcast_shapes(b, {Shape(xs.begin(), xs.begin() + x_batch),
                                        Shape(ys.begin(), ys.begin() + y_batch)});
    auto widen = [&](Value operand, const Shape& shape, int64_t own) {
      Shape full = common;
      full.insert(full.end(), shape.begin() + own, shape.end());
      return broadcast_to(b, operand, full);
    };
    operands[0] = widen(operands[0], xs, x_batch);
    operands[1] = widen(operands[1], ys, y_batch);
  }
  auto letters_of = [&](Value operand, int64_t own, std::string_view matrix) {
    return (own > 0 ? letters : "") + std::string(matrix);
  };
  std::string lhs = letters_of(x, x_batch, ir::rank_of(x) == 1 ? "k" : "mk");
  std::string rhs = letters_of(y, y_batch, ir::rank_of(y) == 1 ? "k" : "kn");
  std::string result = letters;
  if (ir::rank_of(x) > 1)
    result += "m";
  if (ir::rank_of(y) > 1)
    result += "n";
  return contract(b, operands[0], operands[1], lhs + "," + rhs + "->" + result);
}

} // namespace kolam::language
