/// A function of the elementwise table on two scalars.
#pragma once

#include "kolam/runtime/array.h"
#include "kolam/support/elementwise_host.h"

namespace kolam::interp {

inline runtime::Array apply(Fn fn, const runtime::Array& x, const runtime::Array& y) {
  auto result = runtime::Array::uninitialized(result_dtype(fn, x.dtype()), {});
  apply_elementwise(fn, x.dtype(), {{x.data(), y.data()}}, {{1, 1}}, result.mutable_data(), 1);
  return result;
}

} // namespace kolam::interp
