/// Random orders, choices and further distributions, by the algorithms of JAX's functions of the
/// same names; each step is rounded as an op of its own.
#pragma once

#include "kolam/language/builder.h"

#include <optional>

namespace kolam::language {

/// -log(-log(u)) for u uniform in [least normal number, 1).
Value gumbel(Builder& b, Value key, const Shape& shape, DType dtype);
/// -log1p(-u) for u uniform in [0, 1).
Value exponential(Builder& b, Value key, const Shape& shape, DType dtype);
/// sqrt(2) erf_inv(u) for u uniform in [erf(lower / sqrt(2)), erf(upper / sqrt(2))), kept between
/// the bounds' neighbours. The bounds broadcast to `shape`.
Value truncated_normal(Builder& b, Value key, Value lower, Value upper, const Shape& shape,
                       DType dtype);

/// The place of the greatest logits + gumbel along `axis`, for every index of `shape`, whose last
/// dims are those of the logits without the axis. Without `replace` the leading dims of `shape`
/// hold the places of the greatest, the greatest first. Throws `[axis-out-of-range]`,
/// `[shape-mismatch]`, `[k-out-of-range]`.
Value categorical(Builder& b, Value key, Value logits, int64_t axis,
                  const std::optional<Shape>& shape, bool replace);

/// The rows of x along `axis` in a random order; the elements of each line in one of its own where
/// they are `independent`. Sorts by random keys, so often that none are alike. Throws
/// `[symbolic-extent]` and `[axis-out-of-range]`.
Value permutation(Builder& b, Value key, Value x, int64_t axis, bool independent);

/// What is drawn, and how.
struct Choice {
  Value a;          ///< null for the numbers below `count`
  int64_t axis = 0; ///< of a
  Extent count;     ///< of what there is to choose from
  Shape shape;      ///< of the draws
  bool replace = true;
  Value p; ///< null where all are as likely
};
/// Draws in the shape of a with `shape` in place of the axis. Throws `[k-out-of-range]` where there
/// are less to choose from than are drawn, `[shape-mismatch]`, `[empty-dim]`, `[symbolic-extent]`.
Value choice(Builder& b, Value key, const Choice& choice);

} // namespace kolam::language
