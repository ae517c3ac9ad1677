/// Indexing: elements and boxes of tensors by place.
#pragma once

#include "kolam/frontend/array/operands.h"
#include "kolam/support/slice.h"

namespace kolam {

/// An item of an index: an integer, a slice, an integer tensor, a mask, `ellipsis` or `newaxis`.
class Index {
public:
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Index(T place) : value_(static_cast<int64_t>(place)) {}
  Index(Slice slice) : value_(std::move(slice)) {}
  Index(Ellipsis) : value_(Ellipsis()) {}
  Index(NewAxis) : value_(NewAxis()) {}
  Index(Tensor place) : value_(std::move(place)) {}
  Index(Array place) : value_(Tensor(std::move(place))) {}

  using Value = std::variant<int64_t, Slice, Ellipsis, NewAxis, Tensor>;
  const Value& value() const { return value_; }

private:
  Value value_;
};

/// x[items...] as in NumPy's indexing.
///
///     index(x, {0, Slice{{}, {}, -1}, ellipsis, newaxis})   =   x[0, ::-1, ..., None]
///
/// An integer takes one element and removes its dim, a slice keeps some elements of a dim, an
/// ellipsis stands for all dims that are left, newaxis adds a dim of extent 1. Extents may be
/// symbolic: x[::2] of [n] has ceildiv(n, 2) elements. An integer tensor takes the element at each
/// of its places: counted from the end once where negative, then clipped into the dim. Several of
/// them, and plain integers beside them, broadcast together; their dims stand where the first of
/// them stood, in front where another item lies between them. A tensor of booleans, a mask of as
/// many dims as it has, takes the elements where it is true: it stands for the tensors that
/// `nonzero` gives of it, and inside a trace, where the mask is traced, their extent is a symbol
/// that the running program binds. A mask of rank 0 adds a dim of extent 1 or 0. Throws
/// `[index-out-of-range]`,
/// `[rank-mismatch]` for too many items, `[bad-index]` for two ellipses or a tensor of floats,
/// `[bad-step]` for step 0, `[shape-mismatch]` for tensors that do not broadcast and for a mask of
/// other extents, but 0, than the dims it stands for.
Tensor index(const Operand& x, const std::vector<Index>& items);

/// The box of `sizes` whose first element is at `starts`, one integer scalar for each dim, of any
/// integer dtypes; starts clip, so that the box lies inside:
///
///     result[i] = x[clip(starts, 0, shape - sizes) + i]
///
/// Throws `[rank-mismatch]`, `[shape-mismatch]` where a size exceeds its extent, `[dtype-mismatch]`
/// for starts that are no integer scalars.
Tensor dynamic_slice(const Operand& x, const Operands& starts, const Shape& sizes);
/// `x` with the box at `starts`, clipped so that it lies inside, replaced by `update`. Throws as
/// `dynamic_slice`,
/// and `[dtype-mismatch]` where the dtypes of `x` and `update` differ.
Tensor dynamic_update_slice(const Operand& x, const Operand& update, const Operands& starts);

} // namespace kolam
