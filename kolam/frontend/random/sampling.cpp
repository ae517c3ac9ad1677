// Calls random orders, choices and further distributions.
#include "kolam/frontend/random/sampling.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/promotion.h"
#include "kolam/language/random.h"
#include "kolam/language/sampling.h"

namespace kolam::random {
namespace {

using language::Builder;
using language::Value;
using language::Values;

using Draw = std::function<Value(Builder& b, Value key, const Values& operands)>;

Tensor call(std::string_view function, const Operand& key, const Shape& shape,
            const std::vector<Operand>& others, const Draw& draw) {
  CallScope scope(function, key.where());
  std::vector<Operand> operands{traced_for(shape, key).apart()};
  operands.insert(operands.end(), others.begin(), others.end());
  return apply(function, operands, [&](Builder& b, const Values& v) {
    language::require_key(v[0]);
    language::LocationNote note(b, std::string(language::kWrapsOnPurpose));
    return Values{draw(b, v[0], Values(v.begin() + 1, v.end()))};
  })[0];
}

/// How many numbers a scalar stands for; nullopt for a tensor with dims.
std::optional<int64_t> count_of(const Operand& operand, std::string_view argument) {
  auto require_count = [&](int64_t count) {
    if (count < 0)
      language::fail_argument(ErrorKind::value, "negative-count", argument, "0 or more",
                              std::to_string(count));
    return count;
  };
  if (auto* number = std::get_if<int64_t>(&operand.value()))
    return require_count(*number);
  auto* tensor = std::get_if<Tensor>(&operand.value());
  if (!tensor)
    language::fail_argument(ErrorKind::type, "dtype-mismatch", argument,
                            "an integer or an array with dims", "a scalar of another kind");
  if (tensor->is_empty() || tensor->rank() > 0)
    return std::nullopt;
  if (!is_integer(tensor->dtype()))
    language::fail_argument(ErrorKind::type, "dtype-mismatch", argument,
                            "an integer or an array with dims", std::string(name(tensor->dtype())));
  return require_count(Array(astype(*tensor, DType::i64)).item<int64_t>());
}

bool is_number(const Operand& operand) {
  return std::holds_alternative<double>(operand.value()) ||
         std::holds_alternative<int64_t>(operand.value());
}

/// A number keeps its digits until it has the draws' dtype.
Value bound(Builder& b, const Operand& operand, const Values& values, size_t& next, DType dtype) {
  if (!is_float(dtype) || !is_number(operand))
    return is_number(operand) ? language::weak_constant(b, int64_t{0}, DType::f32) : values[next++];
  if (auto* number = std::get_if<double>(&operand.value()))
    return language::weak_constant(b, *number, dtype);
  return language::weak_constant(b, static_cast<double>(std::get<int64_t>(operand.value())), dtype);
}

} // namespace

Tensor permutation(const Operand& key, const Operand& x, int64_t axis, bool independent) {
  CallScope scope("permutation", key.where());
  if (std::optional<int64_t> count = count_of(x, "x"))
    return call("permutation", key, {}, {}, [&](Builder& b, Value key, const Values&) {
      Extent extent(*count);
      Value numbers = language::iota(b, {extent}, 0, language::index_dtype({extent}));
      return language::permutation(b, key, numbers, axis, independent);
    });
  return call("permutation", key, {}, {x}, [&](Builder& b, Value key, const Values& v) {
    return language::permutation(b, key, v[0], axis, independent);
  });
}

Tensor choice(const Operand& key, const Operand& a, const Shape& shape, bool replace,
              const std::optional<Operand>& p, int64_t axis) {
  CallScope scope("choice", key.where());
  std::optional<int64_t> count = count_of(a, "a");
  std::vector<Operand> operands;
  if (!count)
    operands.push_back(a);
  if (p)
    operands.push_back(p->apart());
  return call("choice", key, shape, operands, [&](Builder& b, Value key, const Values& v) {
    language::Choice draws;
    draws.shape = shape;
    draws.replace = replace;
    language::require_shape(b, shape);
    if (count) {
      normalize_axis(axis, 1);
      draws.count = *count;
    } else {
      draws.a = v[0];
      draws.axis = normalize_axis(axis, ir::rank_of(v[0]));
      draws.count = ir::shape_of(v[0])[draws.axis];
    }
    if (p)
      draws.p = v.back();
    return language::choice(b, key, draws);
  });
}

Tensor categorical(const Operand& key, const Operand& logits, int64_t axis,
                   const std::optional<Shape>& shape, bool replace) {
  return call("categorical", key, shape.value_or(Shape()), {logits},
              [&](Builder& b, Value key, const Values& v) {
                return language::categorical(b, key, v[0], axis, shape, replace);
              });
}

Tensor gumbel(const Operand& key, const Shape& shape, DType dtype) {
  return call("gumbel", key, shape, {}, [&](Builder& b, Value key, const Values&) {
    return language::gumbel(b, key, shape, dtype);
  });
}

Tensor exponential(const Operand& key, const Shape& shape, DType dtype) {
  return call("exponential", key, shape, {}, [&](Builder& b, Value key, const Values&) {
    return language::exponential(b, key, shape, dtype);
  });
}

Tensor truncated_normal(const Operand& key, const Operand& lower, const Operand& upper,
                        const std::optional<Shape>& shape, DType dtype) {
  std::vector<Operand> operands;
  for (const Operand* operand : {&lower, &upper})
    if (!is_number(*operand))
      operands.push_back(operand->apart());
  return call(
      "truncated_normal", key, shape.value_or(Shape()), operands,
      [&](Builder& b, Value key, const Values& v) {
        size_t next = 0;
        Value least = bound(b, lower, v, next, dtype);
        Value most = bound(b, upper, v, next, dtype);
        Shape common = language::broadcast_shapes(b, {ir::shape_of(least), ir::shape_of(most)});
        return language::truncated_normal(b, key, least, most, shape.value_or(common), dtype);
      });
}

} // namespace kolam::random
