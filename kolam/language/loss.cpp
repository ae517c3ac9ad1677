// Composes losses.
#include "kolam/language/loss.h"

#include "kolam/language/activation.h"
#include "kolam/language/formula.h"
#include "kolam/language/gather.h"
#include "kolam/language/normalization.h"
#include "kolam/language/reshape.h"
#include "kolam/language/special.h"
#include "kolam/language/transpose.h"
#include "kolam/language/zip_map_reduce.h"

#include <numeric>

namespace kolam::language {
Value reduce_losses(Builder& b, Value losses, LossReduction reduction) {
  if (reduction == LossReduction::none)
    return losses;
  Axes all(ir::rank_of(losses));
  std::iota(all.begin(), all.end(), 0);
  if (reduction == LossReduction::mean)
    return mean(b, losses, all);
  DType dtype = ir::dtype_of(losses);
  Shape shape = ir::shape_of(losses);
  Value sum = combine(b, cast(b, losses, wide_dtype(dtype)), Fn::add, all);
  if (reduction == LossReduction::batch_mean && !shape.empty())
    sum = divide_by_count(b, sum, shape[0]);
  return cast(b, sum, dtype);
}

Value squared_difference(Builder& b, Value x, Value y) {
  return in_wide_floats(b, x, y, [](Formula& f, Value x, Value y) {
    return f.apply(Fn::square, f.apply(Fn::subtract, x, y));
  });
}

Value absolute_difference(Builder& b, Value x, Value y) {
  return in_wide_floats(b, x, y, [](Formula& f, Value x, Value y) {
    return f.apply(Fn::abs, f.apply(Fn::subtract, x, y));
  });
}

Value huber(Builder& b, Value x, Value y, double delta) {
  return in_wide_floats(b, x, y, [&](Formula& f, Value x, Value y) {
    Value apart = f.apply(Fn::subtract, x, y), distance = f.apply(Fn::abs, apart);
    Value near =
        f.multiply(0.5, f.apply(Fn::square, apart)); // which bends at 0, where |x| does not
    Value far = f.multiply(delta, f.add(-0.5 * delta, distance));
    return f.choose(f.apply(Fn::less_equal, distance, delta), near, far);
  });
}

Value smooth_l1(Builder& b, Value x, Value y, double beta) {
  if (beta == 0)
    return absolute_difference(b, x, y);
  return in_wide_floats(b, x, y, [&](Formula& f, Value x, Value y) {
    Value apart = f.apply(Fn::subtract, x, y), distance = f.apply(Fn::abs, apart);
    Value near = f.apply(Fn::divide, f.multiply(0.5, f.apply(Fn::square, apart)), beta);
    return f.choose(f.apply(Fn::less, distance, beta), near, f.add(-0.5 * beta, distance));
  });
}

Value binary_cross_entropy(Builder& b, Value p, Value y) {
  return in_wide_floats(b, p, y, [](Formula& f, Value p, Value y) {
    Value negated = f.apply(Fn::negative, p);
    Value yes = f.apply(Fn::maximum, f.apply(Fn::log, p), -100.0);
    Value no = f.apply(Fn::maximum, f.apply(Fn::log1p, negated), -100.0);
    Value rest = f.apply(Fn::subtract, 1.0, y);
    Value sum = f.apply(Fn::add, f.apply(Fn::multiply, y, yes), f.apply(Fn::multiply, rest, no));
    return f.apply(Fn::negative, sum);
  });
}

Value binary_cross_entropy_with_logits(Builder& b, Value x, Value y, Value weight) {
  Shape shape = broadcast_shapes(b, {ir::shape_of(x), ir::shape_of(y)});
  return in_wide_floats(b, x, y, [&](Formula& f, Value x, Value y) {
    // -log(sigmoid(x)) = softplus(-x), -log(1 - sigmoid(x)) = x + softplus(-x)
    Value decay = log1p_of_decay(b, x);
    if (!weight) {
      Value above = f.apply(Fn::maximum, x, 0.0);
      return f.apply(Fn::add, f.apply(Fn::subtract, above, f.apply(Fn::multiply, x, y)), decay);
    }
    Value w = broadcast_to(b, cast(b, weight, ir::dtype_of(x)), shape);
    Value factor = f.add(1, f.apply(Fn::multiply, f.add(-1, w), y));
    Value below = f.apply(Fn::maximum, f.apply(Fn::negative, x), 0.0);
    Value soft = f.apply(Fn::multiply, factor, f.apply(Fn::add, decay, below));
    return f.apply(Fn::add, f.apply(Fn::multiply, f.apply(Fn::subtract, 1.0, y), x), soft);
  });
}

Value negative_log_likelihood(Builder& b, Value x, Value labels, int64_t axis) {
  if (!is_float(ir::dtype_of(x)))
    x = cast(b, x, DType::f32);
  int64_t rank = ir::rank_of(x);
  axis = normalize_axis(axis, rank);
  if (!is_integer(ir::dtype_of(labels)))
    fail_argument(ErrorKind::type, "dtype-mismatch", "labels", "integers", describe(labels));
  Shape rows = ir::shape_of(x), of_labels = ir::shape_of(labels);
  rows.erase(rows.begin() + axis);
  if (of_labels.size() != rows.size())
    fail_argument(ErrorKind::value, "shape-mismatch", "labels",
                  "the shape of 'x' without its axis " + std::to_string(axis) + ", " +
                      to_string(rows),
                  describe(labels));
  for (size_t dim = 0; dim < rows.size(); ++dim)
    rows[dim] = unify(b, rows[dim], of_labels[dim], "dim " + std::to_string(dim) + " of 'labels'");
  labels = with_shape(b, labels, rows);
  Value classes = moveaxis(b, x, {axis}, {-1});
  rows.push_back(ir::shape_of(x)[axis]);
  classes = with_shape(b, classes, rows);
  is_class(b, "nll_loss", cast(b, labels, DType::i64), ir::shape_of(x)[axis]); // for checks
  Value indices = expand_dims(b, labels, {-1});
  GatherSpec spec{.dims = {0}, .lengths = {1}, .batched_dims = rank - 1, .mode = "fill"};
  Value taken = squeeze(b, gather(b, classes, indices, spec), Axes{rank - 1});
  return elementwise(b, Fn::negative, {taken});
}

Value kl_divergence(Builder& b, Value x, Value y, bool is_log) {
  return in_wide_floats(b, x, y, [&](Formula& f, Value x, Value y) {
    if (is_log)
      return f.apply(Fn::multiply, f.apply(Fn::exp, y), f.apply(Fn::subtract, y, x));
    return f.apply(Fn::subtract, xlogy(b, y, y), f.apply(Fn::multiply, y, x));
  });
}

Value hinge(Builder& b, Value x, Value y) {
  return in_wide_floats(b, x, y, [](Formula& f, Value x, Value y) {
    return f.apply(Fn::maximum, f.apply(Fn::subtract, 1.0, f.apply(Fn::multiply, x, y)), 0.0);
  });
}

Value cosine_similarity(Builder& b, Value x, Value y, int64_t axis, double epsilon) {
  Values both = broadcast(b, promote(b, {x, y}));
  DType dtype = float_dtype(ir::dtype_of(both[0]));
  Axes dims{normalize_axis(axis, ir::rank_of(both[0]))};
  Formula f{b};
  x = cast(b, both[0], wide_dtype(dtype));
  y = cast(b, both[1], wide_dtype(dtype));
  auto sum = [&](Value value) { return combine(b, value, Fn::add, dims); };
  Value norm_x = f.apply(Fn::sqrt, sum(f.apply(Fn::square, x)));
  Value norm_y = f.apply(Fn::sqrt, sum(f.apply(Fn::square, y)));
  Value divisor = f.apply(Fn::maximum, f.apply(Fn::multiply, norm_x, norm_y), epsilon);
  return cast(b, f.apply(Fn::divide, sum(f.apply(Fn::multiply, x, y)), divisor), dtype);
}

} // namespace kolam::language
