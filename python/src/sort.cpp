// Sorting.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

void bind_sort(nb::module_& module) {
  bind(module, "argsort", &argsort, "stable=True");
  bind(module, "sort", &sort, "stable=True");
  bind(module, "top_k", "x, k, axis=-1, largest=True",
       [](const Operand& x, int64_t k, int64_t axis, bool largest) {
         TopK top = top_k(x, k, axis, largest);
         return std::pair(top.values, top.indices);
       });
}

} // namespace kolam::python
