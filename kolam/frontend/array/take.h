/// Elements at places along one axis.
#pragma once

#include "kolam/frontend/array/tensor.h"

namespace kolam {

/// The sub-arrays of `x` at `indices` along `axis`: integers of any dtype and shape.
///
///     result[i..., j..., k...] = x[i..., indices[j...], k...]     the j stand in place of `axis`
///
/// Negative places count from the end once, then places clip into the dim. Throws
/// `[axis-out-of-range]`, `[dtype-mismatch]`, and `[index-out-of-range]` where the dim is empty but
/// `indices` are not. As the array API's take.
Tensor take(const Operand& x, const Operand& indices, int64_t axis);

/// The elements of `x` at one place per row along `axis`.
///
///     result[i..., j, k...] = x[i..., indices[i..., j, k...], k...]
///
/// `indices` has the rank of `x`; the dims other than `axis` broadcast. Places as in `take`;
/// argsort's and argmax's fit. Throws as `take`, `[rank-mismatch]` and `[shape-mismatch]`.
Tensor take_along_axis(const Operand& x, const Operand& indices, int64_t axis = -1);

/// The rows of `weight` at `indices`: take(weight, indices, 0), one vector for each word of a
/// vocabulary. Throws as `take`.
///
///     >>> import kolam as ko
///     >>> ko.embedding(ko.asarray([1, 0]), ko.asarray([[1.0, 2.0], [3.0, 4.0]])).tolist()
///     [[3.0, 4.0], [1.0, 2.0]]
Tensor embedding(const Operand& indices, const Operand& weight);

} // namespace kolam
