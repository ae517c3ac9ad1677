/// Converting whole arrays between dtypes.
#pragma once

#include "kolam/runtime/array.h"

namespace kolam::interp {

/// Every element converted as `kolam.cast` does; the same array where the dtype is the same.
runtime::Array convert(const runtime::Array& array, DType dtype);

} // namespace kolam::interp
