// Composes linear units.
#include "kolam/language/linear_unit.h"

#include "kolam/language/activation.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/formula.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"

#include <numeric>

namespace kolam::language {

Value elu(Builder& b, Value x, double alpha, double scale) {
  return in_wide_float(b, x, [&](Formula& f, Value x) {
    Value below = f.multiply(alpha, f.apply(Fn::expm1, x));
    Value result = f.choose(f.apply(Fn::greater, x, 0.0), x, below);
    return scale == 1 ? result : f.multiply(scale, result);
  });
}

Value celu(Builder& b, Value x, double alpha) {
  return in_wide_float(b, x, [&](Formula& f, Value x) {
    Value below = f.multiply(alpha, f.apply(Fn::expm1, f.apply(Fn::divide, x, alpha)));
    return f.choose(f.apply(Fn::greater, x, 0.0), x, below);
  });
}

Value leaky_relu(Builder& b, Value x, double slope) {
  return in_wide_float(b, x, [&](Formula& f, Value x) {
    return f.choose(f.apply(Fn::greater_equal, x, 0.0), x, f.multiply(slope, x));
  });
}

Value prelu(Builder& b, Value x, Value weight) {
  int64_t rank = ir::rank_of(x);
  if (ir::rank_of(weight) == 1 && rank > 1 && ir::shape_of(weight)[0] != Extent(1)) {
    Shape shape = ir::shape_of(weight);
    shape[0] = unify(b, ir::shape_of(x)[1], shape[0], "argument 'weight' and dim 1 of 'x'");
    Axes trailing(rank - 2);
    std::iota(trailing.begin(), trailing.end(), 1);
    weight = expand_dims(b, with_shape(b, weight, shape), trailing);
  }
  weight = broadcast_to(b, weight, ir::shape_of(x));
  return in_wide_float(b, x, [&](Formula& f, Value x) {
    Value below = f.apply(Fn::multiply, cast(b, weight, ir::dtype_of(x)), x);
    return f.choose(f.apply(Fn::greater_equal, x, 0.0), x, below);
  });
}

Value limited(Builder& b, Value x, double lower, double upper) {
  if (!is_float(ir::dtype_of(x)))
    x = cast(b, x, DType::f32);
  Formula f{b};
  return f.apply(Fn::minimum, f.apply(Fn::maximum, x, lower), upper);
}

Value hard_tanh(Builder& b, Value x, double lower, double upper) {
  if (!is_float(ir::dtype_of(x)))
    x = cast(b, x, DType::f32);
  Formula f{b};
  return clip(b, x, f.number(lower, x), f.number(upper, x));
}

Value hard_sigmoid(Builder& b, Value x) {
  return in_wide_float(b, x, [&](Formula& f, Value x) {
    return f.apply(Fn::divide, limited(b, f.add(3, x), 0, 6), 6.0);
  });
}

Value hard_silu(Builder& b, Value x) {
  return in_wide_float(b, x, [&](Formula& f, Value x) {
    return f.apply(Fn::multiply, x, f.apply(Fn::divide, limited(b, f.add(3, x), 0, 6), 6.0));
  });
}

Value mish(Builder& b, Value x) {
  return in_wide_float(b, x, [&](Formula& f, Value x) {
    return f.apply(Fn::multiply, x, f.apply(Fn::tanh, softplus(b, x)));
  });
}

Value soft_sign(Builder& b, Value x) {
  return in_wide_float(b, x, [](Formula& f, Value x) {
    return f.apply(Fn::divide, x, f.add(1, f.apply(Fn::abs, x)));
  });
}

Value log_sigmoid(Builder& b, Value x) {
  return in_wide_float(b, x, [&](Formula& f, Value x) {
    return f.apply(Fn::subtract, f.apply(Fn::minimum, x, 0.0), log1p_of_decay(b, x));
  });
}

Value squareplus(Builder& b, Value x, double width) {
  return in_wide_float(b, x, [&](Formula& f, Value x) {
    Value root = f.apply(Fn::sqrt, f.add(width, f.apply(Fn::square, x)));
    return f.multiply(0.5, f.apply(Fn::add, x, root));
  });
}

Value threshold(Builder& b, Value x, double threshold, double value) {
  return in_wide_float(b, x, [&](Formula& f, Value x) {
    return f.choose(f.apply(Fn::less_equal, x, threshold), value, x);
  });
}

Value hard_shrink(Builder& b, Value x, double width) {
  return in_wide_float(b, x, [&](Formula& f, Value x) {
    return f.choose(f.apply(Fn::less_equal, f.apply(Fn::abs, x), width), 0.0, x);
  });
}

Value soft_shrink(Builder& b, Value x, double width) {
  return in_wide_float(b, x, [&](Formula& f, Value x) {
    Value moved = f.apply(Fn::subtract, x, f.apply(Fn::copysign, width, x));
    return f.choose(f.apply(Fn::less_equal, f.apply(Fn::abs, x), width), 0.0, moved);
  });
}

Value tanh_shrink(Builder& b, Value x) {
  return in_wide_float(
      b, x, [](Formula& f, Value x) { return f.apply(Fn::subtract, x, f.apply(Fn::tanh, x)); });
}

Value glu(Builder& b, Value x, int64_t axis) {
  Values halves = split_evenly(b, x, 2, axis);
  Value gate = halves[1];
  return in_wide_float(b, halves[0], [&](Formula& f, Value x) {
    return gated(b, x, cast(b, gate, ir::dtype_of(x)));
  });
}

} // namespace kolam::language
