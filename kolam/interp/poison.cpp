// Values by dtype and world.
#include "kolam/interp/poison.h"

#include "kolam/support/dtype.h"

#include <algorithm>
#include <limits>

namespace kolam::interp {
namespace {

template <class T> T poison_value(int world) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>)
    return world != 1;
  else if constexpr (is_float(dtype_of<T>())) {
    const float values[] = {std::numeric_limits<float>::quiet_NaN(), -29951.0F, 28927.0F};
    return static_cast<T>(values[world]);
  } else if constexpr (is_integer(dtype_of<T>())) {
    if (world == 1)
      return static_cast<T>(Limits::max() / 3);
    const bool least = std::is_signed_v<T> == (world == 0);
    return least ? Limits::min() : Limits::max();
  } else
    return static_cast<T>(std::numeric_limits<float>::quiet_NaN());
}

} // namespace

runtime::Array poison(DType dtype, const std::vector<int64_t>& shape, int world) {
  runtime::Array array = runtime::Array::uninitialized(dtype, shape);
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto* elements = static_cast<T*>(array.mutable_data());
    std::fill(elements, elements + array.size(), poison_value<T>(world));
  });
  return array;
}

} // namespace kolam::interp
