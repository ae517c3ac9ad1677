/// Arrays on the host: a shared buffer, an offset, a dtype and a shape; always contiguous,
/// row-major.
#pragma once

#include "kolam/runtime/memory.h"
#include "kolam/support/dtype.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kolam::runtime {

/// The user's line, where it is the default of an argument; unlike the type it holds it is not made
/// of `{}`.
struct CallLine {
  CallLine(const std::source_location& here) : line(here) {}
  std::source_location line;
};

/// A block of memory: allocated here, or foreign with a deleter. Shared by all arrays that view it;
/// the last one frees it.
class Buffer {
public:
  /// Uninitialised, aligned to kBufferAlignment. Throws `[out-of-memory]`, naming `what`.
  static std::shared_ptr<Buffer> allocate(int64_t bytes, std::string_view what);
  /// Takes foreign memory over; `deleter` runs once, when the last user goes, on that user's
  /// thread. It must not throw.
  static std::shared_ptr<Buffer> adopt(void* data, int64_t bytes, std::function<void()> deleter);

  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  /// True where somebody else allocated the memory and may still write it.
  bool is_foreign() const { return foreign_; }

private:
  friend class Array; // adopt learns the size after taking ownership
  Buffer(std::byte* data, int64_t bytes, bool foreign, std::function<void()> deleter)
      : data_(data), bytes_(bytes), foreign_(foreign), deleter_(std::move(deleter)) {}

  std::byte* data_;
  int64_t bytes_;
  bool foreign_;
  std::function<void()> deleter_;
};

/// The number of elements, 1 for rank 0. Throws `[extent-negative]`, and `[extent-overflow]` where
/// the byte count with every zero extent taken as one exceeds 63 bits (so no index or stride of
/// such an array can overflow).
int64_t checked_size(DType dtype, const std::vector<int64_t>& shape);

/// `[2, 3]`.
std::string shape_text(const std::vector<int64_t>& shape);

/// A dense array: a handle that is copied in constant time and shares its memory.
///
/// Invariants: the elements are contiguous and row-major, every extent is >= 0, a boolean's byte is
/// 0 or 1. The value does not change once the array is handed out; `mutable_data` is for whoever
/// makes it. A default-made or moved-from Array is the empty handle, which converts to false and
/// has neither dtype nor shape.
class Array {
public:
  Array() = default;
  /// The values, of the dtype of their C++ type: `Array({1, 2})` is int32[2].
  template <ArrayElement T> Array(std::initializer_list<T> values);
  /// Row by row: `Array({{1, 2}, {3, 4}})`. Throws `[ragged-nest]` where rows differ in length.
  template <ArrayElement T>
  Array(std::initializer_list<std::initializer_list<T>> rows,
        CallLine here = std::source_location::current());
  explicit operator bool() const { return buffer_ != nullptr; }

  /// Memory of unspecified content, aligned to kBufferAlignment. Throws `[extent-negative]`,
  /// `[extent-overflow]`, or
  /// `[out-of-memory]` with both figures where the machine has not so much memory available; it
  /// never overcommits.
  static Array uninitialized(DType dtype, std::vector<int64_t> shape,
                             CallLine here = std::source_location::current());
  static Array zeros(DType dtype, std::vector<int64_t> shape,
                     CallLine here = std::source_location::current());
  /// Copies row-major elements; `data` need not be aligned. Throws `[null-data]` for elements at
  /// null.
  static Array copy_of(DType dtype, std::vector<int64_t> shape, const void* data,
                       CallLine here = std::source_location::current());
  /// Views foreign row-major memory without a copy and runs `deleter` when the last view goes
  /// (also where this throws). Misaligned memory, and booleans with bytes other than 0 and 1, are
  /// copied instead. Throws `[null-data]`.
  static Array adopt(DType dtype, std::vector<int64_t> shape, void* data,
                     std::function<void()> deleter,
                     CallLine here = std::source_location::current());
  /// Copies elements that lie anyhow: out[i, j] is read at data + i strides[0] + j strides[1].
  /// Strides are in bytes, may be zero or negative, and need not be multiples of the width. Throws
  /// `[rank-mismatch]` unless there is one for each dim, `[null-data]`.
  static Array copy_strided(DType dtype, std::vector<int64_t> shape, const void* data,
                            const std::vector<int64_t>& byte_strides,
                            CallLine here = std::source_location::current());
  /// Views `buffer` from `byte_offset`, which must keep the dtype's alignment. Throws
  /// `[buffer-mismatch]` where the buffer does not hold such an array there.
  static Array view(std::shared_ptr<Buffer> buffer, int64_t byte_offset, DType dtype,
                    std::vector<int64_t> shape, CallLine here = std::source_location::current());

  /// The values in row-major order: `Array::of<float>({1, 2, 3, 4}, {2, 2})`; rank 1 without a
  /// shape. Throws
  /// `[shape-mismatch]` where their number is not the shape's.
  template <class T>
  static Array of(std::initializer_list<T> values, std::vector<int64_t> shape,
                  CallLine here = std::source_location::current());
  template <class T>
  static Array of(const std::vector<T>& values, std::vector<int64_t> shape,
                  CallLine here = std::source_location::current());
  template <class T> static Array of(std::initializer_list<T> values);
  template <class T> static Array of(const std::vector<T>& values);
  /// A rank-0 array.
  template <class T> static Array scalar(T value) { return of<T>({value}, {}); }

  /// An empty handle has no dtype: it gives that of the default constructor.
  DType dtype() const { return dtype_; }
  const std::vector<int64_t>& shape() const { return shape_ ? *shape_ : no_extents(); }
  int64_t rank() const { return static_cast<int64_t>(shape().size()); }
  /// The extent along `axis`, which counts from the end where it is negative; throws
  /// `[axis-out-of-range]`.
  int64_t extent(int64_t axis, std::source_location here = std::source_location::current()) const;
  /// Elements.
  int64_t size() const { return size_; }
  /// The same, as of Tensors.
  int64_t numel() const { return size_; }
  int64_t byte_count() const { return size_ * byte_width(dtype_); }

  const void* data() const { return bytes(); }
  /// For whoever fills the array before it is handed out.
  void* mutable_data() { return bytes(); }
  const std::shared_ptr<Buffer>& buffer() const { return buffer_; }
  /// Where in the buffer the elements start, in bytes.
  int64_t byte_offset() const { return byte_offset_; }

  /// The elements; throws `[dtype-mismatch]` where T does not store the dtype, and, as all that
  /// follow, `[empty-tensor]` for an empty handle.
  template <class T>
  std::span<const T> values(CallLine here = std::source_location::current()) const {
    if (!holds(dtype_of<T>())) [[unlikely]]
      fail_values("values", dtype_of<T>(), here);
    return {static_cast<const T*>(data()), static_cast<size_t>(size_)};
  }
  template <class T> std::span<T> mutable_values(CallLine here = std::source_location::current()) {
    if (!holds(dtype_of<T>())) [[unlikely]]
      fail_values("mutable_values", dtype_of<T>(), here);
    return {static_cast<T*>(mutable_data()), static_cast<size_t>(size_)};
  }
  /// The only element; throws `[item-size]` where the size is not 1.
  template <class T> T item(CallLine here = std::source_location::current()) const {
    if (!holds(dtype_of<T>())) [[unlikely]]
      fail_values("item", dtype_of<T>(), here);
    if (size_ != 1) [[unlikely]]
      fail_single(here);
    return *static_cast<const T*>(data());
  }

  /// The same elements in another shape of the same size, sharing memory; throws
  /// `[shape-mismatch]`.
  Array reshaped(std::vector<int64_t> shape, CallLine here = std::source_location::current()) const;
  /// The sub-array at index i of dim 0, sharing memory; throws `[index-out-of-range]` (no negative
  /// indices here).
  Array slice_outer(int64_t i, CallLine here = std::source_location::current()) const;

  /// As NumPy's `str`: more than 1000 elements are summarised to three at each edge, lines wrap at
  /// 75 columns.
  std::string to_string() const;
  /// The same, summarised however few the elements are.
  std::string summary() const;

private:
  Array(std::shared_ptr<Buffer> buffer, int64_t byte_offset, DType dtype,
        std::vector<int64_t> shape, int64_t size);

  std::byte* bytes() const { return buffer_ ? buffer_->data() + byte_offset_ : nullptr; }
  bool holds(DType dtype) const { return buffer_ != nullptr && dtype_ == dtype; }
  [[noreturn]] void fail_values(std::string_view function, DType dtype, const CallLine& here) const;
  [[noreturn]] void fail_single(const CallLine& here) const;
  void require_held() const;
  std::string text(bool is_summarised) const;
  static const std::vector<int64_t>& no_extents();
  static Array of_size(DType dtype, size_t count, std::vector<int64_t> shape, const CallLine& here);
  [[noreturn]] static void fail_ragged(size_t columns, size_t other, const CallLine& here);

  std::shared_ptr<Buffer> buffer_;
  int64_t byte_offset_ = 0;
  int64_t size_ = 0;
  std::shared_ptr<const std::vector<int64_t>> shape_; ///< shared, so that copies allocate nothing
  DType dtype_ = DType::f32;
};

/// Equal dtype, shape and elements, where elements are equal if their bits are or both are NaN (so
/// -0 is not +0). Two empty handles are equal.
bool same_bits(const Array& a, const Array& b);

template <class T>
Array Array::of(std::initializer_list<T> values, std::vector<int64_t> shape, CallLine here) {
  Array array = of_size(dtype_of<T>(), values.size(), std::move(shape), here);
  std::copy(values.begin(), values.end(), static_cast<T*>(array.mutable_data()));
  return array;
}

template <class T>
Array Array::of(const std::vector<T>& values, std::vector<int64_t> shape, CallLine here) {
  Array array = of_size(dtype_of<T>(), values.size(), std::move(shape), here);
  std::copy(values.begin(), values.end(), static_cast<T*>(array.mutable_data()));
  return array;
}

template <class T> Array Array::of(std::initializer_list<T> values) {
  return of(values, {static_cast<int64_t>(values.size())});
}

template <class T> Array Array::of(const std::vector<T>& values) {
  return of(values, {static_cast<int64_t>(values.size())});
}

template <ArrayElement T> Array::Array(std::initializer_list<T> values) : Array(of<T>(values)) {}

template <ArrayElement T>
Array::Array(std::initializer_list<std::initializer_list<T>> rows, CallLine here) {
  const size_t columns = rows.size() ? rows.begin()->size() : 0;
  *this = uninitialized(dtype_of<T>(),
                        {static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)}, here);
  auto* next = static_cast<T*>(mutable_data());
  for (const auto& row : rows) {
    if (row.size() != columns)
      fail_ragged(columns, row.size(), here);
    next = std::copy(row.begin(), row.end(), next);
  }
}

} // namespace kolam::runtime
