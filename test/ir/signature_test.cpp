// Signatures against the truth: one random op at a time, every operand element changed in turn.
#include "random_ops.h"
#include "signature_truth.h"

#include <cstdlib>
#include <iostream>

namespace kolam::ir {
namespace {

using namespace random_ops;

class SignatureTest : public testing::TestWithParam<RandomOp> {};

TEST_P(SignatureTest, SaysWhatTheInterpreterDoes) {
  const char* given = std::getenv("KOLAM_SEED");
  uint32_t seed = given ? static_cast<uint32_t>(std::strtoull(given, nullptr, 10)) : 1;
  std::mt19937 engine(seed);
  Random random{engine};
  for (int round = 0; round < 12; ++round) {
    std::string text = GetParam().text(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    OneOp one = parse_one_op(text);
    EXPECT_EQ(space::to_string(space::validate(one.op.signature())), "");
    EXPECT_EQ(space::to_string(space::validate_total_outputs(one.op.signature())), "");
    compare_with_truth(one, engine, GetParam().exact);
    if (HasFailure())
      return;
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, SignatureTest, testing::ValuesIn(kRandomOps),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Signature, ConcatWritesItsPieces) {
  OneOp one = parse_one_op(program({tensor({2, 3}), tensor({2, 1})},
                                   "kolam.concat %a0, %a1 dim 1 : (tensor<2x3xf32>, "
                                   "tensor<2x1xf32>) -> tensor<2x4xf32>",
                                   {tensor({2, 4})}));
  auto writes = llvm::cast<ConcatOp>(one.op.getOperation()).partial_writes();
  ASSERT_EQ(writes.size(), 2u);
  EXPECT_EQ(space::to_string(writes[1]), "concat\n"
                                         "  dim i0: map 2\n"
                                         "  dim i1: map 1\n"
                                         "  in operand1 [2, 1]: [1 0 | 0 | 1; 0 1 | 0 | 1]\n"
                                         "  out result [2, 4]: [1 0 | 0 | 1; 0 1 | 3 | 1]\n");
}

} // namespace
} // namespace kolam::ir
