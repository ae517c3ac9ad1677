/// Running a function of lists at once and jitted on every backend: all equal.
#pragma once

#include "kolam/kolam.h"

#include <gtest/gtest.h>

#include <tuple>

namespace kolam::fractal::test {

inline void expect_same(const Tensor& a, const Tensor& b) {
  EXPECT_TRUE(runtime::same_bits(a.array(), b.array())) << a << "\nand\n" << b;
}
template <class E> void expect_same(const FractalTensor<E>& a, const FractalTensor<E>& b) {
  ASSERT_EQ(a.parts().size(), b.parts().size());
  for (size_t part = 0; part < a.parts().size(); ++part)
    EXPECT_TRUE(runtime::same_bits(a.parts()[part].host(), b.parts()[part].host()))
        << a << "\nand\n"
        << b;
}
template <class... T> void expect_same(const std::tuple<T...>& a, const std::tuple<T...>& b) {
  [&]<size_t... i>(std::index_sequence<i...>) {
    (expect_same(std::get<i>(a), std::get<i>(b)), ...);
  }(std::index_sequence_for<T...>());
}
template <class A, class B> void expect_same(const std::pair<A, B>& a, const std::pair<A, B>& b) {
  expect_same(a.first, b.first);
  expect_same(a.second, b.second);
}

/// What `function` gives at once, to which the interpreter and native code are equal bit for bit.
template <class F, class... Arguments>
auto everywhere(const F& function, const Arguments&... arguments) {
  auto expected = function(arguments...);
  for (Backend backend : {Backend::interpret, Backend::cpu})
    expect_same(jit(function, {.backend = backend})(arguments...), expected);
  return expected;
}

using Ints = FractalTensor<Tensor>;
using Rows = FractalTensor<Ints>;

/// Scalars of int64.
inline Ints ints(std::initializer_list<int64_t> values) { return list<int64_t>(values); }
inline Rows rows(std::initializer_list<std::initializer_list<int64_t>> values) {
  return list<int64_t>(values);
}

} // namespace kolam::fractal::test
