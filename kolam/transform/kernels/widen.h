/// A function of blocks as one of whole arrays, where what an element is does not depend on where
/// in the block it stands along a dim.
///
///     o[i, :] = softmax(x[i, :]) for a block of 8 rows   is the same for all rows at once,
///     o[i] = x[i] + x[i + 1] for 8 of a window of 9      for a whole array and one more
#pragma once

#include "kolam/language/builder.h"

#include <memory>
#include <optional>
#include <vector>

namespace kolam::transform::kernels {

/// Which dim of each argument, and of each yielded value, becomes longer, and by how much; nullopt:
/// none.
struct WideDims {
  std::vector<std::optional<int64_t>> arguments, yields;
  Extent more;
};

/// The region for these extents: along the dim elements are read at fixed distances. Null where
/// they are not, or where an element depends on its index: signatures say so.
std::unique_ptr<mlir::Region> widened(language::Builder& b, mlir::Region& region,
                                      const WideDims& dims);

} // namespace kolam::transform::kernels
