// Calls gather.
#include "kolam/frontend/array/gather.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/gather.h"

namespace kolam {

Tensor gather(const Operand& x, const Operand& start_indices,
              const std::vector<int64_t>& gather_dims, const std::vector<int64_t>& gather_lengths,
              int64_t batched_dims, std::string_view mode) {
  language::GatherSpec spec{gather_dims, gather_lengths, batched_dims, mode};
  return apply_one("gather", {x, start_indices.apart()},
                   [&](language::Builder& b, const language::Values& v) {
                     return language::gather(b, v[0], v[1], spec);
                   });
}

} // namespace kolam
