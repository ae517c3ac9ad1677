/// Refs: views by NumPy's indexing, reads and writes.
#pragma once

#include "kolam/ir/kernels.h"
#include "kolam/language/builder.h"
#include "kolam/support/slice.h"

#include <variant>

namespace kolam::language {

/// The elements start, start + stride, ... of a dim, `size` of them; they may lie outside.
struct DynamicSlice {
  std::variant<int64_t, Value> start;
  Extent size;
  int64_t stride = 1;
};

/// An item of the index of a Ref: an integer, a slice, an ellipsis, a dynamic slice, or integers of
/// the program.
using RefItem = std::variant<int64_t, Slice, Ellipsis, DynamicSlice, Value>;

/// ref[items...] as a Ref, by NumPy's rule: all integers, scalars too, broadcast together where one
/// of them is an array; their dims stand where the first of them stood, or in front where another
/// item lies between them. Negative integers count from the end once. Throws
/// `[index-out-of-range]` for plain integers and dynamic slices that lie outside, `[bad-index]`,
/// `[rank-mismatch]`, `[bad-step]`.
Value ref_at(Builder& b, Value ref, const std::vector<RefItem>& items);
Value ref_reshape(Builder& b, Value ref, Shape shape);
Value ref_transpose(Builder& b, Value ref, const Axes& axes);
Value ref_bitcast(Builder& b, Value ref, DType dtype);
/// refs[clip(selector)], all of one type. Throws `[bad-index]` unless the selector is an integer
/// scalar.
Value ref_select(Builder& b, Value selector, const Values& refs);

/// Null masks hold everywhere; the mask and `other` broadcast to the elements.
Value ref_read(Builder& b, Value ref, Value mask, Value other);
/// Throws `[shape-mismatch]` where the value has another shape than the elements, and
/// `[dtype-mismatch]`.
void ref_write(Builder& b, Value ref, Value value, Value mask);
/// The elements before.
Value ref_update(Builder& b, std::string_view kind, Value ref, Value value, Value compare,
                 Value mask);

} // namespace kolam::language
