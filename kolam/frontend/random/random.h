/// Random numbers without hidden state: every number is a function of a key and its place in the
/// result, the same under any slicing, tiling, sharding or retry, and only those elements are
/// computed that are used.
///
/// A key is uint32[2]. All functions give the bits of JAX's functions of the same name with
/// jax_threefry_partitionable=True, each step of arithmetic rounded on its own (JAX may fuse a
/// multiply-add under jit); `normal` agrees within some ulps. They throw `[bad-key]`, and what
/// shapes throw (creation.h).
#pragma once

#include "kolam/frontend/array/creation.h"
#include "kolam/support/generator.h"

namespace kolam::random {

/// The key of a seed: the high and low 32 bits of a C++ integer or 64-bit tensor, as
/// jax.random.PRNGKey has them in x64 mode; of a narrower tensor (0, its 32 bits). Without x64 mode
/// JAX drops the high word of every seed: the keys are the same for seeds from 0 to 2^32 - 1.
/// Throws `[dtype-mismatch]` and `[rank-mismatch]` unless it is an integer scalar.
Tensor key(const Operand& seed);

/// `num` independent keys: result[i] = threefry2x32(key, i), uint32[num, 2].
Tensor split(const Operand& key, const Extent& num = 2);

/// Another key from a key and an integer: threefry2x32(key, (0, data modulo 2^32)). In a loop,
/// fold_in(key, step) gives every step its own key.
Tensor fold_in(const Operand& key, const Operand& data);

/// Random unsigned integers of 8, 16, 32 or 64 bits: result[i] = generator(key, ravel(i)). Throws
/// `[bad-width]`.
Tensor bits(const Operand& key, const Shape& shape = {}, int64_t width = 32,
            Generator generator = Generator::threefry);

/// Floats in [minval, maxval): max(minval, u (maxval - minval) + minval), where u is a multiple of
/// 2^-m in [0, 1) for a mantissa of m bits. Bounds broadcast. Throws `[dtype-mismatch]` unless
/// `dtype` is a float.
Tensor uniform(const Operand& key, const Shape& shape = {}, DType dtype = DType::f32,
               const Operand& minval = 0.0, const Operand& maxval = 1.0,
               Generator generator = Generator::threefry);

/// Integers in [minval, maxval): minval + n mod (maxval - minval) for a random n of twice the
/// dtype's width, at least 64 bits, so that hardly a value is likelier. Where maxval <= minval it
/// gives minval; a maxval above the dtype's range includes its greatest value. Bounds broadcast.
/// Throws `[dtype-mismatch]` unless `dtype` and the bounds are integers.
Tensor randint(const Operand& key, const Shape& shape, const Operand& minval, const Operand& maxval,
               DType dtype = DType::i32);

/// True with probability p: u < p for u uniform in [0, 1) of p's dtype (f32 for a scalar). p
/// broadcasts; without a shape the result has p's.
Tensor bernoulli(const Operand& key, const Operand& p, const Shape& shape);
Tensor bernoulli(const Operand& key, const Operand& p = 0.5);

/// Normally distributed: sqrt(2) erf_inv(u) for u uniform in (-1, 1). Throws `[dtype-mismatch]`
/// unless `dtype` is a float.
Tensor normal(const Operand& key, const Shape& shape = {}, DType dtype = DType::f32);

/// Zeroes a share p of the elements and scales the others to keep the mean:
///
///     result[i] = x[i] / (1 - p) where bernoulli(key, 1 - p)[i], else 0
///
/// Throws `[bad-probability]` unless 0 <= p <= 1. (Srivastava et al., "Dropout", 2014.)
Tensor dropout(const Operand& key, const Operand& x, double p);

} // namespace kolam::random

namespace kolam {

using random::dropout;

} // namespace kolam
