// Composes normalisations.
#include "kolam/language/normalization.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/composite.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/zip_map_reduce.h"

namespace kolam::language {
namespace {

Value widened(Builder& b, Value x) { return cast(b, x, wide_dtype(ir::dtype_of(x))); }

/// x - max(x), where a maximum that is not finite is left out.
Value centred_at_max(Builder& b, Value x, const Axes& dims) {
  Value shift = finite_or_zero(b, combine(b, x, Fn::maximum, dims));
  return elementwise(b, Fn::subtract, {x, spread(b, shift, ir::shape_of(x), dims)});
}

/// log_softmax of a value that already has its wide dtype.
Value wide_log_softmax(Builder& b, Value x, const Axes& dims) {
  Value centred = centred_at_max(b, x, dims);
  Value sum = combine(b, elementwise(b, Fn::exp, {centred}), Fn::add, dims);
  Value log = spread(b, elementwise(b, Fn::log, {sum}), ir::shape_of(x), dims);
  return elementwise(b, Fn::subtract, {centred, log});
}

/// A weight or bias over the normalised dims, at the shape of x.
Value at_shape(Builder& b, Value parameter, Value x, const Axes& dims, std::string_view argument) {
  Shape shape = ir::shape_of(x), expected, placed(shape.size(), Extent(1));
  for (int64_t dim : dims) {
    expected.push_back(shape[dim]);
    placed[dim] = shape[dim];
  }
  if (ir::rank_of(parameter) != static_cast<int64_t>(expected.size()))
    fail_argument(ErrorKind::value, "shape-mismatch", argument, to_string(expected),
                  to_string(ir::shape_of(parameter)));
  parameter = broadcast_to(b, widened(b, parameter), expected);
  return broadcast_to(b, with_shape(b, parameter, placed), shape);
}

/// x / sqrt(mean(x^2) + epsilon) of a value that has its wide dtype.
Value over_root_mean_square(Builder& b, Value x, double epsilon, const Axes& dims) {
  Shape shape = ir::shape_of(x);
  Value sum = combine(b, elementwise(b, Fn::square, {x}), Fn::add, dims);
  Value mean_square = divide_by_count(b, sum, reduced_count(shape, dims));
  Value shifted =
      elementwise(b, Fn::add, {mean_square, weak_constant(b, epsilon, ir::dtype_of(mean_square))});
  Value root = elementwise(b, Fn::sqrt, {shifted});
  return elementwise(b, Fn::divide, {x, spread(b, root, shape, dims)});
}

} // namespace

namespace {

Value softmax_of(Builder& b, Value x, const Axes& dims) {
  DType dtype = float_dtype(ir::dtype_of(x));
  Value powers = elementwise(b, Fn::exp, {centred_at_max(b, widened(b, x), dims)});
  Value sum = spread(b, combine(b, powers, Fn::add, dims), ir::shape_of(x), dims);
  return cast(b, elementwise(b, Fn::divide, {powers, sum}), dtype);
}

Value log_softmax_of(Builder& b, Value x, const Axes& dims) {
  DType dtype = float_dtype(ir::dtype_of(x));
  return cast(b, wide_log_softmax(b, widened(b, x), dims), dtype);
}

} // namespace

Value softmax(Builder& b, Value x, const Axes& dims) {
  return composite(b, "softmax", {x}, {dims_attribute(b, dims)},
                   [&](const Values& own) { return softmax_of(b, own[0], dims); });
}

Value log_softmax(Builder& b, Value x, const Axes& dims) {
  return composite(b, "log_softmax", {x}, {dims_attribute(b, dims)},
                   [&](const Values& own) { return log_softmax_of(b, own[0], dims); });
}

namespace {

Value layer_norm_of(Builder& b, Value x, Value weight, Value bias, double epsilon,
                    const Axes& dims) {
  DType dtype = float_dtype(ir::dtype_of(x));
  Value wide = widened(b, x);
  Value centre = spread(b, mean(b, wide, dims), ir::shape_of(x), dims);
  Value centred = elementwise(b, Fn::subtract, {wide, centre});
  Value result = over_root_mean_square(b, centred, epsilon, dims);
  if (weight)
    result = elementwise(b, Fn::multiply, {result, at_shape(b, weight, x, dims, "weight")});
  if (bias)
    result = elementwise(b, Fn::add, {result, at_shape(b, bias, x, dims, "bias")});
  return cast(b, result, dtype);
}

Value rms_norm_of(Builder& b, Value x, Value weight, double epsilon, const Axes& dims) {
  DType dtype = float_dtype(ir::dtype_of(x));
  Value result = over_root_mean_square(b, widened(b, x), epsilon, dims);
  if (weight)
    result = elementwise(b, Fn::multiply, {result, at_shape(b, weight, x, dims, "weight")});
  return cast(b, result, dtype);
}

/// The operands of a norm, those parameters that are there.
Values norm_operands(Value x, std::initializer_list<Value> parameters) {
  Values operands{x};
  for (Value parameter : parameters)
    if (parameter)
      operands.push_back(parameter);
  return operands;
}

} // namespace

Value layer_norm(Builder& b, Value x, Value weight, Value bias, double epsilon, const Axes& dims) {
  return composite(b, "layer_norm", norm_operands(x, {weight, bias}),
                   {dims_attribute(b, dims), b.getNamedAttr("epsilon", b.getF64FloatAttr(epsilon)),
                    b.getNamedAttr("has_weight", b.getBoolAttr(static_cast<bool>(weight)))},
                   [&](const Values& own) {
                     return layer_norm_of(b, own[0], weight ? own[1] : Value(),
                                          bias ? own.back() : Value(), epsilon, dims);
                   });
}

Value rms_norm(Builder& b, Value x, Value weight, double epsilon, const Axes& dims) {
  return composite(b, "rms_norm", norm_operands(x, {weight}),
                   {dims_attribute(b, dims), b.getNamedAttr("epsilon", b.getF64FloatAttr(epsilon)),
                    b.getNamedAttr("has_weight", b.getBoolAttr(static_cast<bool>(weight)))},
                   [&](const Values& own) {
                     return rms_norm_of(b, own[0], weight ? own[1] : Value(), epsilon, dims);
                   });
}

Value is_class(Builder& b, std::string_view function, Value label, const Extent& classes) {
  Value zero = weak_constant(b, int64_t{0}, DType::i64);
  Value at_least = elementwise(b, Fn::greater_equal, {label, zero});
  Value below = elementwise(b, Fn::less, {label, extent_value(b, classes)});
  LocationNote note(b, std::string(kMustHold) + std::string(function) +
                           ": argument 'labels': expected classes in [0, " + classes.to_string() +
                           "), but got one outside");
  return elementwise(b, Fn::logical_and, {at_least, below});
}

Value cross_entropy(Builder& b, Value logits, Value labels, int64_t dim) {
  DType dtype = float_dtype(ir::dtype_of(logits));
  Shape shape = ir::shape_of(logits);
  Value log_odds = log_softmax(b, widened(b, logits), {dim});
  Value chosen, lies_in;
  if (is_float(ir::dtype_of(labels))) {
    Value odds = broadcast_to(b, widened(b, labels), shape);
    // A class without probability counts nothing, even where its logit is -inf.
    Value none = elementwise(b, Fn::equal, {odds, weak_constant(b, 0.0, ir::dtype_of(odds))});
    Value product = elementwise(b, Fn::multiply, {odds, log_odds});
    chosen =
        elementwise(b, Fn::where, {none, weak_constant(b, 0.0, ir::dtype_of(product)), product});
  } else {
    Shape kept = shape;
    kept.erase(kept.begin() + dim);
    Value classes = ir::IotaOp::create(b, tensor_type(b, DType::i64, shape), dim);
    Value label = cast(b, broadcast_to(b, labels, kept), DType::i64);
    Value hit = elementwise(b, Fn::equal, {classes, spread(b, label, shape, {dim})});
    chosen =
        elementwise(b, Fn::where, {hit, log_odds, weak_constant(b, 0.0, ir::dtype_of(log_odds))});
    lies_in = is_class(b, "cross_entropy", label, shape[dim]);
  }
  Value loss = elementwise(b, Fn::negative, {combine(b, chosen, Fn::add, {dim})});
  if (lies_in) {
    Value none = weak_constant(b, std::numeric_limits<double>::quiet_NaN(), ir::dtype_of(loss));
    loss = elementwise(b, Fn::where, {lies_in, loss, none});
  }
  return cast(b, loss, dtype);
}

} // namespace kolam::language
