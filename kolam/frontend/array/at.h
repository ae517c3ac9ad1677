/// Elements of a tensor at an index, for reading and for updates: `at(x, {i}).set(v)` is
/// x.at[i].set(v) in Python.
#pragma once

#include "kolam/frontend/array/index.h"

#include <functional>
#include <string_view>

namespace kolam {

/// What `at` gives: `x` and an index.
///
/// Updates give another tensor, x with the elements x[items...] changed; under `jit` in the memory
/// of x where nothing else reads it. Values broadcast to the elements and are converted to the
/// dtype of x; one of a kind above it (a float for integers) is `[dtype-mismatch]`. Values that hit
/// one element act in row-major order. `mode` says what becomes of places outside, after negative
/// ones were counted from the end: "drop" (or "fill") leaves updates out and gives `fill_value`
/// where elements are read, "clip" takes the nearest place, "promise_in_bounds" is the caller's
/// promise that there is none. Unless given, updates are dropped, reads clip, and a plain integer
/// outside is `[index-out-of-range]`. Throws what `index` throws, `[shape-mismatch]` for values
/// that do not broadcast and `[unknown-mode]`.
class At {
public:
  At(Operand x, std::vector<Index> items) : x_(std::move(x)), items_(std::move(items)) {}

  Tensor set(const Operand& value, std::string_view mode = "") const;
  Tensor add(const Operand& value, std::string_view mode = "") const;
  Tensor subtract(const Operand& value, std::string_view mode = "") const;
  Tensor multiply(const Operand& value, std::string_view mode = "") const;
  Tensor divide(const Operand& value, std::string_view mode = "") const;
  Tensor power(const Operand& value, std::string_view mode = "") const;
  /// The lesser of element and value; NaN where one is NaN.
  Tensor min(const Operand& value, std::string_view mode = "") const;
  Tensor max(const Operand& value, std::string_view mode = "") const;
  /// f(element) of rank-0 tensors, once for every time that an element is hit.
  Tensor apply(const std::function<Tensor(Tensor)>& f, std::string_view mode = "") const;
  /// The elements themselves. Without a `fill_value` elements outside are NaN, the lowest integer,
  /// the highest unsigned one or true.
  Tensor get(std::string_view mode = "", const std::optional<Operand>& fill_value = {}) const;

private:
  Operand x_;
  std::vector<Index> items_;
};

/// The elements x[items...]: integers, slices, ellipsis, newaxis and integer tensors as `index`
/// takes them, or a mask: a boolean tensor that stands for the dims it covers, beside full slices.
///
///     at(x, {i}).add(v)     at(x, {Slice{}, 0}).set(0)     at(x, {x < 0}).set(0)
At at(const Operand& x, const std::vector<Index>& items);

/// `x` with one element per row along `axis` replaced.
///
///     result[i..., indices[i..., j, k...], k...] = values[i..., j, k...]
///
/// `indices` has the rank of `x`; dims other than `axis` broadcast, and so do `values`. Negative
/// places count from the end once; what is outside then is dropped. Throws `[axis-out-of-range]`,
/// `[rank-mismatch]`, `[shape-mismatch]`, `[dtype-mismatch]`.
///
///     >>> import kolam as ko
///     >>> ko.put_along_axis(ko.zeros((2, 3)), ko.asarray([[1], [2]]), 5, 1).tolist()
///     [[0.0, 5.0, 0.0], [0.0, 0.0, 5.0]]
Tensor put_along_axis(const Operand& x, const Operand& indices, const Operand& values,
                      int64_t axis = -1);

} // namespace kolam
