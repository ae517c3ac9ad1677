/// Operands whose dimensions carry labels: what contractions of any spelling come down to.
#pragma once

#include "kolam/language/contract.h"

#include <optional>
#include <vector>

namespace kolam::language {

/// One number a dimension. Below kBatchLabel it is the letter that the user wrote; from kBatchLabel
/// on an unnamed batch dimension, counted from the last.
using Labels = std::vector<int>;
inline constexpr int kBatchLabel = 256;

struct Labelled {
  Value value;
  Labels labels; ///< one per dimension
};

/// `batch` unnamed labels, the first dimension's first, then `letters`.
Labels batch_labels(int64_t batch, std::string_view letters);

/// Gives all dims of a label one extent, so that each operand agrees: unequal numbers are
/// `[shape-mismatch]`, what only the run can see is checked then. Where `stretch(label)`, a dim of
/// extent 1 beside a larger one is dropped from its operand, which is what repeating it would mean.
/// Labels are distinct within an operand. `names_letters`: errors name the letter of a dim, as the
/// user wrote it.
std::vector<Labelled> unify_labels(Builder& b, std::vector<Labelled> operands,
                                   const std::function<bool(int)>& stretch,
                                   bool names_letters = false);
/// `letter 'i', ` for errors; empty for an unnamed batch dimension.
std::string letter_text(int label);

/// The op: result = sum over the labels missing from `result` of lhs * rhs. Operands are of one
/// dtype; a label has one extent. Throws `[rank-mismatch]` for more labels than the op has letters;
/// for `where`, which broadcasts to the labels of `result` and then the others in the order of lhs
/// and rhs, also `[dtype-mismatch]` and `[shape-mismatch]`.
Labelled contract(Builder& b, const Labelled& lhs, const Labelled& rhs, const Labels& result,
                  DType result_dtype, const Terms& terms = {});

/// `x` with its dims in the order of `labels`, a permutation of its own.
Labelled permute(Builder& b, const Labelled& x, const Labels& labels);

/// The operands at their common dtype; throws `[dtype-mismatch]` for booleans.
Values promote_numbers(Builder& b, Values values);

/// The dtype of sums of products: `wanted`, or the operands' own. Throws `[dtype-mismatch]` unless
/// `wanted` holds all values of `operands` and is of the same kind, integer or float.
DType sum_dtype(DType operands, std::optional<DType> wanted);

} // namespace kolam::language
