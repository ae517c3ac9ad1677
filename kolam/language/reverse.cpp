// Makes reversals.
#include "kolam/language/reverse.h"

#include <numeric>

namespace kolam::language {

Value flip(Builder& b, Value x, const std::optional<Axes>& axes) {
  Axes dims(ir::rank_of(x));
  std::iota(dims.begin(), dims.end(), 0);
  if (axes)
    dims = normalize_axes(*axes, ir::rank_of(x));
  if (dims.empty())
    return x;
  return ir::ReverseOp::create(b, x.getType(), x, dims);
}

} // namespace kolam::language
