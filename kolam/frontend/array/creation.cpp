// Calls the functions that make tensors.
#include "kolam/frontend/array/creation.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/language/arange.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/promotion.h"

namespace kolam {
namespace {

using language::Builder;
using language::Value;
using language::Values;

CallScope scope_of(std::string_view function, const Here& here) {
  return CallScope(function, {here.file_name(), static_cast<int>(here.line())});
}

/// Calls `make` without operands: in the current trace, or at once.
Tensor make(std::string_view function, const std::function<Value(Builder&)>& body) {
  return apply_one(function, {}, [&](Builder& b, const Values&) { return body(b); });
}

Tensor filled(std::string_view function, const Shape& shape, int64_t value, DType dtype,
              const Here& here) {
  CallScope scope = scope_of(function, here);
  return make(function, [&](Builder& b) {
    return language::full(b, shape, language::weak_constant(b, value, dtype));
  });
}

/// The scalar that an operand holds, if its value is known now.
std::optional<language::WeakScalar> scalar_of(const Operand& operand) {
  return std::visit(
      [](const auto& value) -> std::optional<language::WeakScalar> {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, Extent>)
          return std::nullopt;
        else
          return value;
      },
      operand.value());
}

Tensor filled_like(std::string_view function, const Operand& x, int64_t value,
                   std::optional<DType> dtype) {
  return apply_one(function, {x}, [&](Builder& b, const Values& v) {
    DType result = dtype.value_or(ir::dtype_of(v[0]));
    return language::full(b, ir::shape_of(v[0]), language::weak_constant(b, value, result));
  });
}

Tensor triangle(std::string_view function, const Operand& x, language::Triangle kept, int64_t k) {
  return apply_one(function, {x}, [&](Builder& b, const Values& v) {
    return language::triangle(b, v[0], kept, k);
  });
}

} // namespace

Tensor arange(const Number& start, const Number& stop, const Number& step,
              std::optional<DType> dtype, Here here) {
  CallScope scope = scope_of("arange", here);
  return make("arange", [&](Builder& b) { return language::arange(b, start, stop, step, dtype); });
}

Tensor arange(const Number& stop, std::optional<DType> dtype, Here here) {
  return arange(0, stop, 1, dtype, here);
}

Tensor zeros(const Shape& shape, DType dtype, Here here) {
  return filled("zeros", shape, 0, dtype, here);
}

Tensor ones(const Shape& shape, DType dtype, Here here) {
  return filled("ones", shape, 1, dtype, here);
}

Tensor empty(const Shape& shape, DType dtype, Here here) {
  return filled("empty", shape, 0, dtype, here);
}

Tensor full(const Shape& shape, const Operand& fill_value, std::optional<DType> dtype) {
  CallScope scope("full", fill_value.where());
  if (auto scalar = scalar_of(fill_value))
    return make("full", [&](Builder& b) {
      DType result = dtype.value_or(language::default_dtype(*scalar));
      return language::full(b, shape, language::weak_constant(b, *scalar, result));
    });
  return apply_one("full", {traced_for(shape, with_dtype(fill_value, dtype))},
                   [&](Builder& b, const Values& v) {
                     DType result = dtype.value_or(ir::dtype_of(v[0]));
                     return language::full(b, shape, language::cast(b, v[0], result));
                   });
}

Tensor extent(const Extent& value, Here here) {
  CallScope scope = scope_of("extent", here);
  return make("extent", [&](Builder& b) { return language::extent_scalar(b, value, DType::i64); });
}

Tensor zeros_like(const Operand& x, std::optional<DType> dtype) {
  return filled_like("zeros_like", x, 0, dtype);
}

Tensor ones_like(const Operand& x, std::optional<DType> dtype) {
  return filled_like("ones_like", x, 1, dtype);
}

Tensor empty_like(const Operand& x, std::optional<DType> dtype) {
  return filled_like("empty_like", x, 0, dtype);
}

Tensor full_like(const Operand& x, const Operand& fill_value, std::optional<DType> dtype) {
  if (auto scalar = scalar_of(fill_value))
    return apply_one("full_like", {x}, [&](Builder& b, const Values& v) {
      DType result = dtype.value_or(ir::dtype_of(v[0]));
      return language::full(b, ir::shape_of(v[0]), language::weak_constant(b, *scalar, result));
    });
  CallScope scope("full_like", x.where());
  auto* like = std::get_if<Tensor>(&x.value());
  Operand typed = with_dtype(fill_value, dtype  ? dtype
                                         : like ? std::optional(like->dtype())
                                                : dtype);
  return apply_one("full_like", {x, typed.apart()}, [&](Builder& b, const Values& v) {
    DType result = dtype.value_or(ir::dtype_of(v[0]));
    return language::full(b, ir::shape_of(v[0]), language::cast(b, v[1], result));
  });
}

Tensor eye(const Extent& rows, std::optional<Extent> columns, int64_t k, DType dtype, Here here) {
  CallScope scope = scope_of("eye", here);
  return make("eye",
              [&](Builder& b) { return language::eye(b, rows, columns.value_or(rows), k, dtype); });
}

Tensor linspace(const Operand& start, const Operand& stop, const Extent& num, bool endpoint,
                std::optional<DType> dtype) {
  CallScope scope("linspace", start.where());
  auto body = [&](Builder& b, Value first, Value last) {
    return language::linspace(b, first, last, num, endpoint, dtype);
  };
  auto first = scalar_of(start), last = scalar_of(stop);
  // Scalars keep their f64 value, and must not decide against a symbolic `num` by running at once.
  if (first && last)
    return make("linspace", [&](Builder& b) {
      Value points = body(b, language::weak_constant(b, *first, DType::f64),
                          language::weak_constant(b, *last, DType::f64));
      return language::cast(b, points, dtype.value_or(DType::f32));
    });
  return apply_one("linspace",
                   {traced_for({num}, with_dtype(start)), traced_for({num}, with_dtype(stop))},
                   [&](Builder& b, const Values& v) { return body(b, v[0], v[1]); });
}

Tensor tril(const Operand& x, int64_t k) {
  return triangle("tril", x, language::Triangle::lower, k);
}

Tensor triu(const Operand& x, int64_t k) {
  return triangle("triu", x, language::Triangle::upper, k);
}

std::vector<Tensor> meshgrid(const std::vector<Operand>& arrays, Indexing indexing) {
  if (arrays.empty())
    return {};
  return apply("meshgrid", arrays, [&](Builder& b, const Values& v) {
    return language::meshgrid(b, v, indexing == Indexing::xy);
  });
}

Tensor one_hot(const Operand& x, const Extent& depth, DType dtype) {
  CallScope scope("one_hot", x.where());
  return apply_one("one_hot", {traced_for({depth}, x)}, [&](Builder& b, const Values& v) {
    return language::one_hot(b, v[0], depth, dtype);
  });
}

Tensor fromfunction(const std::function<Tensor(std::vector<Tensor>)>& f, const Shape& shape,
                    Here here) {
  auto index = [&](size_t dim) {
    CallScope scope = scope_of("fromfunction", here);
    return make("fromfunction", [&](Builder& b) {
      language::require_shape(b, shape);
      return language::iota(b, shape, static_cast<int64_t>(dim), language::index_dtype(shape));
    });
  };
  auto record = [&] {
    std::vector<Tensor> indices;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      indices.push_back(index(dim));
    Tensor result = f(std::move(indices));
    CallScope scope = scope_of("fromfunction", here);
    return full(shape, result);
  };
  if (Trace::current())
    return record();
  // Not through `apply`: arrays that `f` captures belong to this one program.
  Program program = trace({}, [&](std::vector<Tensor>) { return std::vector<Tensor>{record()}; });
  return program.run({})[0];
}

Tensor astype(const Operand& x, DType dtype) {
  if (scalar_of(x) || scalar_parameter(x))
    return full({}, x, dtype);
  return apply_one("astype", {x},
                   [&](Builder& b, const Values& v) { return language::cast(b, v[0], dtype); });
}

Tensor bitcast(const Operand& x, DType dtype) {
  return apply_one("bitcast", {x},
                   [&](Builder& b, const Values& v) { return language::bitcast(b, v[0], dtype); });
}

} // namespace kolam
