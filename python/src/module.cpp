// The Python module kolam._kolam: binds the public headers.
#include "bind.h"
#include "errors.h"
#include "interrupt.h"
#include "modules.h"
#include "registered.h"
#include "thread_exit.h"
#include "warnings.h"

NB_MODULE(_kolam, module) {
  using namespace kolam::python;
  module.attr("__version__") = KOLAM_VERSION;
  // Arrays in module globals and caches outlive the interpreter; that is no fault.
  nb::set_leak_warnings(false);
  end_well_with_threads();
  listen_during_long_work();
  collect_warnings();
  bind_registered(module);
  bind_errors(module);
  bind_array(module);
  bind_tensor(module);
  bind_program(module);
  bind_at(module);
  bind_buffer(module);
  bind_cache(module);
  bind_call_table(module);
  bind_composites(module);
  bind_control(module);
  bind_derive(module);
  bind_files(module);
  bind_histogram(module);
  bind_index(module);
  bind_layout(module);
  bind_plan(module);
  bind_plan_tasks(module);
  bind_stream(module);
  bind_list(module);
  bind_list_access(module);
  bind_list_functions(module);
  bind_opaque_call(module);
  bind_pallas(module);
  bind_pattern(module);
  bind_pickling(module);
  bind_quantile(module);
  bind_random(module);
  bind_search(module);
  bind_segment(module);
  bind_threads(module);
  bind_transformed(module);
  bind_windows(module);
  DecidedByTypes by_types;
  bind_activation(module);
  bind_contraction(module);
  bind_creation(module);
  bind_diagonal(module);
  bind_elementwise(module);
  bind_linear_unit(module);
  bind_loss(module);
  bind_nan_reduction(module);
  bind_normalization(module);
  bind_pooling(module);
  bind_reduction(module);
  bind_shape(module);
  bind_sort(module);
  bind_special(module);
  bind_statistics(module);
}
