// Steps into the caller's memory: no allocation, no lock, no call of the system. A program of its
// own, as it counts malloc.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <random>

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The sanitizers want to see every allocation themselves.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define COUNTS_ALLOCATIONS 1
static std::atomic<int64_t> allocations = 0;

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  ++allocations;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
void* aligned_alloc(size_t alignment, size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}
#endif

namespace kolam {
namespace {

using layout::Stream;

[[maybe_unused]] constexpr int kSteps = 10'000;

Array random_array(std::vector<int64_t> shape, uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(0, 0.2f);
  Array array = Array::uninitialized(DType::f32, std::move(shape));
  for (float& value : array.mutable_values<float>())
    value = normal(generator);
  return array;
}

/// An LSTM behind a causal convolution, attention to the last 20 elements, and a loop of products
/// with a branch.
[[maybe_unused]] Stream model() {
  const int64_t width = 32, size = 32;
  Array filter = random_array({3, width, width}, 1), w = random_array({width, 4 * size}, 2),
        u = random_array({size, 4 * size}, 3), v = random_array({size, size}, 5),
        x = random_array({8, width}, 4);
  auto f = jit([=](Tensor x) {
    Tensor padded = pad(x, {{2, 0}, {0, 0}}), y = zeros({8, width});
    for (int64_t k = 0; k < 3; ++k)
      y = y + matmul(index(padded, {Slice{k, k + 8}}), filter.slice_outer(k));
    auto step = [&](std::tuple<Tensor, Tensor> state, Tensor x) {
      auto [h, c] = state;
      std::vector<Tensor> gates = split(matmul(x, w) + matmul(h, u), 4, 0);
      Tensor next = sigmoid(gates[1]) * c + sigmoid(gates[0]) * tanh(gates[2]);
      Tensor out = sigmoid(gates[3]) * tanh(next);
      return std::pair(std::tuple(out, next), out);
    };
    Tensor zero = zeros({size});
    Tensor h = scan(step, std::tuple(zero, zero), y).second;
    h = attention(h, h, h, {.window = AttentionWindow{19, 0}});
    h = fori_loop(0, 70, [&](Tensor, Tensor h) { return tanh(matmul(h, v)) + h; }, h);
    return cond(sum(abs(v)) > 0.0, [](Tensor h) { return h + 1.0; }, [](Tensor h) { return h; }, h);
  });
  return layout::stream(f, {}, x);
}

class StreamQuiet : public testing::Test {
protected:
  void SetUp() override { set_num_threads(1); }
};

TEST_F(StreamQuiet, AllocatesNothing) {
#ifndef COUNTS_ALLOCATIONS
  GTEST_SKIP() << "a sanitizer counts allocations itself";
#else
  Stream s = model();
  std::vector<float> x(32, 0.5f), y(32);
  for (int i = 0; i < 3; ++i) // memory of nests is made once
    s.into({y}, {x});
  int64_t before = allocations;
  s({Array::zeros(DType::f32, {32})});
  EXPECT_GT(allocations - before, 0); // those of Kolam are counted
  before = allocations;
  for (int i = 0; i < kSteps; ++i)
    s.into({y}, {x});
  EXPECT_EQ(allocations - before, 0);
  EXPECT_GT(std::abs(y[0]), 0);
#endif
}

TEST_F(StreamQuiet, CallsTheSystemNever) {
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  Stream s = model();
  std::vector<float> x(32, 0.5f), y(32);
  for (int i = 0; i < 3; ++i)
    s.into({y}, {x});
  const pid_t child = fork();
  if (child == 0) {
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
      _exit(2);
    for (int i = 0; i < kSteps; ++i)
      s.into({y}, {x});
    syscall(SYS_exit, y[0] != 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  if (WEXITSTATUS(status) == 2)
    GTEST_SKIP() << "this machine has no seccomp for processes like this one";
  EXPECT_EQ(WEXITSTATUS(status), 0);
#else
  GTEST_SKIP() << "a sanitizer calls the system";
#endif
}

} // namespace
} // namespace kolam
