// Checks views of memory, compares where they lie, and copies them.
#include "kolam/runtime/view.h"

#include "kolam/runtime/strided_copy.h"
#include "kolam/support/error.h"

#include <algorithm>
#include <numeric>

namespace kolam::runtime {
namespace {

/// Bound: no element lies farther from the first: sums of a pointer and such distances fit in 64
/// bits.
constexpr int64_t kFarthest = int64_t{1} << 61;
constexpr std::string_view kFar = "expected elements that 63 bits can address, but got shape ";

/// The bytes [first, last) that elements lie in, as addresses; empty for no elements.
struct Reach {
  intptr_t first = 0, last = 0;
};

Reach reach_of(const Memory& memory) {
  auto start = reinterpret_cast<intptr_t>(memory.data);
  Reach reach{start, start + byte_width(memory.dtype)};
  for (size_t k = 0; k < memory.shape.size(); ++k) {
    if (memory.shape[k] == 0)
      return {};
    const int64_t far = (memory.shape[k] - 1) * memory.byte_strides[k];
    (far < 0 ? reach.first : reach.last) += far;
  }
  return reach;
}

/// The addresses of all elements, sorted.
std::vector<intptr_t> addresses_of(const Memory& memory) {
  std::vector<intptr_t> addresses{reinterpret_cast<intptr_t>(memory.data)};
  for (size_t k = 0; k < memory.shape.size(); ++k) {
    const size_t count = addresses.size();
    addresses.reserve(count * static_cast<size_t>(memory.shape[k]));
    for (int64_t i = 1; i < memory.shape[k]; ++i)
      for (size_t j = 0; j < count; ++j)
        addresses.push_back(addresses[j] + i * memory.byte_strides[k]);
    if (memory.shape[k] == 0)
      return {};
  }
  std::sort(addresses.begin(), addresses.end());
  return addresses;
}

/// Dims that go further than all smaller ones together cannot meet them: the usual layouts.
bool steps_over_inner_dims(const Memory& memory) {
  std::vector<std::pair<int64_t, int64_t>> dims; // stride, extent
  for (size_t k = 0; k < memory.shape.size(); ++k)
    if (memory.shape[k] > 1)
      dims.emplace_back(std::abs(memory.byte_strides[k]), memory.shape[k]);
  std::sort(dims.begin(), dims.end());
  int64_t inner = byte_width(memory.dtype);
  for (auto [stride, extent] : dims) {
    if (stride < inner)
      return false;
    inner += (extent - 1) * stride;
  }
  return true;
}

/// Elements that start a multiple of `step` apart but for an offset, which keeps them disjoint.
bool are_interleaved(const Memory& a, const Memory& b) {
  int64_t step = 0;
  for (const Memory* memory : {&a, &b})
    for (size_t k = 0; k < memory->shape.size(); ++k)
      if (memory->shape[k] > 1)
        step = std::gcd(step, memory->byte_strides[k]);
  if (step == 0)
    return false;
  const auto distance = reinterpret_cast<intptr_t>(b.data) - reinterpret_cast<intptr_t>(a.data);
  const int64_t offset = (distance % step + step) % step;
  return offset >= byte_width(a.dtype) && step - offset >= byte_width(b.dtype);
}

} // namespace

bool is_dense(const Memory& memory) {
  const int width = byte_width(memory.dtype);
  if (reinterpret_cast<uintptr_t>(memory.data) % static_cast<uintptr_t>(width) != 0)
    return false;
  int64_t stride = width;
  for (size_t k = memory.shape.size(); k-- > 0;) {
    if (memory.shape[k] > 1 && memory.byte_strides[k] != stride)
      return std::find(memory.shape.begin(), memory.shape.end(), 0) != memory.shape.end();
    stride *= std::max<int64_t>(memory.shape[k], 1);
  }
  return true;
}

bool overlaps_itself(const Memory& memory) {
  if (steps_over_inner_dims(memory))
    return false;
  const std::vector<intptr_t> addresses = addresses_of(memory);
  for (size_t i = 1; i < addresses.size(); ++i)
    if (addresses[i] - addresses[i - 1] < byte_width(memory.dtype))
      return true;
  return false;
}

bool overlap(const Memory& a, const Memory& b) {
  const Reach of_a = reach_of(a), of_b = reach_of(b);
  if (of_a.first >= of_b.last || of_b.first >= of_a.last)
    return false;
  if (is_dense(a) && is_dense(b))
    return true;
  if (are_interleaved(a, b))
    return false;
  const std::vector<intptr_t> x = addresses_of(a), y = addresses_of(b);
  for (size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    if (x[i] + byte_width(a.dtype) <= y[j])
      ++i;
    else if (y[j] + byte_width(b.dtype) <= x[i])
      ++j;
    else
      return true;
  }
  return false;
}

Array copy_in(const Memory& memory) {
  return Array::copy_strided(memory.dtype, memory.shape, memory.data, memory.byte_strides);
}

Array borrow(const Memory& memory) {
  if (!is_dense(memory))
    return copy_in(memory);
  return Array::adopt(memory.dtype, memory.shape, memory.data, {});
}

void copy_out(const Array& array, const Memory& memory) {
  const int width = byte_width(memory.dtype);
  KOLAM_CHECK(array.dtype() == memory.dtype);
  KOLAM_CHECK(memory.has_any_shape ? array.size() == memory.shape[0]
                                   : array.shape() == memory.shape);
  copy_strided(width, memory.shape, memory.data, memory.byte_strides,
               static_cast<const std::byte*>(array.data()), row_major_strides(width, memory.shape));
}

Memory checked_memory(const void* data, DType dtype, std::vector<int64_t> shape,
                      const std::vector<int64_t>* strides, const std::source_location& here) {
  return located("View", here, [&] {
    const int64_t size = checked_size(dtype, shape);
    const int64_t width = byte_width(dtype);
    if (strides && strides->size() != shape.size())
      fail(ErrorKind::value, "rank-mismatch",
           "expected a stride for each of " + std::to_string(shape.size()) + " dims, but got " +
               std::to_string(strides->size()));
    if (size > 0 && !data)
      fail(ErrorKind::value, "null-data",
           "expected " + std::to_string(size) + " elements in memory, but got a null pointer");
    Memory memory{static_cast<std::byte*>(const_cast<void*>(data)), dtype, std::move(shape), {}};
    if (!strides) {
      memory.byte_strides = row_major_strides(static_cast<int>(width), memory.shape);
      return memory;
    }
    int64_t before = 0, behind = width;
    for (size_t k = 0; k < memory.shape.size(); ++k) {
      int64_t bytes = 0, far = 0;
      int64_t& side = (*strides)[k] < 0 ? before : behind;
      if (__builtin_mul_overflow((*strides)[k], width, &bytes) ||
          __builtin_mul_overflow(bytes, std::max<int64_t>(memory.shape[k], 1) - 1, &far) ||
          __builtin_add_overflow(side, far, &side) || side > kFarthest || side < -kFarthest)
        fail(ErrorKind::value, "extent-overflow",
             std::string(kFar) + shape_text(memory.shape) + " with strides " +
                 shape_text(*strides));
      memory.byte_strides.push_back(bytes);
    }
    return memory;
  });
}

} // namespace kolam::runtime
