/// The normal form behind Extent: included by extent*.cpp only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kolam/support/extent.h"

namespace kolam {

inline constexpr std::string_view kExtentOverflow = "extent-overflow";

/// What a product multiplies: a symbol, or an operation on normal forms that does not simplify. min
/// and max have two or more operands, sorted by text; the divisions have (dividend, divisor).
struct ExtentAtom {
  enum class Kind : uint8_t { symbol, floordiv, ceildiv, min, max };
  Kind kind;
  std::vector<Extent> operands;
  std::string text; ///< the symbol's name, or `min(a, b)`; equal text means equal atoms
  int size = 1;     ///< operations and leaves below, itself included
  int depth = 1;
  bool nonnegative = true; ///< known to be >= 0 whatever the symbols are
};

/// coefficient * factor * factor ...; the factors are sorted by text and never empty.
struct ExtentTerm {
  int64_t coefficient;
  std::vector<std::shared_ptr<const ExtentAtom>> factors;
};

/// A sum of terms plus a constant. No two terms have the same factors, no coefficient is 0, and the
/// order is graded: higher degree first, then by the factors' text.
struct Extent::Node {
  std::vector<ExtentTerm> terms;
  int64_t constant = 0;
  std::string text;
  int size = 1;
  int depth = 1;

  static const Node& of(const Extent& extent) { return *extent.node_; }
  /// Brings any list of terms to normal form.
  static Extent sum(std::vector<ExtentTerm> terms, int64_t constant);
  /// The sum of the single term `1 * atom`.
  static Extent atom(ExtentAtom::Kind kind, std::vector<Extent> operands);
};

/// Whether every value of the symbols makes `extent` >= 0, as far as signs alone show it.
bool provably_nonnegative(const Extent& extent);

/// Whether a factor list contains another (as multisets); then `quotient` holds what is left.
bool divide_factors(const ExtentTerm& term, const ExtentTerm& divisor, ExtentTerm& quotient);

/// The text of a normal form, from its terms.
std::string print_extent(const std::vector<ExtentTerm>& terms, int64_t constant);

} // namespace kolam
