// Sums of products: linear in each factor.
#include "kolam/ir/contract_spec.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/contract.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/transpose.h"
#include "kolam/transform/derive/rules.h"

namespace kolam::transform::derive {
namespace {

/// sum of x y over what `to` lacks, of narrow floats in f32, which rounds later; letters of `to`
/// that no factor has are dims along which the sum is the same.
Value contracted(Builder& b, std::pair<std::string, Value> x, std::pair<std::string, Value> y,
                 const std::string& to, mlir::Type type, std::pair<std::string, Value> where) {
  DType dtype = ir::dtype_of(type), factors = ir::dtype_of(x.second);
  if (factors != ir::dtype_of(y.second)) { // bf16 factors of f32 sums
    factors = language::promote(factors, ir::dtype_of(y.second));
    x.second = language::cast(b, x.second, factors);
    y.second = language::cast(b, y.second, factors);
  }
  // Where the condition has a dim that `to` alone had, x is the same along it.
  for (auto [dim, letter] : llvm::enumerate(to))
    if (llvm::is_contained(where.first, letter) && !llvm::is_contained(x.first, letter) &&
        !llvm::is_contained(y.first, letter)) {
      Shape shape = ir::shape_of(x.second);
      shape.insert(shape.begin(), ir::shape_of(type)[dim]);
      x = {letter + x.first, language::broadcast_to(b, x.second, shape)};
    }
  std::string found;
  std::vector<int64_t> dims;
  for (auto [dim, letter] : llvm::enumerate(to))
    if (llvm::is_contained(x.first, letter) || llvm::is_contained(y.first, letter)) {
      found.push_back(letter);
      dims.push_back(static_cast<int64_t>(dim));
    }
  std::string spec = x.first + "," + y.first;
  if (where.second)
    spec += "," + where.first;
  Value sum = language::contract(b, x.second, y.second, spec + "->" + found,
                                 language::wide_dtype(factors), {.where = where.second});
  sum = language::cast(b, sum, language::wide_dtype(dtype));
  if (found == to)
    return sum;
  return ir::BroadcastOp::create(b, language::tensor_type(b, ir::dtype_of(sum), ir::shape_of(type)),
                                 sum, dims);
}

} // namespace

void linearise_rule(ir::ContractOp op, Linearisation& at) {
  Value sum;
  auto part = [&](unsigned number) {
    if (!at.is_active(op->getOperand(number)))
      return;
    Values factors{at.primal(op.getLhs()), at.primal(op.getRhs())};
    factors[number] = at.tangent(op->getOperand(number));
    language::Terms terms;
    if (op.getWhere())
      terms.where = at.primal(op.getWhere());
    Value made = language::contract(at.linear, factors[0], factors[1], op.getSpec().str(),
                                    ir::dtype_of(op.getResult()), terms);
    sum = added(at.linear, sum, made);
  };
  part(0);
  part(1);
  if (sum)
    at.set_tangent(op.getResult(), sum);
}

void transpose_rule(ir::ContractOp op, Transposition& at) {
  const ir::ContractLetters letters = ir::contract_letters(op.getSpec());
  Value v = at.cotangent(op.getResult());
  if (at.is_linear(op.getLhs()) && at.is_linear(op.getRhs()))
    refuse_nonlinear(op, "expected one factor that depends on the arguments, but both do");
  std::pair<std::string, Value> where{letters.where, {}};
  if (op.getWhere())
    where.second = at.coefficient(op.getWhere());
  if (at.is_linear(op.getRhs()))
    at.add(op.getRhs(), contracted(at.b, {letters.lhs, at.coefficient(op.getLhs())},
                                   {letters.result, v}, letters.rhs, op.getRhs().getType(), where));
  if (at.is_linear(op.getLhs()))
    at.add(op.getLhs(),
           contracted(at.b, {letters.result, v}, {letters.rhs, at.coefficient(op.getRhs())},
                      letters.lhs, op.getLhs().getType(), where));
}

} // namespace kolam::transform::derive
