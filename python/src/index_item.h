/// Items of an index, as Python writes them.
#pragma once

#include "convert.h"

namespace kolam::python {

/// An integer, a slice, `...`, None or an index array. Throws `[bad-index]` and what conversions
/// throw.
Index index_item(nb::handle object);

} // namespace kolam::python
