// Looks through sums and products.
#include "kolam/transform/kernels/sums.h"

#include "kolam/ir/contract_spec.h"
#include "kolam/ir/dialect.h"
#include "kolam/ir/ops.h"
#include "kolam/support/elementwise.h"

#include "llvm/ADT/SetVector.h"

namespace kolam::transform::kernels {

using language::Builder;
using language::Value;
using language::Values;

std::pair<Value, Value> terms_of(Value value) {
  auto sum = value.getDefiningOp<ir::ElementwiseOp>();
  if (!sum || parse_fn(sum.getFunction()) != Fn::add)
    return {};
  return {sum.getOperands()[0], sum.getOperands()[1]};
}

bool is_zero(Value value) {
  while (llvm::isa_and_present<ir::BroadcastOp, ir::ReshapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto constant = value.getDefiningOp<ir::ConstantOp>();
  auto elements = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant->getAttr("value"))
                           : mlir::DenseElementsAttr();
  if (!elements || !elements.isSplat())
    return false;
  if (!llvm::isa<mlir::FloatType>(elements.getElementType()))
    return elements.getSplatValue<llvm::APInt>().isZero();
  const llvm::APFloat number = elements.getSplatValue<llvm::APFloat>();
  return number.isZero() && !number.isNegative();
}

std::optional<ChainOfTerms> chain_of_terms(ir::ContractOp product) {
  auto spec = ir::parse_contract_spec(product.getSpec());
  const Accumulate order = ir::accumulate_of(product.getAccumulate());
  auto place = [&](const std::vector<int>& letters) {
    return static_cast<size_t>(llvm::find(letters, spec->result_count) - letters.begin());
  };
  const size_t left = place(spec->lhs), right = place(spec->rhs);
  const bool is_plain = order.order == Order::chain && !order.in_order && !product.getWhere() &&
                        spec->index_count == spec->result_count + 1 && left < spec->lhs.size() &&
                        right < spec->rhs.size();
  if (!is_plain || is_narrow_float(ir::dtype_of(product.getResult())))
    return std::nullopt;
  auto length = ir::shape_of(product.getLhs())[left].constant();
  const bool is_odd = length && *length % 2 != 0 && ir::dtype_of(product.getLhs()) == DType::bf16;
  if (!length || *length > order.chunk || is_odd)
    return std::nullopt;
  return ChainOfTerms{static_cast<int64_t>(left), static_cast<int64_t>(right), *length};
}

Value chains_in_order(Builder& b, ir::ContractOp like, Value left, Value right, int64_t length) {
  return ir::ContractOp::create(
      b, like.getType(), left, right, like.getSpec(),
      ir::accumulate_attr(b.getContext(), {Order::chain, 1, length, true}), Value());
}

void copy_slice(Builder& b, mlir::Region& region, const Values& values, mlir::IRMapping& mapping) {
  llvm::SetVector<mlir::Operation*> needed;
  Values left = values;
  while (!left.empty()) {
    Value value = left.back();
    left.pop_back();
    mlir::Operation* op = value.getDefiningOp();
    if (!op || mapping.contains(value) || !needed.insert(op))
      continue;
    left.insert(left.end(), op->operand_begin(), op->operand_end());
  }
  for (mlir::Operation& op : region.front())
    if (needed.contains(&op))
      b.clone(op, mapping);
}

} // namespace kolam::transform::kernels
