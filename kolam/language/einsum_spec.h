/// Reads NumPy's einsum subscripts.
#pragma once

#include "kolam/language/labelled.h"

#include <string_view>

namespace kolam::language {

/// "...ij,jk->...ik" with every ellipsis written out: one label a dimension, repeated where the
/// user repeats a letter.
struct EinsumSpec {
  std::vector<Labels> operands;
  Labels result;
};

/// Reads `text` for these operands.
///
/// Blanks mean nothing. Without an arrow the result has the ellipsis dims, then the letters that
/// occur once, sorted. Throws `[bad-einsum]`, naming the place, where the text is malformed or does
/// not fit the operands' ranks.
EinsumSpec parse_einsum(std::string_view text, const Values& operands);

} // namespace kolam::language
