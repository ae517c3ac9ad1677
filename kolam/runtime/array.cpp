// Makes, views and compares host arrays.
#include "kolam/runtime/array.h"

#include "kolam/runtime/memory.h"
#include "kolam/runtime/strided_copy.h"
#include "kolam/support/axis.h"
#include "kolam/support/error.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

namespace kolam::runtime {
namespace {

/// Elements of so many bytes at most lie in one block with what holds them, which is then served as
/// small blocks are. The address sanitizer sees the ends of blocks alone.
#if defined(__SANITIZE_ADDRESS__)
constexpr int64_t kMostBehind = -1; // bound: none
#elif defined(__has_feature)
constexpr int64_t kMostBehind = __has_feature(address_sanitizer) ? -1 : 512; // bound: bytes
#else
constexpr int64_t kMostBehind = 512; // bound: bytes
#endif

/// Allocates an object and, aligned behind it, `bytes` for elements; says where these are before
/// the object is made.
template <class T> struct Behind {
  using value_type = T;
  int64_t bytes;
  std::byte** place;

  Behind(int64_t room, std::byte** where) : bytes(room), place(where) {}
  template <class Other>
  Behind(const Behind<Other>& other) : bytes(other.bytes), place(other.place) {}
  template <class Other> bool operator==(const Behind<Other>&) const { return true; }

  T* allocate(size_t) {
    constexpr auto kAlignment = static_cast<uintptr_t>(kBufferAlignment);
    auto* block =
        static_cast<std::byte*>(std::malloc(sizeof(T) + kAlignment + static_cast<size_t>(bytes)));
    if (!block)
      throw std::bad_alloc();
    const auto end = reinterpret_cast<uintptr_t>(block + sizeof(T));
    *place = block + sizeof(T) + (kAlignment - end % kAlignment) % kAlignment;
    return reinterpret_cast<T*>(block);
  }
  void deallocate(T* object, size_t) { std::free(object); }
};

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

std::string array_text(DType dtype, const std::vector<int64_t>& shape) {
  return "an array of shape " + shape_text(shape) + " and dtype " + std::string(name(dtype));
}

void require_data(const void* data, int64_t size, const CallLine& here) {
  if (data || size == 0)
    return;
  CallScope scope("Array", user_line(here.line));
  fail(ErrorKind::value, "null-data",
       "expected " + std::to_string(size) + " elements in memory, but got a null pointer");
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

using Extents = std::shared_ptr<const std::vector<int64_t>>;

/// Shapes of arrays that a thread made lately.
struct RecentShapes {
  std::array<Extents, 8> shapes;
  RecentShapes() { is_there = true; }
  ~RecentShapes() { is_there = false; }
  /// Whether the thread's still are: it may make arrays while it ends.
  static thread_local bool is_there;
};
thread_local bool RecentShapes::is_there = false;

/// The extents of an array, shared with those before it of that shape: most are of one that comes
/// again and again.
Extents shared_extents(std::vector<int64_t> shape) {
  if (shape.empty())
    return nullptr;
  static thread_local RecentShapes recent;
  if (!RecentShapes::is_there)
    return std::make_shared<const std::vector<int64_t>>(std::move(shape));
  uint64_t place = shape.size();
  for (int64_t extent : shape)
    place = place * 31 + static_cast<uint64_t>(extent);
  Extents& extents = recent.shapes[(place ^ place >> 5) % recent.shapes.size()];
  if (!extents || *extents != shape)
    extents = std::make_shared<const std::vector<int64_t>>(std::move(shape));
  return extents;
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
  if (!foreign_ && data_)
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
      shape_(shared_extents(std::move(shape))), dtype_(dtype) {}

const std::vector<int64_t>& Array::no_extents() {
  static const std::vector<int64_t> none;
  return none;
}

Array Array::uninitialized(DType dtype, std::vector<int64_t> shape, CallLine here) {
  struct Own : Buffer { // with what counts its users in one block
    Own(std::byte* data, int64_t bytes) : Buffer(data, bytes, false, {}) {}
  };
  struct Small : Buffer { // with its elements, too
    Small(const Behind<Small>& room, int64_t bytes) : Buffer(*room.place, bytes, false, {}) {}
    ~Small() { data_ = nullptr; }
  };
  return located("Array", here.line, [&] {
    const int64_t size = checked_size(dtype, shape);
    const int64_t bytes = size * byte_width(dtype);
    if (bytes <= kMostBehind) {
      std::byte* place = nullptr;
      const Behind<Small> room{bytes, &place};
      return Array(std::allocate_shared<Small>(room, room, bytes), 0, dtype, std::move(shape),
                   size);
    }
    std::byte* data = try_allocate_aligned(bytes);
    if (!data)
      fail_out_of_memory(bytes, array_text(dtype, shape));
    return Array(std::make_shared<Own>(data, bytes), 0, dtype, std::move(shape), size);
  });
}

Array Array::zeros(DType dtype, std::vector<int64_t> shape, CallLine here) {
  Array array = uninitialized(dtype, std::move(shape), here);
  std::memset(array.bytes(), 0, static_cast<size_t>(array.byte_count()));
  return array;
}

Array Array::copy_of(DType dtype, std::vector<int64_t> shape, const void* data, CallLine here) {
  Array array = uninitialized(dtype, std::move(shape), here);
  if (array.size() == 0)
    return array;
  require_data(data, array.size(), here);
  std::memcpy(array.bytes(), data, static_cast<size_t>(array.byte_count()));
  if (dtype == DType::boolean)
    clean_booleans(array.bytes(), array.size());
  return array;
}

Array Array::adopt(DType dtype, std::vector<int64_t> shape, void* data,
                   std::function<void()> deleter, CallLine here) {
  // A buffer of unknown size first: from here on every way out runs the deleter.
  std::shared_ptr<Buffer> buffer = Buffer::adopt(data, 0, std::move(deleter));
  const int64_t size = located("Array", here.line, [&] { return checked_size(dtype, shape); });
  require_data(data, size, here);
  const auto width = static_cast<uintptr_t>(byte_width(dtype));
  if (size > 0 && reinterpret_cast<uintptr_t>(data) % width != 0)
    return copy_of(dtype, std::move(shape), data, here);
  if (dtype == DType::boolean && !is_clean_boolean(static_cast<const uint8_t*>(data), size))
    return copy_of(dtype, std::move(shape), data, here);
  buffer->bytes_ = size * byte_width(dtype);
  return Array(std::move(buffer), 0, dtype, std::move(shape), size);
}

Array Array::copy_strided(DType dtype, std::vector<int64_t> shape, const void* data,
                          const std::vector<int64_t>& byte_strides, CallLine here) {
  if (shape.size() != byte_strides.size())
    located("Array", here.line, [&] {
      fail(ErrorKind::value, "rank-mismatch",
           "expected a stride for each of " + std::to_string(shape.size()) + " dims, but got " +
               std::to_string(byte_strides.size()));
    });
  Array array = uninitialized(dtype, std::move(shape), here);
  if (array.size() == 0)
    return array;
  require_data(data, array.size(), here);
  const int width = byte_width(dtype);
  runtime::copy_strided(width, array.shape(), array.bytes(),
                        row_major_strides(width, array.shape()),
                        static_cast<const std::byte*>(data), byte_strides);
  if (dtype == DType::boolean)
    clean_booleans(array.bytes(), array.size());
  return array;
}

Array Array::view(std::shared_ptr<Buffer> buffer, int64_t byte_offset, DType dtype,
                  std::vector<int64_t> shape, CallLine here) {
  return located("Array", here.line, [&] {
    const int64_t size = checked_size(dtype, shape);
    const int64_t bytes = buffer ? buffer->bytes() : 0;
    const int width = byte_width(dtype);
    if (!buffer || byte_offset < 0 || byte_offset > bytes || size * width > bytes - byte_offset ||
        byte_offset % width != 0)
      fail(ErrorKind::value, "buffer-mismatch",
           "expected a buffer that holds " + array_text(dtype, shape) + " at a multiple of " +
               std::to_string(width) + " bytes, but got one of " + std::to_string(bytes) +
               " bytes and offset " + std::to_string(byte_offset));
    return Array(std::move(buffer), byte_offset, dtype, std::move(shape), size);
  });
}

Array Array::of_size(DType dtype, size_t count, std::vector<int64_t> shape, const CallLine& here) {
  located("Array", here.line, [&] {
    if (const int64_t size = checked_size(dtype, shape); size != static_cast<int64_t>(count))
      fail(ErrorKind::value, "shape-mismatch",
           "expected " + std::to_string(size) + " values for shape " + shape_text(shape) +
               ", but got " + std::to_string(count));
  });
  return uninitialized(dtype, std::move(shape), here);
}

void Array::fail_ragged(size_t columns, size_t other, const CallLine& here) {
  CallScope scope("Array", user_line(here.line));
  fail(ErrorKind::value, "ragged-nest",
       "expected rows of " + std::to_string(columns) + " values, but got one of " +
           std::to_string(other));
}

void Array::require_held() const {
  if (!buffer_)
    fail(ErrorKind::value, "empty-tensor",
         "expected an array, but got an empty handle, which has no elements");
}

void Array::fail_values(std::string_view function, DType dtype, const CallLine& here) const {
  CallScope scope(function, user_line(here.line));
  require_held();
  fail(ErrorKind::type, "dtype-mismatch",
       "expected an array of dtype " + std::string(name(dtype)) + ", but got " +
           std::string(name(dtype_)));
}

void Array::fail_single(const CallLine& here) const {
  CallScope scope("item", user_line(here.line));
  fail(ErrorKind::type, "item-size",
       "expected an array of one element, but got shape " + shape_text(this->shape()));
}

int64_t Array::extent(int64_t axis, std::source_location here) const {
  return located("extent", here, [&] {
    require_held();
    return shape()[static_cast<size_t>(normalize_axis(axis, rank()))];
  });
}

Array Array::reshaped(std::vector<int64_t> shape, CallLine here) const {
  return located("reshaped", here.line, [&] {
    require_held();
    if (checked_size(dtype_, shape) != size_)
      fail(ErrorKind::value, "shape-mismatch",
           "expected a shape of " + std::to_string(size_) + " elements, as " +
               shape_text(this->shape()) + " has, but got " + shape_text(shape));
    return Array(buffer_, byte_offset_, dtype_, std::move(shape), size_);
  });
}

Array Array::slice_outer(int64_t i, CallLine here) const {
  return located("slice_outer", here.line, [&] {
    require_held();
    if (rank() == 0 || i < 0 || i >= shape()[0])
      fail(ErrorKind::index, "index-out-of-range",
           "expected an index into dim 0 of shape " + shape_text(this->shape()) + ", but got " +
               std::to_string(i));
    const int64_t size = size_ / shape()[0];
    return Array(buffer_, byte_offset_ + i * size * byte_width(dtype_), dtype_,
                 {shape().begin() + 1, shape().end()}, size);
  });
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
