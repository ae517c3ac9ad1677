/// Norms of vectors and matrices.
#pragma once

#include "kolam/frontend/array/axis.h"
#include "kolam/frontend/array/tensor.h"

#include <string>
#include <variant>

namespace kolam {

/// Which norm: an order, or "fro" for sqrt(sum x^2) of matrices.
using NormOrder = std::variant<double, std::string>;

/// The length of vectors along one axis, or of matrices over two, sqrt(sum |x|^2) unless `ord` says
/// otherwise.
///
///     vectors:    (sum |x|^ord)^(1 / ord); inf and -inf the greatest and least |x|, 0 how many are
///                 not 0
///     matrices:   1 and -1 the greatest and least sum of a column's |x|, inf and -inf of a row's
///
/// Without an axis all elements are one vector; with an `ord` x is to be a vector or a matrix.
/// float16 and bfloat16 compute in float32 and round once, integers give float32. Throws
/// `[bad-option]` for other orders, `[rank-mismatch]`, `[axis-out-of-range]`, `[duplicate-axis]`.
///
///     >>> import kolam as ko
///     >>> ko.norm(ko.asarray([3.0, 4.0])).item()
///     5.0
Tensor norm(const Operand& x, const std::optional<NormOrder>& ord = {}, const Axis& axis = {},
            bool keepdims = false);

} // namespace kolam
