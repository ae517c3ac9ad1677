/// Refs: mutable views of the blocks that a kernel works on.
///
/// Source: Pallas, the kernel language of JAX; what it leaves open is decided in docs/kernels.md.
#pragma once

#include "kolam/frontend/array/index.h"

#include <functional>
#include <memory>
#include <source_location>

namespace kolam::pallas {

/// The elements start, start + stride, ... of a dim, `size` of them, for the index of a Ref.
/// Elements outside of the dim are read as the pad value, and writes to them are dropped.
struct Ds {
  Operand start;
  Extent size;
  int64_t stride = 1;
};
inline Ds ds(const Operand& start, Extent size, int64_t stride = 1) {
  return {start, std::move(size), stride};
}

/// An item of the index of a Ref: an integer, a slice, `ds`, an integer tensor, or `ellipsis`.
class RefIndex {
public:
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  RefIndex(T place) : value_(static_cast<int64_t>(place)) {}
  RefIndex(Slice slice) : value_(std::move(slice)) {}
  RefIndex(Ellipsis) : value_(Ellipsis()) {}
  RefIndex(Ds window) : value_(std::move(window)) {}
  RefIndex(Tensor places) : value_(std::move(places)) {}

  using Value = std::variant<int64_t, Slice, Ellipsis, Ds, Tensor>;
  const Value& value() const { return value_; }

private:
  Value value_;
};

/// A mutable view of elements of an array, inside a kernel.
///
/// Views share elements: what is written through one is read through the others. Integers count
/// from the end where negative, slices clip as Python's, integer tensors broadcast together and
/// stand where NumPy puts them; `ds` does not clip. A Ref is good until its kernel ends; later use
/// throws `[escaped-tracer]`.
class Ref {
public:
  using Here = std::source_location;

  DType dtype() const { return handle_.dtype(); }
  Shape shape() const { return handle_.shape(); }
  int64_t rank() const { return handle_.rank(); }
  /// Of a block: how many elements along each dim the array has, numbers or int32 scalars. Of other
  /// Refs the shape.
  std::vector<Operand> valid_shape() const;

  /// The view ref[items...]. Throws `[index-out-of-range]`, `[rank-mismatch]`, `[bad-index]`,
  /// `[bad-step]`.
  Ref at(const std::vector<RefIndex>& items, Here here = Here::current()) const;
  /// The same elements in row-major order in another shape; one extent may be -1.
  Ref reshape(const Shape& shape, Here here = Here::current()) const;
  /// Dim d of the view is dim `axes[d]`; reversed unless given.
  Ref transpose(const std::vector<int64_t>& axes = {}, Here here = Here::current()) const;
  /// The same bits as elements of another dtype. Of another width the last dim but one has as many
  /// more or fewer elements, and those of one wide element stand below one another, the low bits
  /// first; of rank 1 the only dim, and they stand side by side. What is outside of such a view is
  /// 0. Throws `[dtype-mismatch]` for booleans, `[shape-mismatch]` where the extent does not
  /// divide.
  Ref bitcast(DType dtype, Here here = Here::current()) const;

  /// The elements.
  Tensor get(Here here = Here::current()) const;
  /// Sets the elements, to which a scalar broadcasts. Throws `[shape-mismatch]` for a value of
  /// another shape and `[dtype-mismatch]`.
  void set(const Operand& value) const;

  /// What wraps the traced value, and says how much of a block is valid. Internal.
  using Valid = std::function<std::vector<Operand>()>;
  struct Recast;
  explicit Ref(Tensor handle, Valid valid = {}, std::shared_ptr<const Recast> recast = {})
      : handle_(std::move(handle)), valid_(std::move(valid)), recast_(std::move(recast)) {}
  const Tensor& handle() const { return handle_; }
  /// Before elements are looked at, and after they changed. Internal.
  void refresh() const;
  void write_back() const;

private:
  /// A view that an op gave, of the same array.
  Ref view(const std::vector<Tensor>& results) const;

  Tensor handle_;
  Valid valid_;
  std::shared_ptr<const Recast> recast_; ///< of a view of another width
  friend Ref select_ref(const Operand& index, const std::vector<Ref>& refs);
};

/// The Ref of that number, clipped into them; all have one dtype and shape.
Ref select_ref(const Operand& index, const std::vector<Ref>& refs);

/// The elements of a Ref where `mask` holds, those of `other` elsewhere, where nothing is read:
///
///     result[i] = mask[i] ? ref[i] : other[i]
///
/// Without `other` they are the pad value of the Ref's BlockSpec. Both broadcast.
Tensor load(const Ref& ref, const std::optional<Operand>& mask = {},
            const std::optional<Operand>& other = {},
            std::source_location here = std::source_location::current());
/// ref[i] = value[i] where `mask` holds. Of several that are one element the last in row-major
/// order stays.
void store(const Ref& ref, const Operand& value, const std::optional<Operand>& mask = {});
/// `store`, and the elements before it; where `mask` does not hold those of `value`.
Tensor swap(const Ref& ref, const Operand& value, const std::optional<Operand>& mask = {});

/// ref[i] = f(ref[i], value[i]), element by element in row-major order, so that every one of
/// several updates of an element counts; gives the elements as each update found them.
Tensor atomic_add(const Ref& ref, const Operand& value, const std::optional<Operand>& mask = {});
Tensor atomic_max(const Ref& ref, const Operand& value, const std::optional<Operand>& mask = {});
Tensor atomic_min(const Ref& ref, const Operand& value, const std::optional<Operand>& mask = {});
Tensor atomic_and(const Ref& ref, const Operand& value, const std::optional<Operand>& mask = {});
Tensor atomic_or(const Ref& ref, const Operand& value, const std::optional<Operand>& mask = {});
Tensor atomic_xor(const Ref& ref, const Operand& value, const std::optional<Operand>& mask = {});
Tensor atomic_xchg(const Ref& ref, const Operand& value, const std::optional<Operand>& mask = {});
/// ref[i] = value[i] where ref[i] equals compare[i].
Tensor atomic_cas(const Ref& ref, const Operand& compare, const Operand& value,
                  const std::optional<Operand>& mask = {});

} // namespace kolam::pallas
