/// Activation functions, element by element. f16 and bf16 compute in f32 and round once; integers
/// become f32 (relu and clip keep them).
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <optional>

namespace kolam {

/// max(x, 0); NaN stays NaN. Throws `[dtype-mismatch]` for booleans.
Tensor relu(const Operand& x);

/// 1 / (1 + exp(-x)).
Tensor sigmoid(const Operand& x);

/// x sigmoid(x) = x / (1 + exp(-x)).
Tensor silu(const Operand& x);

/// How gelu computes the normal distribution function.
enum class Approximate : uint8_t { none, tanh };

/// x Phi(x), Phi the normal distribution function:
///
///     none:   x / 2 (1 + erf(x / sqrt(2)))
///     tanh:   x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
///
/// (Hendrycks and Gimpel, "Gaussian error linear units", 2016.)
Tensor gelu(const Operand& x, Approximate approximate = Approximate::none);

/// log(1 + exp(x)), as max(x, 0) + log1p(exp(-|x|)), which neither overflows nor loses small
/// values.
Tensor softplus(const Operand& x);

/// min(max(x, min), max); a bound that is not given is left out, `max` wins where it is below
/// `min`, NaN stays NaN. Bounds broadcast and promote with x, so a float bound of integers gives
/// f32; an integer outside of the range of x's dtype stands for the end of that range, and so binds
/// no element. Throws `[dtype-mismatch]` for booleans, and `[no-promotion]`.
Tensor clip(const Operand& x, const std::optional<Operand>& min = {},
            const std::optional<Operand>& max = {});

} // namespace kolam
