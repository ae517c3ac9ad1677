// The Python module kolam._kolam: binds the public headers.
#include <nanobind/nanobind.h>

NB_MODULE(_kolam, module) { module.attr("__version__") = KOLAM_VERSION; }
