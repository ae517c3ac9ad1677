// How many threads programs use.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

void bind_threads(nb::module_& module) {
  bind(module, "set_num_threads", "count", [](nb::handle given) -> nb::object {
    const int64_t count = FromPython<int64_t>(given, "count").get();
    released([&] { set_num_threads(count); });
    return nb::none();
  });
  bind(module, "get_num_threads", &get_num_threads);
}

} // namespace kolam::python
