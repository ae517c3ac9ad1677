// Calls searches.
#include "kolam/frontend/array/searchsorted.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/searchsorted.h"

namespace kolam {

using language::Builder;
using language::Values;

Tensor searchsorted(const Operand& x, const Operand& values, Side side,
                    const std::optional<Operand>& sorter) {
  std::vector<Operand> operands{x, values};
  if (sorter)
    operands.push_back(sorter->apart());
  auto which = side == Side::left ? language::Side::left : language::Side::right;
  return apply("searchsorted", operands, [&](Builder& b, const Values& v) {
    return Values{language::searchsorted(b, v[0], v[1], which, sorter ? v[2] : language::Value())};
  })[0];
}

Tensor isin(const Operand& x, const Operand& values, bool invert) {
  return apply_one("isin", {x, values}, [&](Builder& b, const Values& v) {
    language::Value found = language::isin(b, v[0], v[1]);
    return invert ? language::elementwise(b, Fn::logical_not, {found}) : found;
  });
}

} // namespace kolam
