// Equations of contractions.
#include "kolam/rewrite/rule.h"

#include "kolam/ir/contract_spec.h"
#include "kolam/ir/ops.h"

namespace kolam::rewrite {
namespace {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

/// The letters of `spec` with those of operand `number` put into the order before its transpose.
std::string before_transpose(llvm::StringRef spec, unsigned number,
                             llvm::ArrayRef<int64_t> permutation) {
  auto [operands, result] = spec.split("->");
  auto [lhs, rhs] = operands.split(",");
  std::string letters[] = {lhs.str(), rhs.str()};
  std::string before = letters[number];
  for (auto [place, dim] : llvm::enumerate(permutation))
    before[dim] = letters[number][place];
  letters[number] = before;
  return letters[0] + "," + letters[1] + "->" + result.str();
}

/// Summed letters are added in the first operand's dim order: that must stay.
bool sums_alike(const std::string& a, llvm::StringRef b) {
  auto order = [](llvm::StringRef spec) {
    std::string summed;
    for (char letter : spec.split(",").first)
      if (!spec.split("->").second.contains(letter))
        summed.push_back(letter);
    return summed;
  };
  return order(a) == order(b);
}

Value transposed_operand(Operation* op, OpBuilder& b) {
  auto contract = llvm::dyn_cast<ir::ContractOp>(op);
  if (!contract)
    return {};
  for (unsigned number : {0u, 1u}) {
    auto transpose = op->getOperand(number).getDefiningOp<ir::TransposeOp>();
    if (!transpose)
      continue;
    std::string spec = before_transpose(contract.getSpec(), number, transpose.getPermutation());
    if (!sums_alike(spec, contract.getSpec()))
      continue;
    Value lhs = number == 0 ? transpose.getOperand() : contract.getLhs();
    Value rhs = number == 1 ? transpose.getOperand() : contract.getRhs();
    return ir::ContractOp::create(b, op->getLoc(), contract.getType(), lhs, rhs,
                                  b.getStringAttr(spec), contract.getAccumulateAttr());
  }
  return {};
}

/// The result's letters are free to stand in any order.
Value transposed_result(Operation* op, OpBuilder& b) {
  auto transpose = llvm::dyn_cast<ir::TransposeOp>(op);
  auto contract = transpose ? transpose.getOperand().getDefiningOp<ir::ContractOp>() : nullptr;
  if (!contract || !contract->hasOneUse())
    return {};
  auto [operands, result] = contract.getSpec().split("->");
  std::string letters;
  for (int64_t dim : transpose.getPermutation())
    letters.push_back(result[dim]);
  return ir::ContractOp::create(b, op->getLoc(), transpose.getType(), contract.getLhs(),
                                contract.getRhs(), b.getStringAttr(operands.str() + "->" + letters),
                                contract.getAccumulateAttr());
}

constexpr Rule kRules[] = {
    {"transposed_operand",
     "contract(transpose(x), y) = contract with x's letters permuted, the order of sums kept",
     R"(%0 = kolam.transpose %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
        %1 = kolam.contract "mk,kn->mn" %x, %0 <"lanes<64>, chunk<4096>"> : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
        %c = kolam.constant dense<0.0> : tensor<f32>
        %r = kolam.pad %1, %c "constant" low [0, 1] high [0, 1] : tensor<4x4xf32>, tensor<f32> -> tensor<4x6xf32>)",
     transposed_operand},
    {"transposed_result",
     "transpose(contract(x, y)) = contract with the result's letters permuted, where nothing else "
     "reads it",
     R"(%c = kolam.constant dense<[[1.0, -2.0, 3.0, 0.0], [5.0, 1.0, 1.0, 1.0], [0.5, 0.0, 0.0, 2.0], [1.0, 1.0, 1.0, 1.0]]> : tensor<4x4xf32>
        %0 = kolam.contract "mk,mn->kn" %x, %c <"chain<8192>"> : (tensor<4x6xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
        %r = kolam.transpose %0 [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>)",
     transposed_result},
};

} // namespace

std::span<const Rule> contract_rules() { return kRules; }

} // namespace kolam::rewrite
