// Asks each slice of a loop's body at which steps it lies inside.
#include "kolam/transform/kernels/inner_steps.h"

#include "kolam/ir/index_row.h"
#include "kolam/ir/kernels.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace kolam::transform::kernels {
namespace {

/// The steps least .. end.
struct Steps {
  int64_t least, end;
};

/// Those of `all` for which 0 <= offset + factor * step <= last.
Steps within(const Steps& all, int64_t factor, int64_t offset, int64_t last) {
  // From -offset / factor on, up to (last - offset) / factor.
  int64_t low = -offset, high = last - offset;
  if (factor < 0) {
    std::swap(low, high);
    low = -low, high = -high;
    factor = -factor;
  }
  return {std::max(all.least, llvm::divideCeilSigned(low, factor)),
          std::min(all.end, llvm::divideFloorSigned(high, factor) + 1)};
}

} // namespace

std::vector<int64_t> cuts_of_steps(ir::ForOp loop, int64_t first, int64_t end) {
  Steps inside{first, end};
  for (auto slice : loop.getBody().front().getOps<ir::RefSliceOp>()) {
    const Shape whole = ir::shape_of(ir::value_type(slice.getRef())),
                sizes = ir::shape_of(ir::value_type(slice.getResult()));
    for (auto [dim, start] : llvm::enumerate(slice.getStarts())) {
      auto row = ir::index_row(start, 1);
      auto offset = row && space::is_affine(*row) ? row->offset.constant() : std::nullopt;
      auto extent = whole[dim].constant(), size = sizes[dim].constant();
      if (!offset || !extent || !size || *size < 1 || row->coefficients[0] == 0)
        continue;
      const int64_t step = slice.getSteps()[dim], reach = step * (*size - 1);
      inside = within(inside, row->coefficients[0], *offset + std::min<int64_t>(reach, 0),
                      *extent - 1 - std::max<int64_t>(reach, 0));
    }
  }
  if (inside.least >= inside.end || (inside.least == first && inside.end == end))
    return {};
  std::vector<int64_t> cuts{first, inside.least, inside.end, end};
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

} // namespace kolam::transform::kernels
