// Symbols take their sizes from arguments; what does not fit is refused.
#include "kolam/ir/bind_sizes.h"

#include "kolam/support/error.h"

#include <gtest/gtest.h>

namespace kolam::ir {
namespace {

const Extent n = Extent::symbol("n");
const std::vector<Parameter> kParameters{{DType::f32, {n, n + 1}}, {DType::i32, {3}}};

std::string refusal(const std::vector<int64_t>& x, const std::vector<int64_t>& y,
                    DType dtype = DType::i32) {
  try {
    bind_sizes(kParameters, std::vector<Argument>{{DType::f32, x}, {dtype, y}});
  } catch (const Error& error) {
    return error.slug() + ": " + error.message();
  }
  return "";
}

TEST(BindSizes, BindsLoneSymbols) {
  std::vector<int64_t> x{4, 5}, y{3};
  auto sizes = bind_sizes(kParameters, std::vector<Argument>{{DType::f32, x}, {DType::i32, y}});
  EXPECT_EQ(sizes, (std::map<std::string, int64_t>{{"n", 4}}));
}

TEST(BindSizes, RefusesWhatDoesNotFit) {
  EXPECT_EQ(refusal({4, 4}, {3}),
            "argument-mismatch: argument 0: expected extent n + 1 = 5 in dim 1, but got 4");
  EXPECT_EQ(refusal({4, 5}, {2}),
            "argument-mismatch: argument 1: expected extent 3 in dim 0, but got 2");
  EXPECT_EQ(refusal({4}, {3}), "argument-mismatch: argument 0: expected rank 2, but got rank 1");
  EXPECT_EQ(refusal({4, 5}, {3}, DType::f32),
            "argument-mismatch: argument 1: expected dtype int32, but got float32");
}

TEST(BindSizes, RefusesOtherCounts) {
  std::vector<int64_t> x{4, 5};
  EXPECT_THROW(bind_sizes(kParameters, std::vector<Argument>{{DType::f32, x}}), Error);
}

} // namespace
} // namespace kolam::ir
