/// The letters of a contraction: which dimension of which operand is which index.
#pragma once

#include "kolam/support/extent.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kolam::ir {

/// "bij,bjk->bik", or "bij,bjk,bij->bik" with the letters of `where`, read apart. Indices are
/// numbered: first the result's letters in its order, then the summed letters in the first
/// operand's dim order (those only in the second follow in its order).
struct ContractSpec {
  std::vector<int> lhs, rhs, result; ///< per dimension the index number
  std::vector<int> where;            ///< likewise
  bool has_where = false;
  int index_count = 0;
  int result_count = 0; ///< indices below are free or batch, the rest are summed

  /// The extent of each index, from the operands' shapes.
  Shape extents(const Shape& lhs_shape, const Shape& rhs_shape) const;
};

/// The letters of a spec that is known to be right; `where` is empty where there is none.
struct ContractLetters {
  std::string lhs, rhs, where, result;
};
ContractLetters contract_letters(std::string_view spec);

/// The letters of a transpose's operand, where its result has `letters`.
std::string letters_before(std::string_view letters, std::span<const int64_t> permutation);

/// Reads `spec`; nullopt unless it is letters with one comma or two and one arrow, none repeated
/// within one operand or the result, and every letter of the result and of `where` in a factor.
std::optional<ContractSpec> parse_contract_spec(std::string_view spec);

} // namespace kolam::ir
