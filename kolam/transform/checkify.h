/// Errors as values: a program whose checks stop nothing, and give what went wrong first.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/checks.h"
#include "kolam/transform/derive.h"

#include <string>
#include <vector>

namespace kolam::transform {

/// A check that became part of an error: row k of these has the code k + 1.
struct CaughtCheck {
  std::string slug, message;
  SourceLocation where;
  size_t path = 0;           ///< elements of lists around it, from the outermost
  size_t grid = 0;           ///< axes of the grid of the kernel around it
  size_t rank = 0;           ///< of its condition
  std::vector<DType> values; ///< those that `{}` of the message stand for
};

/// What a body gives, and its error, int64[width]:
///
///     [code, place..., values...]
///
/// The code is 0 where nothing failed. The place is the path of elements, the point of the grid,
/// then the index into the condition; values are integers, or the bits of floats in f64.
struct Checkified {
  language::Values results;
  language::Value error;
  std::vector<CaughtCheck> checks;
  size_t places = 0; ///< how many ints the place has in each row; fewer count from the front
};

/// Which checks become the error: the user's own, and those that are put in for it.
struct Caught {
  bool user = false;
  Checks checks;

  bool has(std::string_view slug) const;
};

/// The ops of `body` at the builder's place, on `arguments`, where such checks become an error. Of
/// several the first in program order counts, of one its lowest
/// index; in loops the first turn comes first. What fails in a branch that is not taken, or in a
/// turn that is not made, is none.
///
/// Throws `[not-checkified]` at the user's line of a check that stands where none can be caught.
Checkified checkify(language::Builder& b, mlir::Region& body, mlir::ValueRange arguments,
                    const Caught& caught, const NewSymbol& new_symbol);

} // namespace kolam::transform
