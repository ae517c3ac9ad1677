/// Elementwise functions that are formulas over the table's. float16 and bfloat16 compute in
/// float32 and round once; integers become float32. Operands are promoted and broadcast; all throw
/// `[no-promotion]` and `[shape-mismatch]`.
#pragma once

#include "kolam/frontend/array/tensor.h"

namespace kolam {

/// x log(y), 0 where x is 0 unless y is NaN.
///
///     >>> import kolam as ko
///     >>> ko.xlogy(ko.asarray([0.0, 2.0]), ko.asarray([0.0, 1.0])).tolist()
///     [0.0, 0.0]
Tensor xlogy(const Operand& x, const Operand& y);
/// x log1p(y), 0 where x is 0 unless y is NaN.
Tensor xlog1py(const Operand& x, const Operand& y);
/// log2(2^x + 2^y), as max + log2(1 + 2^-|x - y|), which does not overflow.
Tensor logaddexp2(const Operand& x, const Operand& y);
/// 0 where x < 0, y where x = 0, 1 where x > 0; NaN stays NaN.
///
///     >>> import kolam as ko
///     >>> ko.heaviside(ko.asarray([-2.0, 0.0, 3.0]), 0.5).tolist()
///     [0.0, 0.5, 1.0]
Tensor heaviside(const Operand& x, const Operand& y);
/// sin(pi x) / (pi x), 1 at 0.
Tensor sinc(const Operand& x);
/// x pi / 180: degrees as radians.
Tensor deg2rad(const Operand& x);
/// x 180 / pi: radians as degrees.
Tensor rad2deg(const Operand& x);
/// log(x / (1 - x)), as log(x) - log1p(-x).
Tensor logit(const Operand& x);
/// The derivative of lgamma, computed in float64: infinite at 0, of the sign of -x, and NaN at -1,
/// -2, ...
Tensor digamma(const Operand& x);

/// How many bits of |x| are set, uint8. Throws `[dtype-mismatch]` unless x holds integers.
///
///     >>> import kolam as ko
///     >>> ko.bitwise_count(ko.asarray([0, 7, -8])).tolist()
///     [0, 3, 1]
Tensor bitwise_count(const Operand& x);

} // namespace kolam
