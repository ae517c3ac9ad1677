// Sorting.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

constexpr std::string_view kStable = "stable=True";

void bind_sort(nb::module_& module) {
  bind(module, "argsort", &argsort, kStable);
  bind(module, "sort", &sort, kStable);
  bind(module, "top_k", "x, k, axis=-1, largest=True",
       [](const Operand& x, int64_t k, int64_t axis, bool largest) {
         TopK top = top_k(x, k, axis, largest);
         return std::pair(top.values, top.indices);
       });
}

} // namespace kolam::python
