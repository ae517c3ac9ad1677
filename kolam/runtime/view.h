/// Memory of the caller's that is read or written as an array: where each element lies.
#pragma once

#include "kolam/runtime/array.h"

#include <concepts>
#include <ranges>
#include <source_location>
#include <span>
#include <type_traits>
#include <vector>

namespace kolam::runtime {

/// Elements in memory that others own: [i, j] lies at data + i byte_strides[0] + j byte_strides[1].
struct Memory {
  std::byte* data = nullptr;
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  std::vector<int64_t> byte_strides;
  /// As many elements, row-major, of whatever shape: what a span is.
  bool has_any_shape = false;
};

/// Whether the elements lie one after the other in row-major order, each at a multiple of its
/// width.
bool is_dense(const Memory& memory);
/// Whether two elements of one memory, or of two, share a byte. Exact.
bool overlaps_itself(const Memory& memory);
bool overlap(const Memory& a, const Memory& b);

/// The elements as an array: where they lie densely without a copy, so that the memory must
/// outlive it and stay as it is; else copied.
Array borrow(const Memory& memory);
Array copy_in(const Memory& memory);
/// Writes the elements of an array of the memory's dtype; of its shape, or of as many elements
/// where that is open. The array lies elsewhere.
void copy_out(const Array& array, const Memory& memory);

/// Throws `[null-data]` for elements at null, `[rank-mismatch]` unless there is a stride for every
/// dim, `[extent-negative]`, and `[extent-overflow]` where an element lies beyond 63 bits. Strides
/// are in elements; without them the elements lie densely.
Memory checked_memory(const void* data, DType dtype, std::vector<int64_t> shape,
                      const std::vector<int64_t>* strides, const std::source_location& here);

/// A strided view of memory that the caller owns: a pointer, extents, and strides in elements.
///
///     View(data, {rows, columns})                  row-major
///     View(data, {rows, columns}, {1, rows})       column by column
///     View(data + 3, {rows}, {4})                  column 3 of rows of 4
///
/// [i, j] is data[i strides[0] + j strides[1]]; strides may be zero or negative. A `View<const T>`
/// is for reading only. Array functions and jitted functions take views as arguments; `into`
/// writes results to them. Throws `[null-data]`, `[rank-mismatch]` where strides and extents differ
/// in number, `[extent-negative]`, `[extent-overflow]`.
template <class T> class View {
  static_assert(ArrayElement<std::remove_const_t<T>>,
                "expected a type of elements: bool, an integer of 8 to 64 bits, float, double, "
                "kolam::Float16 or kolam::BFloat16");

public:
  View(T* data, std::vector<int64_t> shape,
       std::source_location here = std::source_location::current())
      : memory_(checked_memory(data, dtype_of<std::remove_const_t<T>>(), std::move(shape), nullptr,
                               here)) {}
  View(T* data, std::vector<int64_t> shape, const std::vector<int64_t>& strides,
       std::source_location here = std::source_location::current())
      : memory_(checked_memory(data, dtype_of<std::remove_const_t<T>>(), std::move(shape), &strides,
                               here)) {}
  /// For reading.
  template <class Other>
    requires(std::is_const_v<T> && std::is_same_v<Other, std::remove_const_t<T>>)
  View(const View<Other>& view) : memory_(view.memory()) {}

  T* data() const { return reinterpret_cast<T*>(memory_.data); }
  const std::vector<int64_t>& shape() const { return memory_.shape; }
  const Memory& memory() const { return memory_; }

private:
  Memory memory_;
};

namespace detail {

template <class T> struct ViewElement {};
template <class T> struct ViewElement<View<T>> {
  using Type = T;
};

} // namespace detail

template <class T>
concept StridedView = requires { typename detail::ViewElement<std::remove_cvref_t<T>>::Type; };

/// Spans, vectors, arrays of elements: rank 1, one element after the other.
template <class R>
concept ElementRange =
    std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    ArrayElement<std::remove_cv_t<std::remove_reference_t<std::ranges::range_reference_t<R>>>>;

/// What holds elements that array functions can read.
template <class T>
concept Readable = StridedView<T> || ElementRange<const std::remove_reference_t<T>&>;

/// The elements of a range or view, to be read, or written where the range lets.
template <Readable T>
Memory memory_of(T&& elements, std::source_location here = std::source_location::current()) {
  if constexpr (StridedView<T>) {
    return elements.memory();
  } else {
    using E = std::remove_cv_t<std::ranges::range_value_t<T>>;
    Memory memory =
        checked_memory(std::ranges::data(elements), dtype_of<E>(),
                       {static_cast<int64_t>(std::ranges::size(elements))}, nullptr, here);
    memory.has_any_shape = true;
    return memory;
  }
}

} // namespace kolam::runtime
