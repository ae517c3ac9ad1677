// Refuses axes that a shape does not have.
#include "kolam/support/axis.h"

#include "kolam/support/error.h"

#include <string>

namespace kolam {

int64_t normalize_axis(int64_t axis, int64_t rank, std::string_view argument) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  std::string expected = "no axis for rank 0";
  if (rank > 0)
    expected = "an axis from " + std::to_string(-rank) + " to " + std::to_string(rank - 1);
  fail(ErrorKind::index, "axis-out-of-range",
       "argument '" + std::string(argument) + "': expected " + expected + ", but got " +
           std::to_string(axis));
}

} // namespace kolam
