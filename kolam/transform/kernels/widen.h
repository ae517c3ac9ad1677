/// A function of blocks as one of whole arrays, where no element looks at its neighbours along a
/// dim.
///
///     o[i, :] = softmax(x[i, :]) for a block of 8 rows   is the same for all rows at once
#pragma once

#include "kolam/language/builder.h"

#include <memory>
#include <optional>
#include <vector>

namespace kolam::transform::kernels {

/// Which dim of each argument, and of each yielded value, gets another extent; nullopt: none.
struct WideDims {
  std::vector<std::optional<int64_t>> arguments, yields;
  Extent extent;
};

/// The region for that extent: element by element along the dim what it was. Null where an element
/// depends on others along it, or on its index: signatures say so.
std::unique_ptr<mlir::Region> widened(language::Builder& b, mlir::Region& region,
                                      const WideDims& dims);

} // namespace kolam::transform::kernels
