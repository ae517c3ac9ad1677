// Composes activation functions.
#include "kolam/language/activation.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/composite.h"
#include "kolam/language/formula.h"

#include <limits>
#include <numbers>

namespace kolam::language {
namespace {

/// A composite of one operand.
Value named(Builder& b, std::string_view name, Value x, const std::function<Value(Value)>& make) {
  return composite(b, name, {x}, {}, [&](const Values& own) { return make(own[0]); });
}

} // namespace

Value relu(Builder& b, Value x) {
  return named(b, "relu", x, [&](Value x) {
    return elementwise(b, Fn::maximum, {x, weak_constant(b, int64_t{0}, ir::dtype_of(x))});
  });
}

Value sigmoid(Builder& b, Value x) {
  return named(b, "sigmoid", x, [&](Value x) {
    return in_wide_float(b, x, [](Formula& f, Value x) {
      return f.apply(Fn::divide, f.number(1, x), f.logistic_divisor(x));
    });
  });
}

Value silu(Builder& b, Value x) {
  return named(b, "silu", x, [&](Value x) {
    return in_wide_float(
        b, x, [](Formula& f, Value x) { return f.apply(Fn::divide, x, f.logistic_divisor(x)); });
  });
}

Value gelu(Builder& b, Value x) {
  return named(b, "gelu", x, [&](Value x) {
    return in_wide_float(b, x, [](Formula& f, Value x) {
      Value erf = f.apply(Fn::erf, f.multiply(1 / std::numbers::sqrt2, x));
      return f.apply(Fn::multiply, f.multiply(0.5, x), f.add(1, erf));
    });
  });
}

Value gelu_tanh(Builder& b, Value x) {
  return named(b, "gelu_tanh", x, [&](Value x) {
    return in_wide_float(b, x, [](Formula& f, Value x) {
      Value cube = f.apply(Fn::multiply, f.apply(Fn::square, x), x);
      Value inner = f.apply(Fn::add, x, f.multiply(0.044715, cube));
      double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
      Value tanh = f.apply(Fn::tanh, f.multiply(scale, inner));
      return f.apply(Fn::multiply, f.multiply(0.5, x), f.add(1, tanh));
    });
  });
}

Value log1p_of_decay(Builder& b, Value x, Fn exponential) {
  const double rate = exponential == Fn::exp2 ? std::numbers::ln2 : 1;
  return composite(b, "log1p_of_decay", {x}, {b.getNamedAttr("rate", b.getF64FloatAttr(rate))},
                   [&](const Values& own) {
                     Formula f{b};
                     Value decay = f.apply(Fn::negative, f.apply(Fn::abs, own[0]));
                     return f.apply(Fn::log1p, f.apply(exponential, decay));
                   });
}

Value gated(Builder& b, Value x, Value gate) {
  return composite(b, "gated", {x, gate}, {}, [&](const Values& own) {
    Formula f{b};
    return f.apply(Fn::divide, own[0], f.logistic_divisor(own[1]));
  });
}

Value softplus(Builder& b, Value x) {
  return named(b, "softplus", x, [&](Value x) {
    return in_wide_float(b, x, [&](Formula& f, Value x) {
      return f.apply(Fn::add, f.apply(Fn::maximum, x, 0.0), log1p_of_decay(b, x));
    });
  });
}

Value clip(Builder& b, Value x, Value lower, Value upper) {
  for (Value bound : {lower, upper})
    if (bound)
      x = cast(b, x, promote(ir::dtype_of(x), ir::dtype_of(bound)));
  auto within = [&](Value x, Value lower, Value upper) {
    if (lower)
      x = elementwise(b, Fn::maximum, {x, lower});
    return upper ? elementwise(b, Fn::minimum, {x, upper}) : x;
  };
  const DType dtype = ir::dtype_of(x);
  if (!is_float(dtype) || !KeepComposites::keeps())
    return within(x, lower, upper);
  // Of one rank, as instances of vmap stand in front of some; numbers are those of all instances.
  std::vector<Shape> shapes;
  for (Value value : {x, lower, upper})
    if (value)
      shapes.push_back(ir::shape_of(value));
  const Shape shape = broadcast_shapes(b, shapes);
  auto is_number = [](Value value) {
    return ir::rank_of(value) == 0 && value.getDefiningOp<ir::ConstantOp>();
  };
  for (Value* value : {&x, &lower, &upper})
    if (*value && !is_number(*value))
      *value = broadcast_to(b, *value, shape);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Values operands{x, lower ? lower : weak_constant(b, -kInfinity, dtype),
                  upper ? upper : weak_constant(b, kInfinity, dtype)};
  return composite(b, "clip", operands, {}, [&](const Values& own) {
    return within(own[0], lower ? own[1] : Value(), upper ? own[2] : Value());
  });
}

Value divide_by(Builder& b, Value x, double divisor) {
  return in_wide_float(b, x, [divisor](Formula& f, Value x) {
    return f.apply(Fn::divide, x, f.number(divisor, x));
  });
}

} // namespace kolam::language
