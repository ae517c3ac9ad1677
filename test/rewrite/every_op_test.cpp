// Slices pushed through every op, and every op split along every dim: the bits of the whole.
#include "choice_programs.h"

#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/language/slice.h"
#include "kolam/transform/cut.h"

#include <gtest/gtest.h>

#include "test/planner/programs.h"

namespace kolam::rewrite {
namespace {

using mlir::Operation;

size_t op_count(const driver::Module& program) {
  return program.main().getBody().front().getOperations().size() - 1;
}

/// The program that returns a box, drawn at random, of what op `number` makes; null where that has
/// no elements, or not so many as the program says.
driver::Module returning_slice(const driver::Module& whole, size_t number,
                               std::mt19937_64& random) {
  driver::Module program = whole.clone();
  mlir::func::FuncOp main = program.main();
  Operation* op = &*std::next(main.getBody().front().begin(), static_cast<ptrdiff_t>(number));
  Operation* end = main.getBody().front().getTerminator();
  language::Builder b(op->getLoc(), mlir::OpBuilder(end));
  if (op->getNumResults() == 0)
    return {};
  const mlir::Value value = op->getResult(random() % op->getNumResults());
  if (!transform::has_numbers(value))
    return {};
  std::vector<SliceBox> boxes;
  for (const Extent& extent : ir::shape_of(value)) {
    const auto all = static_cast<uint64_t>(*extent.constant());
    if (all == 0)
      return {};
    const auto start = static_cast<int64_t>(random() % all);
    boxes.push_back({false, start,
                     1 + static_cast<int64_t>(random() % (all - static_cast<uint64_t>(start))), 1});
  }
  const mlir::Value sliced = language::slice(b, value, boxes);
  end->setOperands({sliced});
  main.setFunctionType(b.getFunctionType(main.getArgumentTypes(), {sliced.getType()}));
  return program;
}

TEST(EveryOp, SlicesArePushedThroughIt) {
  ASSERT_FALSE(programs().empty());
  int pushed = 0;
  for (const auto& [name, text] : programs()) {
    driver::Module whole = driver::parse(text, name).program;
    if (!transform::why_not_cut(whole.main()).empty())
      continue;
    for (uint64_t seed : seeds(4)) {
      std::mt19937_64 random(seed);
      for (size_t number = 0; number < op_count(whole); ++number) {
        SCOPED_TRACE(name + " op " + std::to_string(number) +
                     " KOLAM_SEED=" + std::to_string(seed));
        driver::Module sliced = returning_slice(whole, number, random);
        if (!sliced.module)
          continue;
        const std::vector<std::string> names{"push_slice"};
        std::vector<Possible> steps = possible_steps(sliced.main(), names, 2, Keeps::exact);
        std::erase_if(steps, [&](const Possible& one) {
          return one.step.op + 1 < static_cast<int64_t>(op_count(sliced));
        });
        if (steps.empty())
          continue;
        driver::Module after = sliced.clone();
        take(after.main(), steps[0].step, Keeps::exact);
        ASSERT_TRUE(mlir::succeeded(mlir::verify(*after.module)));
        expect_equal(sliced, after, Keeps::exact, Values::easy, seed);
        ++pushed;
      }
    }
  }
  EXPECT_GT(pushed, 100);
}

TEST(EveryOp, IsSplitAlongEveryDim) {
  int split = 0;
  for (const auto& [name, text] : programs()) {
    driver::Module whole = driver::parse(text, name).program;
    if (!transform::why_not_cut(whole.main()).empty())
      continue;
    const std::vector<std::string> names{"split_op"};
    for (const Possible& one : possible_steps(whole.main(), names, 3, Keeps::exact)) {
      SCOPED_TRACE(name + ": " + to_string(one.step));
      driver::Module after = whole.clone();
      take(after.main(), one.step, Keeps::exact);
      ASSERT_TRUE(mlir::succeeded(mlir::verify(*after.module)));
      expect_equal(whole, after, Keeps::exact, Values::easy, 7);
      ++split;
    }
  }
  EXPECT_GT(split, 100);
}

} // namespace
} // namespace kolam::rewrite
