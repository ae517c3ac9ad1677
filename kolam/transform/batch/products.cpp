// Sums of products: the instances are one more free index.
#include "kolam/ir/contract_spec.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/transpose.h"
#include "kolam/support/accumulate.h"
#include "kolam/transform/batch/rules.h"

namespace kolam::transform::batch {
namespace {

char unused_letter(const ir::ContractLetters& letters) {
  for (char letter : std::string("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    if (!llvm::is_contained(letters.lhs, letter) && !llvm::is_contained(letters.rhs, letter))
      return letter;
  refuse("its indices take every letter");
}

/// See Note [One product]. The place in the result of the letter that is to be its last; nullopt
/// where it is best as it is.
std::optional<size_t> place_of_columns(ir::ContractOp op, const ir::ContractLetters& letters,
                                       bool lhs_is_each) {
  constexpr int64_t kFewColumns =
      16; // meaning, as language/contract.cpp has it: a lane each would leave most of a vector idle
  const std::string& own = lhs_is_each ? letters.lhs : letters.rhs;
  const std::string& shared = lhs_is_each ? letters.rhs : letters.lhs;
  bool is_product = !op.getWhere() && ir::accumulate_of(op.getAccumulate()).order == Order::chain;
  if (!is_product || letters.result.empty() || llvm::is_contained(shared, letters.result.back()))
    return std::nullopt;
  Shape shape = ir::shape_of(op.getResult());
  for (size_t place = letters.result.size(); place-- > 0;)
    if (!llvm::is_contained(own, letters.result[place])) {
      bool is_wide = shape[place].constant().value_or(kFewColumns) >= kFewColumns;
      return is_wide ? std::optional(place) : std::nullopt;
    }
  return std::nullopt;
}

} // namespace

Results batch_rule(ir::ContractOp op, Operands operands, Instances& all) {
  ir::ContractLetters letters = ir::contract_letters(op.getSpec());
  std::optional<size_t> place;
  if (operands[0].is_each != operands[1].is_each)
    place = place_of_columns(op, letters, operands[0].is_each);
  Shape shape = ir::shape_of(op.getResult());
  if (place) {
    letters.result.push_back(letters.result[*place]);
    letters.result.erase(*place, 1);
    shape.push_back(shape[*place]);
    shape.erase(shape.begin() + static_cast<int64_t>(*place));
  }
  std::string instance(1, unused_letter(letters));
  // Instances of `where` alone are those of a factor too.
  const bool has_each_factor = operands[0].is_each || operands[1].is_each;
  Value lhs = has_each_factor ? operands[0].value : as_each(all, operands[0]);
  const bool is_each_lhs = operands[0].is_each || !has_each_factor;
  std::string spec = (is_each_lhs ? instance : "") + letters.lhs + "," +
                     (operands[1].is_each ? instance : "") + letters.rhs;
  Values values{lhs, operands[1].value};
  if (op.getWhere()) {
    spec += "," + (operands[2].is_each ? instance : "") + letters.where;
    values.push_back(operands[2].value);
  }
  spec += "->" + instance + letters.result;
  ir::ContractOp copied = copy(all, op, values);
  copied.setSpec(spec);
  copied.getResult().setType(
      language::tensor_type(all.b, ir::dtype_of(op.getResult()), each_shape(all, shape)));
  if (!place)
    return each(copied->getResults());
  return each(
      {language::moveaxis(all.b, copied.getResult(), {-1}, {static_cast<int64_t>(*place) + 1})});
}

/// Instances of the input alone are one more part of its batch; each filter is a convolution of its
/// own.
Results batch_rule(ir::ConvolutionOp op, Operands operands, Instances& all) {
  if (operands[1].is_each)
    return one_by_one(op, operands, all);
  auto flat = [&](Shape shape) {
    shape[0] = all.count * shape[0];
    return shape;
  };
  Value input = language::with_shape(all.b, operands[0].value, flat(ir::shape_of(op.getInput())));
  ir::ConvolutionOp copied = copy(all, op, {input, operands[1].value});
  copied.getResult().setType(language::tensor_type(all.b, ir::dtype_of(op.getResult()),
                                                   flat(ir::shape_of(op.getResult()))));
  return each({language::with_shape(all.b, copied.getResult(),
                                    each_shape(all, ir::shape_of(op.getResult())))});
}

// Note [One product]
// A product of matrices has as its columns the last dim of the result, along which one factor alone
// changes; dims of the other factor alone are its rows (nest/products.h). So where one factor is of
// each instance and the other, a weight, the same for all, the columns must be dims of the weight:
// then all instances are rows of one product, which packs the weight once. "ij,jk->ik" with
// instances of the second factor becomes "ij,njk->nki", and its result is transposed.

} // namespace kolam::transform::batch
