// What derivatives compute again: policies, names, limits of memory.
#include "kolam/frontend/array/checkpoint.h"
#include "kolam/kolam.h"

#include "test/error/expect_words.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

Tensor x() { return Array::of<double>(std::vector<double>{0.5, 1}, {2}); }

Tensor inner(Tensor x) { return tanh(checkpoint_name(exp(x), "inner")); }

TEST(Checkpoint, PoliciesChangeNoBit) {
  Array once = grad([](Tensor x) { return sum(inner(x)); })(x()).array();
  using namespace checkpoint_policies;
  for (const CheckpointPolicy& policy :
       {everything_saveable(), nothing_saveable(), dots_saveable(),
        dots_with_no_batch_dims_saveable(), save_only_these_names({"inner"}),
        save_anything_except_these_names({"inner"})}) {
    auto f = [&](Tensor x) { return sum(remat(inner, policy)(x)); };
    EXPECT_TRUE(runtime::same_bits(once, grad(f)(x()).array())) << policy.name;
  }
}

TEST(Checkpoint, RefusesPoliciesThatNobodyKnows) {
  test::expect_mention([] { checkpoint(inner, {"dots"})(x()); }, "[bad-option]",
                       "checkpoint_policies, but got 'dots'");
  test::expect_mention([&] { checkpoint_name(x(), ""); }, "[bad-option]", "expected a name");
}

Tensor steps(Tensor x) {
  return sum(fori_loop(0, 4096, [](Tensor, Tensor s) { return tanh(multiply(s, 1.01)); }, x));
}

TEST(Checkpoint, LimitsChangeNoBit) {
  Array once = grad(steps)(x()).array();
  Array limited = grad(steps, {.memory_limit = "30 kB"})(x()).array();
  EXPECT_TRUE(runtime::same_bits(once, limited));
  auto [value, both] = value_and_grad(steps, {.memory_limit = "30000"})(x());
  EXPECT_TRUE(runtime::same_bits(once, both.array()));
}

TEST(Checkpoint, LimitsForLengthsThatAreNoNumbers) {
  auto loss = [](Tensor xs, Tensor h) {
    return sum(
        scan([](Tensor s, Tensor x) { return std::pair(tanh(multiply(s, 1.01) + x), s); }, h, xs)
            .first);
  };
  auto free = jit(grad<0, 1>(loss));
  auto limited = jit(grad<0, 1>(loss, {.memory_limit = "60 kB"}), {.dynamic = {{0, {0}}}});
  const Array h = ones({16}).array();
  for (int64_t length : {2048, 2047, 65, 1, 0}) {
    const Array xs = full({length, 16}, 0.25).array();
    auto [a, b] = free(xs, h);
    auto [c, d] = limited(xs, h);
    EXPECT_TRUE(runtime::same_bits(a.array(), c.array())) << length;
    EXPECT_TRUE(runtime::same_bits(b.array(), d.array())) << length;
  }
  test::expect_mention([&] { limited(full({100000, 16}, 0.25).array(), h); }, "[memory-limit]",
                       "but got others; trace for these sizes alone");
}

TEST(Checkpoint, LimitsThatCannotBeMet) {
  test::expect_mention([&] { grad(steps, {.memory_limit = "20 B"})(x()); }, "[memory-limit]",
                       "at least");
  for (const char* text : {"0", "-1", "much", "2 XiB"})
    test::expect_mention([&] { grad(steps, {.memory_limit = text}); }, "[memory-limit]",
                         "expected bytes above 0");
}

} // namespace
} // namespace kolam
