// Views of arrays, element by element.
#include "kolam/interp/ref.h"

#include "kolam/support/scalar/convert.h"
#include "kolam/support/scalar/host_builder.h"

#include <numeric>

namespace kolam::interp {

using runtime::Array;

Ref Ref::of(const Array& elements, const Array& pad) {
  Ref ref{elements, pad, pad, {}, elements.dtype(), elements.shape(), {}};
  ref.places.resize(static_cast<size_t>(elements.size()));
  std::iota(ref.places.begin(), ref.places.end(), 0);
  return ref;
}

Ref Ref::zeros(DType dtype, const std::vector<int64_t>& shape) {
  return of(Array::zeros(dtype, shape), Array::zeros(dtype, {}));
}

Ref Ref::sliced(const std::vector<int64_t>& starts, const std::vector<int64_t>& steps,
                const std::vector<int64_t>& sizes) const {
  return at(sizes, [&](Index index) {
    for (size_t dim = 0; dim < index.size(); ++dim)
      index[dim] = starts[dim] + steps[dim] * index[dim];
    return index;
  });
}

Ref Ref::transposed(const std::vector<int64_t>& permutation) const {
  std::vector<int64_t> sizes;
  for (int64_t dim : permutation)
    sizes.push_back(shape[static_cast<size_t>(dim)]);
  return at(sizes, [&](const Index& index) {
    Index own(index.size());
    for (size_t dim = 0; dim < index.size(); ++dim)
      own[static_cast<size_t>(permutation[dim])] = index[dim];
    return own;
  });
}

void Ref::load(int64_t place, std::byte* element) const {
  const Array& from = place == kOutside ? pad : place == kTail ? tail : memory;
  const auto* bits = static_cast<const std::byte*>(from.data());
  if (place >= 0)
    bits += place * byte_width(dtype);
  std::memcpy(element, bits, static_cast<size_t>(byte_width(dtype)));
  if (is_float(dtype) || !is_float(from.dtype()))
    return;
  visit_dtype(from.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (is_float(dtype_of<T>())) {
      T value;
      std::memcpy(&value, element, sizeof(T));
      scalar::HostBuilder b;
      auto canonical = scalar::canonical_bits<dtype_of<T>()>(b, value);
      std::memcpy(element, &canonical, sizeof(T));
    }
  });
}

void Ref::store(int64_t place, const std::byte* element) const {
  Array shared = memory;
  std::memcpy(static_cast<std::byte*>(shared.mutable_data()) + place * byte_width(dtype), element,
              static_cast<size_t>(byte_width(dtype)));
}

} // namespace kolam::interp
