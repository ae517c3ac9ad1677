// The derivatives of composites. Each linear part is written so that its transpose is the formula
// of the gradient.
#include "kolam/transform/derive/named.h"

#include "kolam/language/activation.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/formula.h"
#include "kolam/language/reduction.h"
#include "kolam/language/zip_map_reduce.h"
#include "kolam/transform/derive/monoids.h"

#include "llvm/ADT/StringSwitch.h"

#include <numbers>

namespace kolam::transform::derive {
namespace {

using language::Axes;
using language::Formula;

/// What a rule works with: all values in f32 or f64.
struct Call {
  Call(ir::CompositeOp composite, Linearisation& linearisation)
      : op(composite), at(linearisation), dtype(ir::dtype_of(op.getResult(0))),
        wide(language::wide_dtype(dtype)), primal{at.b}, linear{at.linear} {
    if (auto attribute = op->getAttrOfType<mlir::DenseI64ArrayAttr>("dims"))
      dims = Axes(attribute.asArrayRef());
  }
  Value x(unsigned number = 0) {
    return language::cast(at.b, at.primal(op.getOperands()[number]), wide);
  }
  Value y() { return language::cast(at.b, at.primal(op.getResult(0)), wide); }
  bool is_active(unsigned number = 0) { return at.is_active(op.getOperands()[number]); }
  /// The tangent of an operand.
  Value v(unsigned number = 0) {
    return language::cast(at.linear, at.tangent(op.getOperands()[number]), wide);
  }
  Value scale(Value tangent, Value coefficient) {
    return linear.apply(Fn::scale, tangent, coefficient);
  }
  Value sum(Value tangent) { return language::combine(at.linear, tangent, Fn::add, dims); }
  /// A value over the dims that were summed, back at the operand's shape.
  Value spread(Value value, Builder& b) {
    return language::spread(b, value, ir::shape_of(op.getOperands()[0]), dims);
  }
  void set(Value tangent) {
    if (tangent)
      at.set_tangent(op.getResult(0), language::cast(at.linear, tangent, dtype));
  }
  double number(llvm::StringRef name) {
    return op->getAttrOfType<mlir::FloatAttr>(name).getValueAsDouble();
  }

  ir::CompositeOp op;
  Linearisation& at;
  DType dtype, wide;
  Formula primal, linear;
  Axes dims;
};

Value choose_or_zero(Formula& f, Value condition, Value x) {
  return f.choose(condition, x, f.number(0, x));
}

/// v where x > 0.
void relu(ir::CompositeOp op, Linearisation& at) {
  Call call(op, at);
  Value above = call.primal.apply(Fn::greater, call.x(), 0.0);
  call.set(choose_or_zero(call.linear, above, call.v()));
}

/// A step from x, however small it is: all to x, nothing to where it leads.
void nextafter(ir::CompositeOp op, Linearisation& at) {
  Call call(op, at);
  call.set(call.is_active() ? call.v() : Value());
}

/// To x where lower <= x <= upper; to lower where x < lower; to upper where x > upper or lower is.
void clip(ir::CompositeOp op, Linearisation& at) {
  Call call(op, at);
  Formula& f = call.primal;
  Value x = call.x(), lower = call.x(1), upper = call.x(2);
  const Shape shape = ir::shape_of(op.getResult(0));
  auto at_shape = [&](Value value, Builder& b) { return language::broadcast_to(b, value, shape); };
  x = at_shape(x, at.b), lower = at_shape(lower, at.b), upper = at_shape(upper, at.b);
  Value is_above =
      f.apply(Fn::logical_or, f.apply(Fn::greater, x, upper), f.apply(Fn::greater, lower, upper));
  Value is_below =
      f.apply(Fn::logical_and, f.apply(Fn::less, x, lower), f.apply(Fn::logical_not, is_above));
  Value is_inside = f.apply(Fn::logical_not, f.apply(Fn::logical_or, is_above, is_below));
  Value sum;
  for (auto [number, chosen] : llvm::enumerate(Values{is_inside, is_below, is_above})) {
    const auto operand = static_cast<unsigned>(number);
    if (!call.is_active(operand))
      continue;
    Value part = choose_or_zero(call.linear, chosen, at_shape(call.v(operand), at.linear));
    sum = added(at.linear, sum, part);
  }
  call.set(sum);
}

/// To the first where it holds the result, else to the second where that does.
void extreme_at(ir::CompositeOp op, Linearisation& at) {
  Call call(op, at);
  Formula& f = call.primal;
  const Shape shape = ir::shape_of(op.getResult(0));
  auto at_shape = [&](Value value, Builder& b) { return language::broadcast_to(b, value, shape); };
  auto holds = [&](unsigned operand) {
    return f.apply(Fn::equal, at_shape(call.x(operand), at.b), call.y());
  };
  Value stays = holds(0);
  Value comes = f.apply(Fn::logical_and, holds(1), f.apply(Fn::logical_not, stays));
  Value sum;
  for (auto [number, chosen] : llvm::enumerate(Values{stays, comes})) {
    const auto operand = static_cast<unsigned>(number);
    if (call.is_active(operand))
      sum = added(at.linear, sum,
                  choose_or_zero(call.linear, chosen, at_shape(call.v(operand), at.linear)));
  }
  call.set(sum);
}

/// y (1 - y)
void sigmoid(ir::CompositeOp op, Linearisation& at) {
  Call call(op, at);
  Value y = call.y();
  Value rest = call.primal.apply(Fn::subtract, 1.0, y);
  call.set(call.scale(call.v(), call.primal.apply(Fn::multiply, y, rest)));
}

/// s + x s (1 - s), s = sigmoid(x).
void silu(ir::CompositeOp op, Linearisation& at) {
  Call call(op, at);
  Formula& f = call.primal;
  Value x = call.x(), s = language::sigmoid(at.b, x);
  Value slope = f.apply(Fn::multiply, s, f.apply(Fn::subtract, 1.0, s));
  // x s (1 - s) is 0 at both ends: infinity times 0 is not.
  Value bent =
      f.choose(f.apply(Fn::equal, slope, 0.0), f.number(0, x), f.apply(Fn::multiply, x, slope));
  call.set(call.scale(call.v(), f.apply(Fn::add, s, bent)));
}

void softplus(ir::CompositeOp op, Linearisation& at) {
  Call call(op, at);
  call.set(call.scale(call.v(), language::sigmoid(at.b, call.x())));
}

/// With s the sigmoid of c x: -c (1 - s) above 0, c s below it, 0 at 0, where both change alike.
void log1p_of_decay(ir::CompositeOp op, Linearisation& at) {
  Call call(op, at);
  Formula& f = call.primal;
  const double rate = call.number("rate");
  Value x = call.x(), scaled = rate == 1 ? x : f.multiply(rate, x);
  Value above = f.apply(Fn::negative, language::sigmoid(at.b, f.apply(Fn::negative, scaled)));
  Value half = f.choose(f.apply(Fn::equal, x, 0.0), 0.5, f.number(0, x));
  Value below = f.apply(Fn::subtract, language::sigmoid(at.b, scaled), half);
  Value slope = f.choose(f.apply(Fn::greater, x, 0.0), above, below);
  call.set(call.scale(call.v(), rate == 1 ? slope : f.multiply(rate, slope)));
}

/// s v, and y (1 - s) of the gate, with s its sigmoid.
void gated(ir::CompositeOp op, Linearisation& at) {
  Call call(op, at);
  Formula& f = call.primal;
  Value s = language::sigmoid(at.b, call.x(1)), sum;
  if (call.is_active())
    sum = call.scale(call.v(), s);
  if (call.is_active(1)) {
    Value slope = f.apply(Fn::multiply, call.y(), f.apply(Fn::subtract, 1.0, s));
    sum = added(at.linear, sum, call.scale(call.v(1), slope));
  }
  call.set(sum);
}

/// `slope`, or where |x| is so large that its terms cancel, 0 or 1.
Value or_ends(Formula& f, Value x, Value slope) {
  constexpr double kEnd = 40; // bound: both forms of gelu are 0 or x there in f64 too
  Value is_end = f.apply(Fn::greater, f.apply(Fn::abs, x), kEnd);
  Value end = f.choose(f.apply(Fn::greater, x, 0.0), f.number(1, x), f.number(0, x));
  return f.choose(is_end, end, slope);
}

/// (1 + erf(x / sqrt(2))) / 2 + x exp(-x^2 / 2) / sqrt(2 pi)
void gelu(ir::CompositeOp op, Linearisation& at) {
  Call call(op, at);
  Formula& f = call.primal;
  Value x = call.x();
  Value erf = f.apply(Fn::erf, f.multiply(1 / std::numbers::sqrt2, x));
  Value density = f.apply(Fn::exp, f.multiply(-0.5, f.apply(Fn::square, x)));
  density = f.multiply(std::numbers::inv_sqrtpi / std::numbers::sqrt2, density);
  Value slope = f.apply(Fn::add, f.multiply(0.5, f.add(1, erf)), f.apply(Fn::multiply, x, density));
  call.set(call.scale(call.v(), or_ends(f, x, slope)));
}

/// With t = tanh(c (x + a x^3)): (1 + t) / 2 + x (1 - t^2) c (1 + 3 a x^2) / 2.
void gelu_tanh(ir::CompositeOp op, Linearisation& at) {
  constexpr double kCube = 0.044715; // meaning: a of the formula
  const double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  Call call(op, at);
  Formula& f = call.primal;
  Value x = call.x(), square = f.apply(Fn::square, x);
  Value inner = f.apply(Fn::add, x, f.multiply(kCube, f.apply(Fn::multiply, square, x)));
  Value t = f.apply(Fn::tanh, f.multiply(scale, inner));
  Value bend = f.apply(Fn::subtract, 1.0, f.apply(Fn::square, t));
  Value steep = f.multiply(0.5 * scale, f.add(1, f.multiply(3 * kCube, square)));
  Value slope = f.apply(Fn::add, f.multiply(0.5, f.add(1, t)),
                        f.apply(Fn::multiply, x, f.apply(Fn::multiply, bend, steep)));
  call.set(call.scale(call.v(), or_ends(f, x, slope)));
}

/// Transposed: y (v - sum(v y)).
void softmax(ir::CompositeOp op, Linearisation& at) {
  Call call(op, at);
  Value y = call.y(), scaled = call.scale(call.v(), y);
  Value shared = call.scale(call.spread(call.sum(scaled), at.linear), y);
  call.set(call.linear.apply(Fn::subtract, scaled, shared));
}

/// Transposed: v - exp(y) sum(v).
void log_softmax(ir::CompositeOp op, Linearisation& at) {
  Call call(op, at);
  Value odds = call.primal.apply(Fn::exp, call.y()), v = call.v();
  Value shared = call.spread(call.sum(call.scale(v, odds)), at.linear);
  call.set(call.linear.apply(Fn::subtract, v, shared));
}

/// Transposed: v exp(x - y), 0 where y is -inf.
void logsumexp(ir::CompositeOp op, Linearisation& at) {
  Call call(op, at);
  Formula& f = call.primal;
  Value y = call.spread(call.y(), at.b);
  Value odds = f.apply(Fn::exp, f.apply(Fn::subtract, call.x(), y));
  Value none = f.apply(Fn::equal, y, -std::numeric_limits<double>::infinity());
  odds = f.choose(none, f.number(0, odds), odds);
  call.set(call.sum(call.scale(call.v(), odds)));
}

/// Transposed: (x - mean) / (n - correction) / y v, 0 where y is 0.
void standard_deviation(ir::CompositeOp op, Linearisation& at) {
  Call call(op, at);
  Formula& f = call.primal;
  Value x = call.x(), y = call.spread(call.y(), at.b);
  Value centred = f.apply(Fn::subtract, x, call.spread(language::mean(at.b, x, call.dims), at.b));
  const Extent count = language::reduced_count(ir::shape_of(x), call.dims);
  Value slope = f.apply(
      Fn::divide, language::divide_by_count(at.b, centred, count, call.number("correction")), y);
  slope = f.choose(f.apply(Fn::equal, y, 0.0), f.number(0, slope), slope);
  call.set(call.sum(call.scale(call.v(), slope)));
}

/// Transposed, with g = v weight and xh the normalised x: s (g - mean(g) - xh mean(g xh)); without
/// a centre without mean(g).
void norm(ir::CompositeOp op, Linearisation& at, bool is_centred) {
  Call call(op, at);
  Formula& f = call.primal;
  Value x = call.x();
  const Shape shape = ir::shape_of(x);
  const Extent count = language::reduced_count(shape, call.dims);
  if (is_centred)
    x = f.apply(Fn::subtract, x, call.spread(language::mean(at.b, x, call.dims), at.b));
  Value squares = language::combine(at.b, f.apply(Fn::square, x), Fn::add, call.dims);
  Value mean_square = language::divide_by_count(at.b, squares, count);
  Value root = f.apply(Fn::sqrt, f.add(call.number("epsilon"), mean_square));
  Value s = call.spread(f.apply(Fn::divide, f.number(1, root), root), at.b);
  Value normal = f.apply(Fn::multiply, x, s);
  // A parameter over the normalised dims, at the shape of x.
  auto at_shape = [&](Value parameter, Builder& b) {
    Shape placed(shape.size(), Extent(1)), own;
    for (int64_t dim : call.dims) {
      placed[dim] = shape[dim];
      own.push_back(shape[dim]);
    }
    parameter = language::broadcast_to(b, parameter, own);
    return language::broadcast_to(b, language::with_shape(b, parameter, placed), shape);
  };
  const bool has_weight = op->getAttrOfType<mlir::BoolAttr>("has_weight").getValue();
  const auto operands = static_cast<unsigned>(op.getOperands().size());
  Value sum;
  auto add = [&](Value part) { sum = added(at.linear, sum, part); };
  if (call.is_active()) {
    Value h = call.scale(call.v(), s), tangent = h;
    auto take_mean = [&](Value of) {
      return call.spread(language::divide_by_count(at.linear, call.sum(of), count), at.linear);
    };
    if (is_centred)
      tangent = call.linear.apply(Fn::subtract, tangent, take_mean(h));
    Value along = call.scale(take_mean(call.scale(h, normal)), normal);
    tangent = call.linear.apply(Fn::subtract, tangent, along);
    add(has_weight ? call.scale(tangent, at_shape(call.x(1), at.b)) : tangent);
  }
  if (has_weight && call.is_active(1))
    add(call.scale(at_shape(call.v(1), at.linear), normal));
  const unsigned bias = has_weight ? 2 : 1; // meaning: the operand's number
  if (bias < operands && call.is_active(bias))
    add(at_shape(call.v(bias), at.linear));
  call.set(sum);
}

} // namespace

NamedRule named_rule(llvm::StringRef name) {
  return llvm::StringSwitch<NamedRule>(name)
      .Case("associative_scan", associative_scan_rule)
      .Case("monoid", monoid_rule)
      .Case("relu", relu)
      .Case("clip", clip)
      .Case("extreme_at", extreme_at)
      .Case("nextafter", nextafter)
      .Case("sigmoid", sigmoid)
      .Case("silu", silu)
      .Case("softplus", softplus)
      .Case("log1p_of_decay", log1p_of_decay)
      .Case("gated", gated)
      .Case("gelu", gelu)
      .Case("gelu_tanh", gelu_tanh)
      .Case("softmax", softmax)
      .Case("log_softmax", log_softmax)
      .Case("logsumexp", logsumexp)
      .Case("std", standard_deviation)
      .Case("layer_norm", [](ir::CompositeOp op, Linearisation& at) { norm(op, at, true); })
      .Case("rms_norm", [](ir::CompositeOp op, Linearisation& at) { norm(op, at, false); })
      .Default(nullptr);
}

} // namespace kolam::transform::derive
