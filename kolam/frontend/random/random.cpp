// Calls the functions of random numbers.
#include "kolam/frontend/random/random.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/language/promotion.h"
#include "kolam/language/random.h"

namespace kolam::random {
namespace {

using language::Builder;
using language::Value;
using language::Values;

/// A parameter beside a key: a tensor, or a scalar that keeps its own kind instead of taking the
/// key's dtype.
class Parameter {
public:
  Parameter(const Operand& operand) : operand_(operand) {}

  /// Whether it is an operand of the call: a tensor, or an extent, which only the run knows.
  bool is_operand() const {
    return std::holds_alternative<Tensor>(operand_.value()) ||
           std::holds_alternative<Extent>(operand_.value());
  }
  /// A scalar parameter of the program as `constant` has it.
  Operand typed(DType dtype) const {
    const ScalarParameter* scalar = scalar_parameter(operand_);
    bool is_float_beside_integers =
        scalar && std::holds_alternative<double>(scalar->like) && !is_float(dtype);
    return with_dtype(operand_, is_float_beside_integers ? DType::f32 : dtype).apart();
  }
  /// The scalar at `dtype`; a float beside integers stays one.
  Value constant(Builder& b, DType dtype) const {
    if (auto* number = std::get_if<double>(&operand_.value()))
      return language::weak_constant(b, *number, is_float(dtype) ? dtype : DType::f32);
    if (auto* truth = std::get_if<bool>(&operand_.value()))
      return language::weak_constant(b, *truth, DType::boolean);
    if (auto* large = std::get_if<uint64_t>(&operand_.value()))
      return language::weak_constant(b, *large, dtype);
    return language::weak_constant(b, std::get<int64_t>(operand_.value()), dtype);
  }

private:
  const Operand& operand_;
};

using Draw = std::function<Value(Builder& b, Value key, const Values& parameters)>;

/// Calls `draw` on the values of a key and of parameters, scalars among them at `scalar_dtype`.
Tensor call(std::string_view function, const Operand& key, const Shape& shape,
            const std::vector<Parameter>& parameters, DType scalar_dtype, const Draw& draw) {
  CallScope scope(function, key.where());
  std::vector<Operand> operands{traced_for(shape, key)};
  for (const Parameter& parameter : parameters)
    if (parameter.is_operand())
      operands.push_back(traced_for(shape, parameter.typed(scalar_dtype)));
  return apply(function, operands, [&](Builder& b, const Values& v) {
    Values values;
    size_t next = 1;
    for (const Parameter& parameter : parameters)
      values.push_back(parameter.is_operand() ? v[next++] : parameter.constant(b, scalar_dtype));
    language::require_key(v[0]);
    language::LocationNote note(b, std::string(language::kWrapsOnPurpose));
    return Values{draw(b, v[0], values)};
  })[0];
}

bool is_number(const Operand& operand, double value) {
  auto* number = std::get_if<double>(&operand.value());
  return number && *number == value;
}

} // namespace

Tensor key(const Operand& seed) {
  auto* number = std::get_if<int64_t>(&seed.value());
  auto* large = std::get_if<uint64_t>(&seed.value());
  if (number || large) {
    CallScope scope("key", seed.where());
    int64_t bits = number ? *number : static_cast<int64_t>(*large);
    return apply_one("key", {},
                     [&](Builder& b, const Values&) { return language::constant_key(b, bits); });
  }
  CallScope scope("key", seed.where());
  const ScalarParameter* scalar = scalar_parameter(seed);
  std::optional<DType> wide;
  if (scalar && !std::holds_alternative<double>(scalar->like))
    wide = std::holds_alternative<uint64_t>(scalar->like) ? DType::u64 : DType::i64;
  return apply_one("key", {with_dtype(seed, wide)}, [](Builder& b, const Values& v) {
    language::LocationNote note(b, std::string(language::kWrapsOnPurpose));
    return language::make_key(b, v[0]);
  });
}

Tensor split(const Operand& key, const Extent& num) {
  return call("split", key, {num}, {}, DType::i64,
              [&](Builder& b, Value key, const Values&) { return language::split(b, key, num); });
}

Tensor fold_in(const Operand& key, const Operand& data) {
  return call("fold_in", key, {}, {data}, DType::i64, [](Builder& b, Value key, const Values& v) {
    return language::fold_in(b, key, v[0]);
  });
}

Tensor bits(const Operand& key, const Shape& shape, int64_t width, Generator generator) {
  return call("bits", key, shape, {}, DType::u32, [&](Builder& b, Value key, const Values&) {
    return language::bits(b, key, shape, width, generator);
  });
}

Tensor uniform(const Operand& key, const Shape& shape, DType dtype, const Operand& minval,
               const Operand& maxval, Generator generator) {
  // u (1 - 0) + 0 is u.
  if (is_number(minval, 0) && is_number(maxval, 1))
    return call("uniform", key, shape, {}, dtype, [&](Builder& b, Value key, const Values&) {
      return language::unit_uniform(b, key, shape, dtype, generator);
    });
  return call("uniform", key, shape, {minval, maxval}, dtype,
              [&](Builder& b, Value key, const Values& v) {
                return language::uniform(b, key, shape, dtype, v[0], v[1], generator);
              });
}

Tensor randint(const Operand& key, const Shape& shape, const Operand& minval, const Operand& maxval,
               DType dtype) {
  return call("randint", key, shape, {minval, maxval}, DType::i64,
              [&](Builder& b, Value key, const Values& v) {
                return language::randint(b, key, shape, v[0], v[1], dtype);
              });
}

Tensor bernoulli(const Operand& key, const Operand& p, const Shape& shape) {
  return call("bernoulli", key, shape, {p}, DType::f32,
              [&](Builder& b, Value key, const Values& v) {
                return language::bernoulli(b, key, v[0], shape);
              });
}

Tensor bernoulli(const Operand& key, const Operand& p) {
  auto* tensor = std::get_if<Tensor>(&p.value());
  return bernoulli(key, p, tensor && !tensor->is_empty() ? tensor->shape() : Shape());
}

Tensor normal(const Operand& key, const Shape& shape, DType dtype) {
  return call("normal", key, shape, {}, dtype, [&](Builder& b, Value key, const Values&) {
    return language::normal(b, key, shape, dtype);
  });
}

Tensor dropout(const Operand& key, const Operand& x, double p) {
  return call("dropout", key, {}, {x}, DType::f32, [&](Builder& b, Value key, const Values& v) {
    return language::dropout(b, key, v[0], p);
  });
}

} // namespace kolam::random
