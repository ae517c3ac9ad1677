// Facts of ops against what the interpreter does with random ones.
#include "random_ops.h"
#include "signature_truth.h"

namespace kolam::ir {
namespace {

using namespace random_ops;

class FactsTest : public testing::TestWithParam<RandomOp> {};

TEST_P(FactsTest, AgreeWithTheInterpreter) {
  std::mt19937 engine(1);
  Random random{engine};
  for (int round = 0; round < 12; ++round) {
    std::string text = GetParam().text(random);
    SCOPED_TRACE(text);
    OneOp one = parse_one_op(text);
    Facts facts = one.op.facts();
    if (facts.view != View::none)
      EXPECT_EQ(one.op.flops_per_point(), 0) << "a view computes nothing";
    if (facts.keeps_order) {
      EXPECT_EQ(facts.view, View::by_map);
      std::vector<int64_t> shape = numbers(shape_of(one.op->getOperand(0)));
      Array x = Array::zeros(DType::f32, shape);
      for (float& element : x.mutable_values<float>())
        element = static_cast<float>(random.between(-99, 99));
      Array result = interp::interpret(one.program.main(), std::vector{x})[0];
      EXPECT_TRUE(same_bits(result.reshaped(shape), x));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, FactsTest, testing::ValuesIn(kRandomOps),
                         [](const auto& info) { return std::string(info.param.name); });

} // namespace
} // namespace kolam::ir
