/// Linear units and what is like them, element by element. float16 and bfloat16 compute in float32
/// and round once; integers become float32. NaN stays NaN.
#pragma once

#include "kolam/frontend/array/tensor.h"

namespace kolam {

/// x where x > 0, else alpha (exp(x) - 1).
///
///     >>> import kolam as ko
///     >>> ko.elu(ko.asarray([-100.0, 0.0, 2.0])).tolist()
///     [-1.0, 0.0, 2.0]
Tensor elu(const Operand& x, double alpha = 1.0);
/// 1.0507 elu(x, 1.6733), with more digits: keeps mean 0 and variance 1 (Klambauer et al.,
/// "Self-normalizing neural networks", 2017).
Tensor selu(const Operand& x);
/// x where x > 0, else alpha (exp(x / alpha) - 1).
Tensor celu(const Operand& x, double alpha = 1.0);
/// x where x >= 0, else negative_slope x.
Tensor leaky_relu(const Operand& x, double negative_slope = 0.01);
/// x where x >= 0, else weight x; a weight of rank 1 is one for each channel, dim 1 of x, or for
/// all. Throws `[shape-mismatch]`.
Tensor prelu(const Operand& x, const Operand& weight);
/// min(max(x, 0), 6).
Tensor relu6(const Operand& x);

/// min(max(x, min), max).
Tensor hard_tanh(const Operand& x, double min = -1.0, double max = 1.0);
/// relu6(x + 3) / 6.
Tensor hard_sigmoid(const Operand& x);
/// x relu6(x + 3) / 6: hard_swish by another name.
Tensor hard_silu(const Operand& x);
/// x relu6(x + 3) / 6 (Howard et al., "Searching for MobileNetV3", 2019).
Tensor hard_swish(const Operand& x);

/// x tanh(softplus(x)) (Misra, "Mish", 2019).
Tensor mish(const Operand& x);
/// x / (1 + |x|).
Tensor soft_sign(const Operand& x);
/// log(sigmoid(x)), as min(x, 0) - log1p(exp(-|x|)).
Tensor log_sigmoid(const Operand& x);
/// (x + sqrt(x^2 + b)) / 2.
Tensor squareplus(const Operand& x, double b = 4.0);

/// x where x > threshold, else value.
Tensor threshold(const Operand& x, double threshold, double value);
/// 0 where |x| <= lambd, else x.
Tensor hard_shrink(const Operand& x, double lambd = 0.5);
/// 0 where |x| <= lambd, else x drawn by lambd toward 0.
Tensor soft_shrink(const Operand& x, double lambd = 0.5);
/// x - tanh(x).
Tensor tanh_shrink(const Operand& x);

/// The first half of x along `axis` times the sigmoid of the second. Throws `[uneven-split]` for an
/// odd extent, `[axis-out-of-range]`. (Dauphin et al., "Language modeling with gated convolutional
/// networks", 2017.)
///
///     >>> import kolam as ko
///     >>> ko.glu(ko.asarray([4.0, 0.0])).tolist()
///     [2.0]
Tensor glu(const Operand& x, int64_t axis = -1);

} // namespace kolam
