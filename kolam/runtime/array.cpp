// Makes, views and compares host arrays.
#include "kolam/runtime/array.h"

#include "kolam/runtime/memory.h"
#include "kolam/support/axis.h"
#include "kolam/support/error.h"

#include <cmath>
#include <cstring>

namespace kolam::runtime {
namespace {

/// Bytes other than 0 and 1 in a `bool` are undefined behaviour to C++; foreign memory may hold
/// any.
bool is_clean_boolean(const uint8_t* data, int64_t size) {
  uint8_t bits = 0;
  for (int64_t i = 0; i < size; ++i)
    bits |= data[i];
  return bits <= 1;
}

void clean_booleans(void* data, int64_t size) {
  auto* bytes = static_cast<uint8_t*>(data);
  for (int64_t i = 0; i < size; ++i)
    bytes[i] = bytes[i] != 0;
}

template <int Width>
void copy_line(std::byte* to, const std::byte* from, int64_t count, int64_t stride) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * Width, from + i * stride, Width);
}

void copy_line(int width, std::byte* to, const std::byte* from, int64_t count, int64_t stride) {
  if (stride == width)
    std::memcpy(to, from, static_cast<size_t>(count) * static_cast<size_t>(width));
  else if (width == 1)
    copy_line<1>(to, from, count, stride);
  else if (width == 2)
    copy_line<2>(to, from, count, stride);
  else if (width == 4)
    copy_line<4>(to, from, count, stride);
  else
    copy_line<8>(to, from, count, stride);
}

/// One dim of a strided copy, after dims that step as one have been merged.
struct CopyDim {
  int64_t extent;
  int64_t stride;
};

std::vector<CopyDim> merge_dims(const std::vector<int64_t>& shape,
                                const std::vector<int64_t>& strides) {
  std::vector<CopyDim> dims;
  for (size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == 1)
      continue;
    int64_t steps = 0;
    if (!dims.empty() && !__builtin_mul_overflow(strides[k], shape[k], &steps) &&
        dims.back().stride == steps)
      dims.back() = {dims.back().extent * shape[k], strides[k]};
    else
      dims.push_back({shape[k], strides[k]});
  }
  if (dims.empty())
    dims.push_back({1, 0});
  return dims;
}

/// Copies in row-major order of `dims`; none of them is empty.
void copy_dims(int width, std::byte* to, const std::byte* from, const std::vector<CopyDim>& dims) {
  const size_t outer = dims.size() - 1;
  const CopyDim line = dims[outer];
  std::vector<int64_t> index(outer, 0);
  while (true) {
    copy_line(width, to, from, line.extent, line.stride);
    to += line.extent * width;
    size_t k = outer;
    for (; k > 0; --k) {
      from += dims[k - 1].stride;
      if (++index[k - 1] < dims[k - 1].extent)
        break;
      from -= dims[k - 1].stride * dims[k - 1].extent;
      index[k - 1] = 0;
    }
    if (k == 0)
      return;
  }
}

std::string array_text(DType dtype, const std::vector<int64_t>& shape) {
  return "an array of shape " + shape_text(shape) + " and dtype " + std::string(name(dtype));
}

bool is_nan(float value) { return std::isnan(value); }
bool is_nan(double value) { return std::isnan(value); }
bool is_nan(Float16 value) { return (value.bits & 0x7fff) > 0x7c00; }
bool is_nan(BFloat16 value) { return (value.bits & 0x7fff) > 0x7f80; }

template <class T> bool same_values(const T* a, const T* b, int64_t size) {
  for (int64_t i = 0; i < size; ++i)
    if (std::memcmp(a + i, b + i, sizeof(T)) != 0 && !(is_nan(a[i]) && is_nan(b[i])))
      return false;
  return true;
}

} // namespace

std::shared_ptr<Buffer> Buffer::allocate(int64_t bytes, std::string_view what) {
  KOLAM_CHECK(bytes >= 0);
  return std::shared_ptr<Buffer>(new Buffer(allocate_aligned(bytes, what), bytes, false, {}));
}

std::shared_ptr<Buffer> Buffer::adopt(void* data, int64_t bytes, std::function<void()> deleter) {
  return std::shared_ptr<Buffer>(
      new Buffer(static_cast<std::byte*>(data), bytes, true, std::move(deleter)));
}

Buffer::~Buffer() {
  if (!foreign_)
    free_aligned(data_, bytes_);
  else if (deleter_)
    deleter_();
}

int64_t checked_size(DType dtype, const std::vector<int64_t>& shape) {
  int64_t size = 1;
  int64_t bytes = byte_width(dtype);
  for (int64_t extent : shape) {
    if (extent < 0)
      fail(ErrorKind::value, "extent-negative",
           "expected extents >= 0, but got shape " + shape_text(shape));
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes))
      fail(ErrorKind::value, "extent-overflow",
           array_text(dtype, shape) + " needs more than 2^63 - 1 bytes");
    size *= extent;
  }
  return size;
}

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t k = 0; k < shape.size(); ++k)
    text += (k > 0 ? ", " : "") + std::to_string(shape[k]);
  return text + "]";
}

Array::Array(std::shared_ptr<Buffer> buffer, int64_t byte_offset, DType dtype,
             std::vector<int64_t> shape, int64_t size)
    : buffer_(std::move(buffer)), byte_offset_(byte_offset), size_(size),
      shape_(shape.empty() ? nullptr
                           : std::make_shared<const std::vector<int64_t>>(std::move(shape))),
      dtype_(dtype) {}

const std::vector<int64_t>& Array::no_extents() {
  static const std::vector<int64_t> none;
  return none;
}

Array Array::uninitialized(DType dtype, std::vector<int64_t> shape) {
  const int64_t size = checked_size(dtype, shape);
  const int64_t bytes = size * byte_width(dtype);
  std::byte* data = try_allocate_aligned(bytes);
  if (!data)
    fail_out_of_memory(bytes, array_text(dtype, shape));
  std::shared_ptr<Buffer> buffer(new Buffer(data, bytes, false, {}));
  return Array(std::move(buffer), 0, dtype, std::move(shape), size);
}

Array Array::zeros(DType dtype, std::vector<int64_t> shape) {
  Array array = uninitialized(dtype, std::move(shape));
  std::memset(array.bytes(), 0, static_cast<size_t>(array.byte_count()));
  return array;
}

Array Array::copy_of(DType dtype, std::vector<int64_t> shape, const void* data) {
  Array array = uninitialized(dtype, std::move(shape));
  if (array.size() > 0)
    std::memcpy(array.bytes(), data, static_cast<size_t>(array.byte_count()));
  if (dtype == DType::boolean)
    clean_booleans(array.bytes(), array.size());
  return array;
}

Array Array::adopt(DType dtype, std::vector<int64_t> shape, void* data,
                   std::function<void()> deleter) {
  // A buffer of unknown size first: from here on every way out runs the deleter.
  std::shared_ptr<Buffer> buffer = Buffer::adopt(data, 0, std::move(deleter));
  const int64_t size = checked_size(dtype, shape);
  const auto width = static_cast<uintptr_t>(byte_width(dtype));
  if (size > 0 && reinterpret_cast<uintptr_t>(data) % width != 0)
    return copy_of(dtype, std::move(shape), data);
  if (dtype == DType::boolean && !is_clean_boolean(static_cast<const uint8_t*>(data), size))
    return copy_of(dtype, std::move(shape), data);
  buffer->bytes_ = size * byte_width(dtype);
  return Array(std::move(buffer), 0, dtype, std::move(shape), size);
}

Array Array::copy_strided(DType dtype, std::vector<int64_t> shape, const void* data,
                          const std::vector<int64_t>& byte_strides) {
  KOLAM_CHECK(shape.size() == byte_strides.size());
  Array array = uninitialized(dtype, std::move(shape));
  if (array.size() == 0)
    return array;
  copy_dims(byte_width(dtype), array.bytes(), static_cast<const std::byte*>(data),
            merge_dims(array.shape(), byte_strides));
  if (dtype == DType::boolean)
    clean_booleans(array.bytes(), array.size());
  return array;
}

Array Array::view(std::shared_ptr<Buffer> buffer, int64_t byte_offset, DType dtype,
                  std::vector<int64_t> shape) {
  const int64_t size = checked_size(dtype, shape);
  KOLAM_CHECK(buffer && byte_offset >= 0 && byte_offset <= buffer->bytes());
  KOLAM_CHECK(size * byte_width(dtype) <= buffer->bytes() - byte_offset);
  KOLAM_CHECK(byte_offset % byte_width(dtype) == 0);
  return Array(std::move(buffer), byte_offset, dtype, std::move(shape), size);
}

Array Array::of_size(DType dtype, size_t count, std::vector<int64_t> shape) {
  const int64_t size = checked_size(dtype, shape);
  if (size != static_cast<int64_t>(count))
    fail(ErrorKind::value, "shape-mismatch",
         "expected " + std::to_string(size) + " values for shape " + shape_text(shape) +
             ", but got " + std::to_string(count));
  return uninitialized(dtype, std::move(shape));
}

void Array::require_dtype(DType dtype) const {
  KOLAM_CHECK(buffer_ != nullptr);
  if (dtype != dtype_)
    fail(ErrorKind::type, "dtype-mismatch",
         "expected an array of dtype " + std::string(name(dtype)) + ", but got " +
             std::string(name(dtype_)));
}

void Array::require_single() const {
  KOLAM_CHECK(buffer_ != nullptr);
  if (size_ != 1)
    fail(ErrorKind::type, "item-size",
         "expected an array of one element, but got shape " + shape_text(this->shape()));
}

int64_t Array::extent(int64_t axis, std::source_location here) const {
  CallScope scope("extent", {here.file_name(), static_cast<int>(here.line())});
  return shape()[normalize_axis(axis, rank())];
}

Array Array::reshaped(std::vector<int64_t> shape) const {
  KOLAM_CHECK(buffer_ != nullptr);
  if (checked_size(dtype_, shape) != size_)
    fail(ErrorKind::value, "shape-mismatch",
         "expected a shape of " + std::to_string(size_) + " elements, as " +
             shape_text(this->shape()) + " has, but got " + shape_text(shape));
  return Array(buffer_, byte_offset_, dtype_, std::move(shape), size_);
}

Array Array::slice_outer(int64_t i) const {
  KOLAM_CHECK(buffer_ != nullptr);
  if (rank() == 0 || i < 0 || i >= shape()[0])
    fail(ErrorKind::index, "index-out-of-range",
         "expected an index into dim 0 of shape " + shape_text(this->shape()) + ", but got " +
             std::to_string(i));
  const int64_t size = size_ / shape()[0];
  return Array(buffer_, byte_offset_ + i * size * byte_width(dtype_), dtype_,
               {shape().begin() + 1, shape().end()}, size);
}

bool same_bits(const Array& a, const Array& b) {
  if (!a || !b)
    return !a && !b;
  if (a.dtype() != b.dtype() || a.shape() != b.shape())
    return false;
  const auto bytes = static_cast<size_t>(a.byte_count());
  if (bytes == 0 || std::memcmp(a.data(), b.data(), bytes) == 0)
    return true;
  switch (a.dtype()) {
  case DType::f16:
    return same_values(a.values<Float16>().data(), b.values<Float16>().data(), a.size());
  case DType::bf16:
    return same_values(a.values<BFloat16>().data(), b.values<BFloat16>().data(), a.size());
  case DType::f32:
    return same_values(a.values<float>().data(), b.values<float>().data(), a.size());
  case DType::f64:
    return same_values(a.values<double>().data(), b.values<double>().data(), a.size());
  default:
    return false;
  }
}

} // namespace kolam::runtime
