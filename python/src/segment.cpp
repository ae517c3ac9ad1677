// Reductions of segments.
#include "bind.h"
#include "modules.h"

namespace kolam::python {
namespace {

using Reduce = Tensor (*)(const Operand&, const Operand&, std::optional<Extent>);

/// JAX's keywords are taken: they promise what we need not know.
void bind_reduction_of_segments(nb::module_& module, const char* name, Reduce reduce) {
  bind(module, name,
       "data, segment_ids, num_segments=None, indices_are_sorted=False, unique_indices=False",
       [reduce](const Operand& data, const Operand& ids, std::optional<Extent> segments, bool,
                bool) { return reduce(data, ids, segments); });
}

} // namespace

void bind_segment(nb::module_& module) {
  bind(module, "bincount", &bincount);
  bind_reduction_of_segments(module, "segment_max", &segment_max);
  bind_reduction_of_segments(module, "segment_mean", &segment_mean);
  bind_reduction_of_segments(module, "segment_min", &segment_min);
  bind_reduction_of_segments(module, "segment_prod", &segment_prod);
  bind_reduction_of_segments(module, "segment_sum", &segment_sum);
}

} // namespace kolam::python
