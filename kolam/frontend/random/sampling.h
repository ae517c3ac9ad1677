/// Random orders, choices and further distributions.
///
/// All give the bits of JAX's functions of the same name with jax_threefry_partitionable=True where
/// they sort, count and choose; those with logarithms and exponentials agree within some ulps. They
/// throw `[bad-key]`, and what shapes throw (creation.h).
#pragma once

#include "kolam/frontend/random/random.h"

namespace kolam::random {

/// The numbers 0 ... x - 1 in a random order, or the rows of x along `axis`.
///
/// Where they are `independent` every line along the axis has an order of its own. Throws
/// `[symbolic-extent]` where the number of elements is not known, `[axis-out-of-range]`,
/// `[negative-count]` and `[dtype-mismatch]` for a scalar that is no count.
///
///     >>> import kolam as ko
///     >>> sorted(ko.random.permutation(ko.random.key(0), 4).tolist())
///     [0, 1, 2, 3]
Tensor permutation(const Operand& key, const Operand& x, int64_t axis = 0,
                   bool independent = false);

/// Draws from the numbers 0 ... a - 1, or from the rows of a along `axis`, in place of which the
/// draws stand in the result.
///
/// Each is as likely, or p[i] where `p` is given, which need not add up to 1. Without `replace`
/// none is drawn twice: throws `[k-out-of-range]` where there are too few. Throws `[empty-dim]`,
/// `[shape-mismatch]`, `[rank-mismatch]`, `[symbolic-extent]`, `[axis-out-of-range]`.
///
///     >>> import kolam as ko
///     >>> ko.random.choice(ko.random.key(0), ko.asarray([5, 7]), (2, 3)).shape
///     (2, 3)
Tensor choice(const Operand& key, const Operand& a, const Shape& shape = {}, bool replace = true,
              const std::optional<Operand>& p = {}, int64_t axis = 0);

/// Places along `axis` with probabilities softmax(logits): the greatest of logits + gumbel.
///
/// `shape` is that of the result, whose last dims are those of the logits without the axis; without
/// one it is these. Without `replace` no place is drawn twice for the same logits: throws
/// `[k-out-of-range]`. Throws `[axis-out-of-range]`, `[shape-mismatch]`.
///
///     >>> import kolam as ko
///     >>> ko.random.categorical(ko.random.key(0), ko.asarray([-ko.inf, 0.0]), shape=(3,)).tolist()
///     [1, 1, 1]
Tensor categorical(const Operand& key, const Operand& logits, int64_t axis = -1,
                   const std::optional<Shape>& shape = {}, bool replace = true);

/// Gumbel's distribution: -log(-log(u)) for u uniform in (0, 1). Throws `[dtype-mismatch]` unless
/// `dtype` is a float.
Tensor gumbel(const Operand& key, const Shape& shape = {}, DType dtype = DType::f32);

/// The exponential distribution of rate 1: -log1p(-u) for u uniform in [0, 1). Throws
/// `[dtype-mismatch]` unless `dtype` is a float.
Tensor exponential(const Operand& key, const Shape& shape = {}, DType dtype = DType::f32);

/// Normally distributed between `lower` and `upper`, which broadcast to `shape`; without one it is
/// their common shape. Throws `[dtype-mismatch]` unless `dtype` is a float, `[shape-mismatch]`.
Tensor truncated_normal(const Operand& key, const Operand& lower, const Operand& upper,
                        const std::optional<Shape>& shape = {}, DType dtype = DType::f32);

} // namespace kolam::random
