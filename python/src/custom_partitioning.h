/// Functions that plans cut as their users say: a part of what `bind_plan` binds.
#pragma once

#include <nanobind/nanobind.h>

namespace kolam::python {

void bind_custom_partitioning(nanobind::module_& module);

} // namespace kolam::python
