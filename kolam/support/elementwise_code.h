/// The code of every elementwise function and cast, for any builder: run by the interpreter,
/// emitted by the backends.
#pragma once

#include "kolam/support/elementwise_float_code.h"
#include "kolam/support/elementwise_integer_code.h"
#include "kolam/support/error.h"
#include "kolam/support/scalar/convert.h"

#include <span>

namespace kolam {

/// fn(operands...) on values of `dtype`; the result has the dtype `result_dtype(fn, dtype)`.
/// Booleans are conditions (i1), so is the first operand of `where`. f16 and bf16 values are
/// storage: they are widened to f32 and the result is rounded once.
template <Fn fn, DType dtype, class B, class First, class... Rest>
auto elementwise(B& b, First first, Rest... rest) {
  static_assert(accepts(fn, dtype));
  static_assert(1 + sizeof...(rest) == elementwise_row(fn).arity);
  if constexpr (fn == Fn::where)
    return b.select(first, rest...);
  else if constexpr (dtype == DType::boolean)
    return elementwise_boolean<fn>(b, first, rest...);
  else if constexpr (is_integer(dtype))
    return elementwise_integer<fn, dtype>(b, first, rest...);
  else if constexpr (!is_narrow_float(dtype))
    return elementwise_float<fn, dtype>(b, first, rest...);
  else {
    auto result = elementwise_float<fn, DType::f32>(b, scalar::widen_narrow_float<dtype>(b, first),
                                                    scalar::widen_narrow_float<dtype>(b, rest)...);
    if constexpr (elementwise_row(fn).gives_boolean)
      return result;
    else
      return scalar::round_to_narrow_float<DType::f32, dtype>(b, result);
  }
}

/// The same with function and dtype known at run time, for builders whose values all have one C++
/// type.
template <class B, class V> V elementwise(B& b, Fn fn, DType dtype, std::span<const V> operands) {
  KOLAM_CHECK(accepts(fn, dtype));
  KOLAM_CHECK(static_cast<int>(operands.size()) == elementwise_row(fn).arity);
  return visit_fn(fn, [&](auto fn_tag) -> V {
    return visit_dtype(dtype, [&](auto type) -> V {
      constexpr Fn known_fn = decltype(fn_tag)::value;
      constexpr DType known_dtype = dtype_of<typename decltype(type)::type>();
      constexpr int arity = elementwise_row(known_fn).arity;
      if constexpr (!accepts(known_fn, known_dtype))
        return V{};
      else if constexpr (arity == 1)
        return elementwise<known_fn, known_dtype>(b, operands[0]);
      else if constexpr (arity == 2)
        return elementwise<known_fn, known_dtype>(b, operands[0], operands[1]);
      else
        return elementwise<known_fn, known_dtype>(b, operands[0], operands[1], operands[2]);
    });
  });
}

/// scalar::cast with dtypes known at run time, for builders whose values all have one C++ type.
template <class B, class V> V cast(B& b, DType from, DType to, V x) {
  return visit_dtype(from, [&](auto from_type) -> V {
    return visit_dtype(to, [&](auto to_type) -> V {
      return scalar::cast<dtype_of<typename decltype(from_type)::type>(),
                          dtype_of<typename decltype(to_type)::type>()>(b, x);
    });
  });
}

} // namespace kolam
