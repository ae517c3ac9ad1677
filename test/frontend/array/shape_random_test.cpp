// Random chains of functions that move elements, against brute force: static and symbolic extents,
// both backends.
#include "test/frontend/array/both_backends.h"
#include "test/frontend/array/shape_steps.h"

namespace kolam {
namespace {

using test::Grid;
using test::Place;
using test::Random;
using test::Step;

Step random_step(const Grid& x, Random& random) {
  using Make = Step (*)(const Grid&, Random&);
  constexpr Make any_rank[] = {test::permute_step,
                               test::reshape_step,
                               test::expand_step,
                               test::tile_step,
                               test::flat_roll_step,
                               test::pad_step,
                               test::index_step,
                               test::dynamic_slice_step,
                               test::stack_step,
                               test::index_step,
                               test::dynamic_update_slice_step};
  constexpr Make with_dims[] = {test::flip_step,   test::roll_step, test::repeat_step,
                                test::concat_step, test::pad_step,  test::index_step};
  if (x.rank() > 0 && random.coin())
    return with_dims[random.between(0, std::size(with_dims) - 1)](x, random);
  return any_rank[random.between(0, std::size(any_rank) - 1)](x, random);
}

std::vector<TensorSpec> symbolic_specs(const Grid& x) {
  Shape shape;
  for (size_t d = 0; d < x.shape.size(); ++d)
    shape.push_back(Extent::symbol("n" + std::to_string(d)));
  return {{DType::i32, shape}};
}

/// Draws a chain of steps and runs it, traced with static and with symbolic extents.
void run_chain(unsigned seed) {
  Random random(seed);
  Place shape;
  for (int64_t rank = random.between(0, 3); rank > 0; --rank)
    shape.push_back(random.between(0, 4));
  Grid x = test::counted(shape);
  std::vector<Step> steps;
  std::string text = kolam::to_string(Shape(shape.begin(), shape.end()));
  Grid last = x;
  for (int64_t count = random.between(1, 3); count > 0; --count) {
    Step step = random_step(last, random);
    if (test::size_of(step.result.shape) > 4000 || step.result.rank() > 6)
      break;
    last = step.result;
    text += ", " + step.text;
    steps.push_back(std::move(step));
  }
  SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text);
  auto chain = [&](std::vector<Tensor> arguments) {
    Tensor value = arguments[0];
    for (const Step& step : steps)
      value = step.apply(value);
    return std::vector{value};
  };
  for (const auto& specs : {test::static_specs({x.array()}), symbolic_specs(x)}) {
    Array result = test::run_both(specs, {x.array()}, chain)[0];
    EXPECT_TRUE(runtime::same_bits(result, last.array())) << result.to_string() << "\nexpected\n"
                                                          << last.array().to_string();
  }
}

TEST(ShapeRandom, ChainsMoveCellsAsBruteForce) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    ASSERT_NO_THROW(run_chain(seed)) << "seed " << seed;
    if (testing::Test::HasFailure())
      return;
  }
}

} // namespace
} // namespace kolam
