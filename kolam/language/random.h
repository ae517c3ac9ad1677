/// Random numbers as functions of a key and a position, as JAX's partitionable threefry mode
/// defines them (jax/_src/random, jax_threefry_partitionable=True), bit for bit, each step rounded
/// as an op of its own.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/generator.h"

namespace kolam::language {

/// Throws `[bad-key]` unless `key` is uint32[2].
void require_key(Value key);

/// The key (high word, low word) of a 64-bit integer; of a narrower one (0, its 32 bits). Throws
/// `[dtype-mismatch]` and
/// `[rank-mismatch]`.
Value make_key(Builder& b, Value seed);
/// The same of a number known when the program is made.
Value constant_key(Builder& b, int64_t seed);

/// result[i] = threefry(key, i), i as two words: [num, 2].
Value split(Builder& b, Value key, const Extent& num);

/// threefry(key, (0, data modulo 2^32)). Throws `[dtype-mismatch]` and `[rank-mismatch]`.
Value fold_in(Builder& b, Value key, Value data);

/// result[i] = generator(key, ravel(i)), unsigned. Throws `[bad-width]` for a width other than 8,
/// 16, 32, 64.
Value bits(Builder& b, Value key, const Shape& shape, int64_t width, Generator generator);

/// Floats in [0, 1): the mantissa's bits below an exponent of 1, minus 1. Throws
/// `[dtype-mismatch]`.
Value unit_uniform(Builder& b, Value key, const Shape& shape, DType dtype, Generator generator);

/// max(minval, u (maxval - minval) + minval) of unit_uniform u.
Value uniform(Builder& b, Value key, const Shape& shape, DType dtype, Value minval, Value maxval,
              Generator generator);

/// Integers in [minval, maxval): minval + (2^w h + l) mod span for random words h and l of dtype's
/// width w, of i32 for narrower dtypes; minval where maxval <= minval; a `maxval` above the dtype's
/// range includes its greatest value. Throws
/// `[dtype-mismatch]`.
Value randint(Builder& b, Value key, const Shape& shape, Value minval, Value maxval, DType dtype);

/// unit_uniform(p's dtype) < p.
Value bernoulli(Builder& b, Value key, Value p, const Shape& shape);

/// sqrt(2) erf_inv(u) for u uniform in (-1, 1).
Value normal(Builder& b, Value key, const Shape& shape, DType dtype);

/// x / (1 - p) where bernoulli(key, 1 - p), else 0. Throws `[bad-probability]` unless 0 <= p <= 1.
Value dropout(Builder& b, Value key, Value x, double p);

} // namespace kolam::language
