// Equations of contractions.
#include "kolam/rewrite/rule.h"

#include "kolam/ir/contract_spec.h"
#include "kolam/ir/ops.h"
#include "kolam/language/contract.h"
#include "kolam/rewrite/lane_rows.h"

#include "llvm/ADT/StringExtras.h"

namespace kolam::rewrite {
namespace {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

/// The letters of the operands, and those that are summed in the order in which they are.
struct Letters {
  explicit Letters(llvm::StringRef spec) {
    ir::ContractLetters own = ir::contract_letters(spec);
    operands = {std::move(own.lhs), std::move(own.rhs)};
    if (spec.count(',') == 2) // a condition of one element has no letters
      operands.push_back(std::move(own.where));
    result = std::move(own.result);
    for (char letter : operands[0])
      if (result.find(letter) == std::string::npos)
        summed.push_back(letter);
  }
  std::string spec() const { return llvm::join(operands, ",") + "->" + result; }
  /// Those of operand `number` in the order before its transpose.
  void turn_back(unsigned number, llvm::ArrayRef<int64_t> permutation) {
    operands[number] = ir::letters_before(operands[number], permutation);
  }
  /// Where the last letter to be summed is in an operand; npos where it has none.
  size_t place_of_summed(unsigned number) const {
    return summed.empty() ? std::string::npos : operands[number].find(summed.back());
  }
  /// Whether that is its last dim.
  bool ends_summed(unsigned number) const {
    size_t place = place_of_summed(number);
    return place != std::string::npos && place + 1 == operands[number].size();
  }
  std::vector<std::string> operands; ///< the factors', and those of `where`
  std::string result, summed;
};

/// Summed letters are added in the first operand's dim order: that must stay.
bool sums_alike(llvm::StringRef a, llvm::StringRef b) {
  return Letters(a).summed == Letters(b).summed;
}

bool goes_by_lanes(ir::ContractOp contract) {
  return ir::accumulate_of(contract.getAccumulate()).order == Order::lanes;
}

Value transposed_operand(Operation* op, OpBuilder& b) {
  auto contract = llvm::dyn_cast<ir::ContractOp>(op);
  if (!contract)
    return {};
  for (unsigned number : {0u, 1u}) {
    auto transpose = op->getOperand(number).getDefiningOp<ir::TransposeOp>();
    if (!transpose)
      continue;
    Letters letters(contract.getSpec());
    letters.turn_back(number, transpose.getPermutation());
    std::string spec = letters.spec();
    bool is_wanted = goes_by_lanes(contract) && Letters(contract.getSpec()).ends_summed(number);
    if (!sums_alike(spec, contract.getSpec()) || is_wanted)
      continue;
    Value lhs = number == 0 ? transpose.getOperand() : contract.getLhs();
    Value rhs = number == 1 ? transpose.getOperand() : contract.getRhs();
    return ir::ContractOp::create(b, op->getLoc(), contract.getType(), lhs, rhs,
                                  b.getStringAttr(spec), contract.getAccumulateAttr(),
                                  contract.getWhere());
  }
  return {};
}

/// Which terms count may be told in any order of dims.
Value transposed_where(Operation* op, OpBuilder& b) {
  auto contract = llvm::dyn_cast<ir::ContractOp>(op);
  auto transpose = contract && contract.getWhere()
                       ? contract.getWhere().getDefiningOp<ir::TransposeOp>()
                       : nullptr;
  if (!transpose)
    return {};
  Letters letters(contract.getSpec());
  letters.turn_back(2, transpose.getPermutation());
  return ir::ContractOp::create(b, op->getLoc(), contract.getType(), contract.getLhs(),
                                contract.getRhs(), b.getStringAttr(letters.spec()),
                                contract.getAccumulateAttr(), transpose.getOperand());
}

/// Lanes take what they sum from memory as it lies.
Value summed_last(Operation* op, OpBuilder& b) {
  auto contract = llvm::dyn_cast<ir::ContractOp>(op);
  if (!contract || !goes_by_lanes(contract))
    return {};
  Letters letters(contract.getSpec());
  if (!letters.result.empty() && ends_a_row(contract, letters.result.back()))
    return {};
  for (unsigned number : {0u, 1u}) {
    std::string& own = letters.operands[number];
    size_t place = letters.place_of_summed(number);
    if (place == std::string::npos || letters.ends_summed(number))
      continue;
    llvm::SmallVector<int64_t> permutation;
    Shape shape;
    for (size_t dim = 0; dim < own.size(); ++dim)
      if (dim != place)
        permutation.push_back(static_cast<int64_t>(dim));
    permutation.push_back(static_cast<int64_t>(place));
    for (int64_t dim : permutation)
      shape.push_back(ir::shape_of(op->getOperand(number))[dim]);
    own = own.substr(0, place) + own.substr(place + 1) + own[place];
    if (!sums_alike(letters.spec(), contract.getSpec()))
      return {};
    Value factors[] = {contract.getLhs(), contract.getRhs()};
    factors[number] = ir::TransposeOp::create(
        b, op->getLoc(), ir::tensor_type(op->getContext(), ir::dtype_of(factors[number]), shape),
        factors[number], permutation);
    return ir::ContractOp::create(b, op->getLoc(), contract.getType(), factors[0], factors[1],
                                  b.getStringAttr(letters.spec()), contract.getAccumulateAttr(),
                                  contract.getWhere());
  }
  return {};
}

/// Whether vectors along a letter of the result read rows of a factor; tiles of matrices pack what
/// they do not find in rows.
bool keeps_vectors(ir::ContractOp op, char letter) {
  const Letters letters(op.getSpec());
  Extent free[] = {1, 1};
  for (unsigned number : {0u, 1u})
    for (auto [dim, own] : llvm::enumerate(letters.operands[number]))
      if (llvm::is_contained(letters.result, own) &&
          !llvm::is_contained(letters.operands[1 - number], own))
        free[number] = free[number] * ir::shape_of(op->getOperand(number))[dim];
  return ends_a_row(op, letter) ||
         (!language::are_few_columns(free[0]) && !language::are_few_columns(free[1]));
}

/// The result's letters are free to stand in any order.
Value transposed_result(Operation* op, OpBuilder& b) {
  auto transpose = llvm::dyn_cast<ir::TransposeOp>(op);
  auto contract = transpose ? transpose.getOperand().getDefiningOp<ir::ContractOp>() : nullptr;
  if (!contract || !contract->hasOneUse())
    return {};
  Letters letters(contract.getSpec());
  const auto last = static_cast<size_t>(transpose.getPermutation().back());
  if (ends_a_row(contract, letters.result.back()) && !keeps_vectors(contract, letters.result[last]))
    return {};
  std::string turned;
  for (int64_t dim : transpose.getPermutation())
    turned.push_back(letters.result[static_cast<size_t>(dim)]);
  letters.result = turned;
  return ir::ContractOp::create(b, op->getLoc(), transpose.getType(), contract.getLhs(),
                                contract.getRhs(), b.getStringAttr(letters.spec()),
                                contract.getAccumulateAttr(), contract.getWhere());
}

constexpr Rule kRules[] = {
    {"lanes_of_rows",
     "contract by lanes over rows = the sums of the lanes of contract over steps, lanes apart",
     R"(%s = kolam.iota 0 : tensor<4500xf32>
        %w = kolam.broadcast %s [0] : tensor<4500xf32> -> tensor<4500x24xf32>
        %t = kolam.transpose %w [1, 0] : tensor<4500x24xf32> -> tensor<24x4500xf32>
        %a = kolam.contract "mk,k->m" %t, %s <"lanes<64>, chunk<4096>"> : (tensor<24x4500xf32>, tensor<4500xf32>) -> tensor<24xf32>
        %p = kolam.slice %a <["0"]> [1] : tensor<24xf32> -> tensor<6xf32>
        %r = kolam.broadcast %p [1] : tensor<6xf32> -> tensor<4x6xf32>)",
     lanes_of_rows, true},
    {"transposed_operand",
     "contract(transpose(x), y) = contract with x's letters permuted, the order of sums kept",
     R"(%0 = kolam.transpose %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
        %1 = kolam.contract "mk,kn->mn" %x, %0 <"chain<8192>"> : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
        %c = kolam.constant dense<0.0> : tensor<f32>
        %r = kolam.pad %1, %c "constant" low [0, 1] high [0, 1] : tensor<4x4xf32>, tensor<f32> -> tensor<4x6xf32>)",
     transposed_operand},
    {"transposed_where", "contract where transpose(m) = contract where m, its letters permuted",
     R"(%m = kolam.constant dense<[[true, false, true, true], [false, false, true, true], [true, true, false, true], [true, false, true, false]]> : tensor<4x4xi1>
        %t = kolam.transpose %m [1, 0] : tensor<4x4xi1> -> tensor<4x4xi1>
        %c = kolam.constant dense<[[1.0, -2.0, 3.0, 0.0], [5.0, 1.0, 1.0, 1.0], [0.5, 0.0, 0.0, 2.0], [1.0, 1.0, 1.0, 1.0]]> : tensor<4x4xf32>
        %r = kolam.contract "mk,kn,mk->mn" %c, %x where %t <"chain<8192>"> : (tensor<4x4xf32>, tensor<4x6xf32>, tensor<4x4xi1>) -> tensor<4x6xf32>)",
     transposed_where},
    {"summed_last", "contract by lanes = contract with what is summed in the operands' last dims",
     R"(%c = kolam.constant dense<[[1.0, -2.0, 3.0, 0.0], [5.0, 1.0, 1.0, 1.0], [0.5, 0.0, 0.0, 2.0], [1.0, 1.0, 1.0, 1.0]]> : tensor<4x4xf32>
        %r = kolam.contract "mk,mn->nk" %x, %c <"lanes<64>, chunk<4096>"> : (tensor<4x6xf32>, tensor<4x4xf32>) -> tensor<4x6xf32>)",
     summed_last},
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
