/// What a function is told of how many elements it gives, for the language. Internal: includes
/// MLIR.
#pragma once

#include "kolam/frontend/array/trace.h"
#include "kolam/language/nonzero.h"

namespace kolam {

/// As many as `size`, or as there are, which a new symbol of the current trace stands for.
inline language::Count count_of(const std::optional<Extent>& size) {
  return {size, size ? std::string() : Trace::current()->new_symbol()};
}

/// `x`, recorded where the size is symbolic.
inline Operand counted_operand(const Operand& x, const std::optional<Extent>& size) {
  return size ? traced_for({*size}, x) : x;
}

} // namespace kolam
