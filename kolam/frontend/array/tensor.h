/// Tensors: what array functions take and give, an array with values or a value of a program being
/// traced.
#pragma once

#include "kolam/runtime/array.h"
#include "kolam/runtime/view.h"
#include "kolam/support/error.h"
#include "kolam/support/extent.h"

#include <concepts>
#include <memory>
#include <optional>
#include <ostream>
#include <source_location>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kolam {

using runtime::Array;
using runtime::View;

class Operand;
struct TracedValue; // frontend/array/trace.h

/// An array, or inside `jit` a value that only the running program will know.
///
/// dtype, rank and shape are known in both cases. Asking a traced value for its elements throws
/// `[traced-value]`; using one after its trace has ended throws `[escaped-tracer]`.
class Tensor {
public:
  Tensor() = default;
  Tensor(Array array) : array_(std::move(array)) {}
  /// A number, of the dtype of its C++ type: `Tensor t = 1.0f` is float32[]. (Beside a tensor write
  /// the number itself, which takes the tensor's dtype.)
  template <ArrayElement T> Tensor(T number) : array_(Array::scalar(number)) {}
  /// The elements of a span, vector or array (rank 1), or of a View, copied.
  template <runtime::Readable M>
  Tensor(const M& elements, std::source_location here = std::source_location::current())
      : array_(runtime::copy_in(runtime::memory_of(elements, here))) {}
  explicit Tensor(std::shared_ptr<const TracedValue> traced) : traced_(std::move(traced)) {}

  /// A tensor has no truth value: ask `is_empty()`, or read a scalar with `item<bool>()`.
  explicit operator bool() const = delete;
  /// True for a handle that holds nothing.
  bool is_empty() const { return !traced_ && !array_; }
  bool is_traced() const { return traced_ != nullptr; }
  /// This and what follows throw `[empty-tensor]` for an empty handle.
  DType dtype(std::source_location here = std::source_location::current()) const;
  /// Extents; numbers, or expressions over symbols where dims are dynamic.
  Shape shape(std::source_location here = std::source_location::current()) const;
  int64_t rank(std::source_location here = std::source_location::current()) const {
    return static_cast<int64_t>(shape(here).size());
  }
  /// The number of elements: the product of the extents, 1 for rank 0.
  Extent numel(std::source_location here = std::source_location::current()) const {
    return element_count(shape(here));
  }
  /// The extent along `axis`, which counts from the end where it is negative; throws
  /// `[axis-out-of-range]`.
  Extent extent(int64_t axis, std::source_location here = std::source_location::current()) const;
  /// The elements; throws `[traced-value]`.
  const Array& array(std::source_location here = std::source_location::current()) const;
  /// As `array()`; a conversion cannot know the caller's line, so an error has none but `jit`'s.
  operator Array() const { return array(std::source_location()); }
  /// The only element; throws as `Array::item`, and `[traced-value]`.
  template <class T> T item(std::source_location here = std::source_location::current()) const {
    return elements("item", here).template item<T>(here);
  }
  /// The elements, or `Tensor(float32[n, 4], traced)`.
  std::string to_string() const;

  const std::shared_ptr<const TracedValue>& traced() const { return traced_; }

  /// The same tensor, whose leading extent data count, as they do that of a list's leaves: for
  /// `jit` it is no part of the type.
  Tensor counted() const {
    Tensor result = *this;
    result.is_counted_ = true;
    return result;
  }
  bool is_counted() const { return is_counted_; }
  /// The same tensor as the leaves of a list of this depth, whose offsets come behind it.
  Tensor of_list(int64_t depth) const {
    Tensor result = *this;
    result.list_depth_ = depth;
    return result;
  }
  /// 0 where it is not the leaves of a list.
  int64_t list_depth() const { return list_depth_; }

  // Operators (elementwise.cpp), where at least one side is a Tensor. Operands made at the user's
  // line carry that line.
  friend Tensor operator+(const Operand& x, const Operand& y);
  friend Tensor operator-(const Operand& x, const Operand& y);
  friend Tensor operator*(const Operand& x, const Operand& y);
  friend Tensor operator/(const Operand& x, const Operand& y);
  friend Tensor operator%(const Operand& x, const Operand& y);
  friend Tensor operator&(const Operand& x, const Operand& y);
  friend Tensor operator|(const Operand& x, const Operand& y);
  friend Tensor operator^(const Operand& x, const Operand& y);
  friend Tensor operator<<(const Operand& x, const Operand& y);
  friend Tensor operator>>(const Operand& x, const Operand& y);
  friend Tensor operator<(const Operand& x, const Operand& y);
  friend Tensor operator<=(const Operand& x, const Operand& y);
  friend Tensor operator>(const Operand& x, const Operand& y);
  friend Tensor operator>=(const Operand& x, const Operand& y);
  friend Tensor operator==(const Operand& x, const Operand& y);
  friend Tensor operator!=(const Operand& x, const Operand& y);
  friend Tensor operator-(const Operand& x);
  friend Tensor operator~(const Operand& x);

private:
  const Array& elements(std::string_view function, const std::source_location& here) const;

  Array array_;
  std::shared_ptr<const TracedValue> traced_;
  bool is_counted_ = false;
  int64_t list_depth_ = 0;
};

/// Numbers without a dtype of their own: `values` in the widest dtype of their kind (bool, i64,
/// f64), and the least and the greatest of them.
struct Numbers {
  Array values;
  std::variant<bool, int64_t, double> least, greatest;
};

/// An argument of an array function: a tensor, a scalar or an extent, and the user's line. A scalar
/// takes the dtype of the tensors beside it within its kind (a float beside integers is f32), and
/// so do an extent, as an integer, and a list of numbers; beside none a symbolic extent is i64.
class Operand {
public:
  using Here = std::source_location;

  Operand(Tensor tensor, Here here = Here::current())
      : value_(std::move(tensor)), where_{here.file_name(), static_cast<int>(here.line())} {}
  Operand(Array array, Here here = Here::current()) : Operand(Tensor(std::move(array)), here) {}
  /// Elements in memory of the caller's, copied.
  template <runtime::Readable M>
  Operand(const M& elements, Here here = Here::current()) : Operand(Tensor(elements, here), here) {}
  Operand(std::same_as<bool> auto scalar, Here here = Here::current())
      : value_(scalar), where_{here.file_name(), static_cast<int>(here.line())} {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Operand(T scalar, Here here = Here::current())
      : value_(integer(scalar)), where_{here.file_name(), static_cast<int>(here.line())} {}
  Operand(std::floating_point auto scalar, Here here = Here::current())
      : value_(static_cast<double>(scalar)),
        where_{here.file_name(), static_cast<int>(here.line())} {}

  /// Numbers, which are `alone` where nothing gives them a dtype.
  Operand(Array alone, std::shared_ptr<const Numbers> numbers)
      : value_(Tensor(std::move(alone))), numbers_(std::move(numbers)) {}

  Operand(const Extent& extent, Here here = Here::current())
      : where_{here.file_name(), static_cast<int>(here.line())} {
    if (auto number = extent.constant())
      value_ = *number;
    else
      value_ = extent;
  }

  /// Integers are int64_t, or uint64_t beyond its range; an Extent is symbolic: one that is a
  /// number is an int64_t.
  using Value = std::variant<Tensor, bool, int64_t, double, uint64_t, Extent>;
  const Value& value() const { return value_; }
  const SourceLocation& where() const { return where_; }
  /// Whether the operand keeps out of the promotion of those beside it, as places and conditions
  /// do.
  bool is_apart() const { return is_apart_; }
  Operand apart() const {
    Operand result = *this;
    result.is_apart_ = true;
    return result;
  }
  /// Null unless the operand is a list of numbers.
  const Numbers* numbers() const { return numbers_.get(); }
  /// Another tensor at the same line.
  Operand with(Tensor tensor) const {
    Operand result = *this;
    result.numbers_ = nullptr;
    result.value_ = std::move(tensor);
    return result;
  }

private:
  template <class T> static Value integer(T scalar) {
    if constexpr (std::is_signed_v<T> || sizeof(T) < sizeof(int64_t))
      return static_cast<int64_t>(scalar);
    else if (std::in_range<int64_t>(scalar))
      return static_cast<int64_t>(scalar);
    else
      return static_cast<uint64_t>(scalar);
  }

  Value value_;
  SourceLocation where_;
  std::shared_ptr<const Numbers> numbers_;
  bool is_apart_ = false;
};

/// A parameter of the program being traced as a scalar without a dtype of its own. `x` is i64, u64
/// or f64, of rank 0; an array function casts it as it does a scalar, to the dtype of the tensors
/// beside it within its kind. `like`, a scalar, says what it is beside nothing (i32, f32), and
/// which dtypes hold it: each throws `[scalar-does-not-fit]` for every number or for none that this
/// program is for.
Tensor as_scalar(const Tensor& x, const Operand& like);
/// A number inside a trace, as a scalar without a dtype of its own; a bool has one.
Tensor number_tensor(const Operand& number);
/// What `as_scalar` made as a tensor of `dtype`, or of its default dtype; any other operand as it
/// is. Throws `[scalar-does-not-fit]`.
Operand with_dtype(const Operand& operand, std::optional<DType> dtype = {});
/// True where a scalar beside tensors of `dtype` throws no `[scalar-does-not-fit]`.
bool scalar_fits(const Operand& scalar, DType dtype);

/// The number of elements, as `x.numel()`.
inline Extent numel(const Tensor& x, std::source_location here = std::source_location::current()) {
  return x.numel(here);
}

// What tensors, arrays and what they are made of print.
inline std::ostream& operator<<(std::ostream& out, DType dtype) { return out << name(dtype); }
inline std::ostream& operator<<(std::ostream& out, const Extent& extent) {
  return out << extent.to_string();
}
inline std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << to_string(shape);
}
inline std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << tensor.to_string();
}

namespace runtime {
inline std::ostream& operator<<(std::ostream& out, const Array& array) {
  return out << array.to_string();
}
} // namespace runtime

} // namespace kolam
