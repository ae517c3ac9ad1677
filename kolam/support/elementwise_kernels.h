/// The loops behind elementwise_host.h; each dtype's are compiled in a file of their own.
#pragma once

#include "kolam/support/elementwise_code.h"
#include "kolam/support/scalar/host_builder.h"

#include <cstdint>
#include <type_traits>

namespace kolam {

/// Runs a function over `count` elements of unit-stride arrays.
using ElementwiseKernel = void (*)(const void* const* inputs, void* output, int64_t count);
using CastKernel = void (*)(const void* input, void* output, int64_t count);

/// The kernel of fn over elements of C++ type T; null where the dtype is not accepted.
template <class T> ElementwiseKernel elementwise_kernel(Fn fn);
/// The kernel that converts from T.
template <class T> CastKernel cast_kernel(DType to);

/// How the host builder sees an element of storage type T: integers without sign, the rest as it
/// is.
template <class T, bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>>
struct HostValueOf {
  using type = T;
};
template <class T> struct HostValueOf<T, true> {
  using type = std::make_unsigned_t<T>;
};
template <class T> using HostValue = typename HostValueOf<T>::type;

template <Fn fn, class T>
inline void run_elementwise(const void* const* inputs, void* output, int64_t count) {
  constexpr DType dtype = dtype_of<T>();
  constexpr int arity = elementwise_row(fn).arity;
  using Value = HostValue<T>;
  using First = std::conditional_t<fn == Fn::where, bool, Value>;
  using Result = std::conditional_t<elementwise_row(fn).gives_boolean, bool, Value>;
  scalar::HostBuilder b;
  const auto* x = static_cast<const First*>(inputs[0]);
  auto* result = static_cast<Result*>(output);
  if constexpr (arity == 1) {
    for (int64_t i = 0; i < count; ++i)
      result[i] = elementwise<fn, dtype>(b, x[i]);
  } else if constexpr (arity == 2) {
    const auto* y = static_cast<const Value*>(inputs[1]);
    for (int64_t i = 0; i < count; ++i)
      result[i] = elementwise<fn, dtype>(b, x[i], y[i]);
  } else {
    const auto* y = static_cast<const Value*>(inputs[1]);
    const auto* z = static_cast<const Value*>(inputs[2]);
    for (int64_t i = 0; i < count; ++i)
      result[i] = elementwise<fn, dtype>(b, x[i], y[i], z[i]);
  }
}

#if defined(__x86_64__) && defined(__GNUC__)
/// The same loop with the FMA instruction in place of a library call: the same bits, ten times
/// faster.
template <Fn fn, class T>
__attribute__((target("avx2,fma"), flatten)) void
run_elementwise_with_fma(const void* const* inputs, void* output, int64_t count) {
  run_elementwise<fn, T>(inputs, output, count);
}
template <Fn fn, class T> ElementwiseKernel fastest_kernel() {
  static const bool has_fma = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
  return has_fma ? &run_elementwise_with_fma<fn, T> : &run_elementwise<fn, T>;
}
#else
template <Fn fn, class T> ElementwiseKernel fastest_kernel() { return &run_elementwise<fn, T>; }
#endif

template <class T> ElementwiseKernel elementwise_kernel(Fn fn) {
  return visit_fn(fn, [](auto tag) -> ElementwiseKernel {
    constexpr Fn known_fn = decltype(tag)::value;
    if constexpr (!accepts(known_fn, dtype_of<T>()))
      return nullptr;
    else if constexpr (is_float(dtype_of<T>()))
      return fastest_kernel<known_fn, T>();
    else
      return &run_elementwise<known_fn, T>;
  });
}

template <class From, class To> void run_cast(const void* input, void* output, int64_t count) {
  scalar::HostBuilder b;
  const auto* x = static_cast<const HostValue<From>*>(input);
  auto* result = static_cast<HostValue<To>*>(output);
  for (int64_t i = 0; i < count; ++i)
    result[i] = scalar::cast<dtype_of<From>(), dtype_of<To>()>(b, x[i]);
}

template <class T> CastKernel cast_kernel(DType to) {
  return visit_dtype(
      to, [](auto type) -> CastKernel { return &run_cast<T, typename decltype(type)::type>; });
}

} // namespace kolam
