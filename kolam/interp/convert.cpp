// Converts arrays between dtypes.
#include "kolam/interp/convert.h"

#include "kolam/support/elementwise_host.h"

namespace kolam::interp {

runtime::Array convert(const runtime::Array& array, DType dtype) {
  if (array.dtype() == dtype)
    return array;
  runtime::Array result = runtime::Array::uninitialized(dtype, array.shape());
  apply_cast(array.dtype(), dtype, array.data(), result.mutable_data(), array.size());
  return result;
}

} // namespace kolam::interp
