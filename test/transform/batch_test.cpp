// Ops for many instances against the same ops one instance after the other, bit for bit.
#include "batch_cases.h"
#include "batch_control_cases.h"
#include "batch_reduction_cases.h"
#include "batched_program.h"

#include <cstdlib>

namespace kolam::transform {
namespace {

/// The operands of some instances, and what the interpreter gives for them one by one.
struct Instance {
  Arrays operands;
  Outcome outcome;
};

std::vector<Instance> run_one_by_one(const Subject& subject, const EachFlags& each, int64_t count,
                                     std::mt19937& random) {
  std::vector<Instance> instances(static_cast<size_t>(std::max<int64_t>(count, 1)));
  for (auto [number, operand] : llvm::enumerate(subject.program.main().getArgumentTypes())) {
    Array shared = random_operand(operand, random);
    for (Instance& instance : instances)
      instance.operands.push_back(each[number] ? random_operand(operand, random) : shared);
  }
  for (Instance& instance : instances)
    instance.outcome =
        outcome_of([&] { return interp::interpret(subject.program.main(), instance.operands); });
  return instances;
}

Arrays operands_of(const std::vector<Instance>& instances, const EachFlags& each, int64_t count) {
  Arrays operands;
  for (size_t i = 0; i < each.size(); ++i) {
    const Array& first = instances[0].operands[i];
    Arrays slices;
    for (int64_t instance = 0; instance < count; ++instance)
      slices.push_back(instances[static_cast<size_t>(instance)].operands[i]);
    operands.push_back(each[i] ? stacked(slices, first.dtype(), first.shape()) : first);
  }
  return operands;
}

/// What all instances give is what each gives; where some fail, they fail as one of these.
void expect_same(const std::vector<Instance>& instances, int64_t count, const EachFlags& each,
                 const Outcome& actual) {
  std::set<std::string> failures;
  for (int64_t i = 0; i < count; ++i)
    failures.insert(instances[static_cast<size_t>(i)].outcome.slug);
  failures.erase("");
  bool is_of_all = count == 0 && actual.slug.starts_with("bad-"); // of what instances share
  if (!failures.empty() || is_of_all) {
    EXPECT_TRUE(is_of_all || failures.contains(actual.slug)) << "'" << actual.slug << "'";
    return;
  }
  ASSERT_EQ(actual.slug, "");
  ASSERT_EQ(actual.results.size(), each.size());
  for (size_t r = 0; r < each.size(); ++r)
    for (int64_t i = 0; i < count; ++i) {
      Array slice = each[r] ? actual.results[r].slice_outer(i) : actual.results[r];
      const Array& expected = instances[static_cast<size_t>(i)].outcome.results[r];
      ASSERT_TRUE(runtime::same_bits(expected, slice))
          << "result " << r << ", instance " << i << ": expected\n"
          << expected.to_string() << "\nbut got\n"
          << slice.to_string();
    }
}

struct Run {
  Extent count;
  std::vector<int64_t> sizes; ///< for which the count stands
  bool is_native;
};

/// The op for so many instances, whose operand i is of each instance where each[i].
void expect_batched(const Subject& subject, const EachFlags& each, const Run& run,
                    std::mt19937& random) {
  std::string why;
  auto batch = batched(subject, each, run.count, &why);
  ASSERT_TRUE(batch) << why;
  SCOPED_TRACE(text_of(*batch->program.module));
  std::shared_ptr<const driver::Executable> executable;
  if (run.is_native)
    executable = driver::compile(batch->program.clone(), {});
  for (int64_t count : run.sizes) {
    SCOPED_TRACE(std::to_string(count) + " instances");
    std::vector<Instance> instances = run_one_by_one(subject, each, count, random);
    Arrays operands = operands_of(instances, each, count);
    expect_same(instances, count, batch->each,
                outcome_of([&] { return interp::interpret(batch->program.main(), operands); }));
    if (executable) {
      SCOPED_TRACE("native");
      volatile int32_t cancel = 0;
      expect_same(instances, count, batch->each,
                  outcome_of([&] { return executable->run(operands, &cancel); }));
    }
    if (testing::Test::HasFailure())
      return;
  }
}

/// All choices of operands of each instance, or some of many.
std::vector<EachFlags> choices(size_t operands, std::mt19937& random) {
  constexpr size_t kFew = 3, kSome = 6;
  std::vector<EachFlags> result;
  auto add = [&](uint64_t bits) {
    EachFlags each;
    for (size_t i = 0; i < operands; ++i)
      each.push_back(bits >> i & 1);
    result.push_back(each);
  };
  uint64_t all = (uint64_t{1} << operands) - 1;
  if (operands <= kFew) {
    for (uint64_t bits = 0; bits <= all; ++bits)
      add(bits);
    return result;
  }
  add(all);
  for (size_t i = 0; i < operands; ++i)
    add(uint64_t{1} << i);
  for (size_t i = 0; i < kSome; ++i)
    add(random() & all);
  return result;
}

void expect_batched_anyhow(const std::string& text, std::mt19937& random) {
  SCOPED_TRACE(text);
  Subject subject = parse_subject(text);
  for (EachFlags each : choices(subject.op->getNumOperands(), random)) {
    each.resize(subject.program.main().getNumArguments());
    expect_batched(subject, each, {3, {3}, false}, random);
    expect_batched(subject, each, {1, {1}, false}, random);
    if (llvm::is_contained(each, true))
      expect_batched(subject, each, {Extent::symbol(kInstances), {0, 1, 3, 7}, true}, random);
    if (testing::Test::HasFailure())
      return;
  }
}

uint32_t seed() {
  const char* given = std::getenv("KOLAM_SEED");
  return given ? static_cast<uint32_t>(std::strtoull(given, nullptr, 10)) : 1;
}

class BatchCaseTest : public testing::TestWithParam<batch_cases::Case> {};

TEST_P(BatchCaseTest, GivesWhatEachInstanceGives) {
  constexpr int kRounds = 2;
  std::mt19937 random(seed());
  SCOPED_TRACE("seed " + std::to_string(seed()));
  for (int round = 0; round < kRounds && !HasFailure(); ++round)
    expect_batched_anyhow(batch_cases::program(GetParam()), random);
}

std::string name_of(const testing::TestParamInfo<batch_cases::Case>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Values, BatchCaseTest, testing::ValuesIn(batch_cases::kValues), name_of);
INSTANTIATE_TEST_SUITE_P(Shape, BatchCaseTest, testing::ValuesIn(batch_cases::kShape), name_of);
INSTANTIATE_TEST_SUITE_P(Places, BatchCaseTest, testing::ValuesIn(batch_cases::kPlaces), name_of);
INSTANTIATE_TEST_SUITE_P(Products, BatchCaseTest, testing::ValuesIn(batch_cases::kProducts),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Attention, BatchCaseTest, testing::ValuesIn(batch_cases::kAttention),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Reductions, BatchCaseTest, testing::ValuesIn(batch_cases::kReductions),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Loops, BatchCaseTest, testing::ValuesIn(batch_cases::kLoops), name_of);
INSTANTIATE_TEST_SUITE_P(Branches, BatchCaseTest, testing::ValuesIn(batch_cases::kBranches),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Patterns, BatchCaseTest, testing::ValuesIn(batch_cases::kPatterns),
                         name_of);

TEST(BatchSizesTest, OfTurnsAreThoseOfAllInstances) {
  std::mt19937 random(seed());
  Subject subject = parse_subject(batch_cases::program(batch_cases::kSizesOfTurns));
  for (int round = 0; round < 4; ++round)
    expect_batched(subject, {false, false, true, false},
                   {Extent::symbol(kInstances), {0, 1, 3}, true}, random);
}

class BatchRandomTest : public testing::TestWithParam<ir::random_ops::RandomOp> {};

TEST_P(BatchRandomTest, GivesWhatEachInstanceGives) {
  std::mt19937 engine(seed());
  SCOPED_TRACE("seed " + std::to_string(seed()));
  ir::random_ops::Random random{engine};
  for (int round = 0; round < 3; ++round)
    expect_batched_anyhow(GetParam().text(random), engine);
}

INSTANTIATE_TEST_SUITE_P(Ops, BatchRandomTest, testing::ValuesIn(ir::random_ops::kRandomOps),
                         [](const auto& info) { return std::string(info.param.name); });

} // namespace
} // namespace kolam::transform
