/// Windows of a tensor at places given by data.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

/// What a gather does with a window that is not wholly inside: the op's `mode`.
struct GatherSpec {
  Axes dims;    ///< counted from dim `batched_dims`, in any order
  Axes lengths; ///< of the window along each of `dims`
  int64_t batched_dims = 0;
  std::string_view mode = "clip"; ///< clip, fill, wrap, promise or check
};

/// result[k, n, o] = x[k, start + o] (kolam.gather). With mode "check" a check comes before. Throws
/// what window_dims and require_lengths throw, and `[unknown-mode]`.
Value gather(Builder& b, Value x, Value start_indices, const GatherSpec& spec);

} // namespace kolam::language
