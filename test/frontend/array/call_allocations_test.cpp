// A call of a compiled function allocates its results and nothing else.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<int64_t> allocations = 0;

// The address sanitizer wants to see every allocation itself.
#if !__has_feature(address_sanitizer)
static void* counted(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size))
    return memory;
  throw std::bad_alloc();
}

// Those of arrays' elements go by posix_memalign and are not counted.
void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace kolam {
namespace {

template <class F> int64_t count(const F& work) {
  int64_t before = allocations;
  work();
  return allocations - before;
}

/// What making the arrays of a call's results allocates.
int64_t count_results(const std::vector<std::vector<int64_t>>& shapes) {
  return count([&] {
    std::vector<Array> results(shapes.size());
    for (size_t i = 0; i < shapes.size(); ++i)
      results[i] = Array::uninitialized(DType::f32, shapes[i]);
  });
}

Array ones(std::vector<int64_t> shape) {
  return full(Shape(shape.begin(), shape.end()), 1.0).array();
}

TEST(CallAllocations, AreThoseOfTheResult) {
  auto f = jit([](Tensor x) { return x + 1; });
  Array x = ones({4});
  f(x); // compiles, and leaves memory for later calls
  f(x);
  EXPECT_EQ(count([&] { Array y = f(x); }), count_results({{4}}));
}

TEST(CallAllocations, DoNotGrowWithArguments) {
  auto f = jit([](std::tuple<Tensor, Tensor> xy, Tensor z) {
    return std::get<0>(xy) + std::get<1>(xy) * z;
  });
  Array x = ones({2, 3});
  auto call = [&] { Array y = f(std::tuple<Tensor, Tensor>(x, x), Tensor(x)); };
  call();
  call();
  EXPECT_EQ(count(call), count_results({{2, 3}}));
}

TEST(CallAllocations, GrowWithResults) {
  auto f = jit([](Tensor x) { return std::tuple(x + 1, sum(x)); });
  Array x = ones({2, 3});
  auto call = [&] { std::tuple<Tensor, Tensor> y = f(x); };
  call();
  call();
  EXPECT_EQ(count(call), count_results({{2, 3}, {}}));
}

} // namespace
} // namespace kolam
