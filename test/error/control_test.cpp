// The words of what loops, branches, scans, checks and jit refuse.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

#include <functional>

namespace kolam {
namespace {

std::string words(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string at(int line) { return "\n  at " __FILE__ ":" + std::to_string(line); }

const Array kOne = Array::of<float>({1, 2});

TEST(ControlErrors, CarryMismatchShowsBothTypes) {
  int line = __LINE__ + 1;
  auto shrink = [] { fori_loop(0, 3, [](Tensor, Tensor s) { return sum(s); }, kOne); };
  EXPECT_EQ(words(shrink),
            "fori_loop: [carry-mismatch] state 0: expected float32[2], but got float32[]" +
                at(line));
  EXPECT_EQ(words([] {
              while_loop([](Tensor s) { return less(sum(s), 3); },
                         [](Tensor s) { return less(s, 1); }, kOne);
            }).substr(0, 74),
            "while_loop: [carry-mismatch] state 0: expected float32[2], but got bool[2]");
  EXPECT_EQ(words([] {
              using State = std::vector<Tensor>;
              scan([](State s, Tensor x) { return std::pair{State{s[0], x}, x}; },
                   State{Tensor(kOne)}, Array::of<float>({1, 2}, {1, 2}));
            }).substr(0, 72),
            "scan: [carry-mismatch] state: expected structure [*,], but got [*,*,]\n  ");
}

TEST(ControlErrors, BranchMismatchShowsBothTypes) {
  int line = __LINE__ + 2;
  auto differ = [] {
    cond(true, [](Tensor x) { return x; }, [](Tensor x) { return sum(x); }, kOne);
  };
  EXPECT_EQ(
      words(differ),
      "cond: [branch-mismatch] the true branch, result 0: expected float32[], but got float32[2]" +
          at(line));
}

TEST(ControlErrors, ScanNeedsALength) {
  EXPECT_EQ(words([] {
              scan([](Tensor s, std::tuple<>) { return std::pair{s, s}; }, kOne, std::tuple<>{});
            }).substr(0, 82),
            "scan: [scan-length] expected a length where there are no xs, but got neither\n  at ");
  EXPECT_NE(words([] {
              scan([](Tensor s, Tensor x) { return std::pair{s, x}; }, kOne, Array::scalar(1));
            }).find("[shape-mismatch] x 0: expected a leading dim to scan over, but got int32[]"),
            std::string::npos);
}

TEST(ControlErrors, BoundsAndConditionsAreScalars) {
  EXPECT_NE(words([] {
              fori_loop(0, kOne, [](Tensor, Tensor s) { return s; }, kOne);
            }).find("[shape-mismatch] argument 'upper': expected a scalar, but got float32[2]"),
            std::string::npos);
  EXPECT_NE(
      words([] {
        while_loop([](Tensor s) { return sum(s); }, [](Tensor s) { return s; }, kOne);
      }).find("[dtype-mismatch] argument 'condition': expected a bool scalar, but got float32[]"),
      std::string::npos);
}

TEST(ControlErrors, TheLineInsideABodyWins) {
  int line = 0;
  std::string text = words([&] {
    fori_loop(
        0, 3,
        [&](Tensor, Tensor s) {
          line = __LINE__ + 1;
          return add(s, Array::of<float>({1, 2, 3}));
        },
        kOne);
  });
  EXPECT_EQ(text.substr(0, 21), "add: [shape-mismatch]");
  EXPECT_NE(text.find(at(line)), std::string::npos) << text;
}

TEST(ControlErrors, EscapedTracer) {
  Tensor kept;
  fori_loop(
      0, 3,
      [&](Tensor i, Tensor s) {
        kept = i;
        return s;
      },
      kOne);
  EXPECT_NE(words([&] { add(kept, 1); }).find("[escaped-tracer]"), std::string::npos);
}

TEST(JitErrors, EmptyTensorAndBadOption) {
  EXPECT_NE(words([] {
              add(Tensor(), 1);
            }).find("[empty-tensor] expected a tensor, but got an empty handle"),
            std::string::npos);
  EXPECT_NE(
      words([] { jit([](Tensor x) { return x; }, {.donate = {2}})(kOne); })
          .find("[bad-option] option 'donate': expected the number of one of 1 arguments, but "
                "got 2"),
      std::string::npos);
}

TEST(CheckErrors, NameTheOp) {
  auto complain = [](const Checks& checks, auto function, Array x) {
    return words([&] { jit(function, {.checks = checks})(x); });
  };
  EXPECT_NE(complain(
                {.nan = true}, [](Tensor x) { return log(x); }, Array::scalar(-1.0f))
                .find("[nan-created] log: expected a number"),
            std::string::npos);
  EXPECT_NE(complain(
                {.overflow = true}, [](Tensor x) { return add(x, x); }, Array::scalar(int8_t{100}))
                .find("[integer-overflow] add: expected a result in the range of int8"),
            std::string::npos);
}

TEST(CancelErrors, SayWhy) {
  request_cancel();
  std::string text = words([] { jit([](Tensor x) { return add(x, 1); })(kOne); });
  clear_cancel();
  EXPECT_EQ(text.rfind("jit: [cancelled] stopped on request\n", 0), 0u) << text;
}

} // namespace
} // namespace kolam
