// How many threads programs use.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

void bind_threads(nb::module_& module) {
  module.def(
      "set_num_threads",
      [](nb::handle given) {
        UserCall scope("set_num_threads");
        const int64_t count = FromPython<int64_t>(given, "count").get();
        released([&] { set_num_threads(count); });
      },
      nb::arg("count"), docstring("set_num_threads").c_str());
  bind(module, "get_num_threads", &get_num_threads);
}

} // namespace kolam::python
