/// The parts of the module kolam._kolam, one function for each source file.
#pragma once

#include "convert.h"

#include <nanobind/nanobind.h>

namespace kolam::python {

void bind_activation(nb::module_& module);
void bind_array(nb::module_& module);
void bind_at(nb::module_& module);
void bind_buffer(nb::module_& module);
void bind_cache(nb::module_& module);
void bind_call_table(nb::module_& module);
void bind_composites(nb::module_& module);
void bind_contraction(nb::module_& module);
void bind_control(nb::module_& module);
void bind_creation(nb::module_& module);
void bind_derive(nb::module_& module);
void bind_diagonal(nb::module_& module);
void bind_elementwise(nb::module_& module);
void bind_files(nb::module_& module);
void bind_histogram(nb::module_& module);
void bind_index(nb::module_& module);
void bind_layout(nb::module_& module);
void bind_stream(nb::module_& module);
void bind_linear_unit(nb::module_& module);
void bind_list(nb::module_& module);
void bind_list_access(nb::module_& module);
void bind_list_functions(nb::module_& module);
void bind_loss(nb::module_& module);
void bind_nan_reduction(nb::module_& module);
void bind_normalization(nb::module_& module);
void bind_opaque_call(nb::module_& module);
void bind_pallas(nb::module_& module);
void bind_pattern(nb::module_& module);
void bind_pickling(nb::module_& module);
void bind_pooling(nb::module_& module);
void bind_plan(nb::module_& module);
void bind_plan_tasks(nb::module_& module);
void bind_program(nb::module_& module);
void bind_quantile(nb::module_& module);
void bind_random(nb::module_& module);
void bind_reduction(nb::module_& module);
void bind_search(nb::module_& module);
void bind_segment(nb::module_& module);
void bind_shape(nb::module_& module);
void bind_sort(nb::module_& module);
void bind_special(nb::module_& module);
void bind_statistics(nb::module_& module);
void bind_tensor(nb::module_& module);
void bind_threads(nb::module_& module);
void bind_transformed(nb::module_& module);
void bind_windows(nb::module_& module);

/// Adds Python's operators to a class.
void bind_operators(nb::class_<Array>& type);
void bind_operators(nb::class_<Traced>& type);

} // namespace kolam::python
