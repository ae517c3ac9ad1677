// Extents that only the run can compare are checked then.
#include "kolam/driver/parse.h"
#include "kolam/driver/program_rules.h"
#include "kolam/interp/interpreter.h"
#include "kolam/ir/ops.h"
#include "kolam/support/error.h"

#include <gtest/gtest.h>

namespace kolam::driver {
namespace {

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

constexpr const char* kReshape =
    R"(func.func @main(%x: tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<4xf32> {
  %0 = kolam.reshape %x : tensor<?xf32, #kolam.extents<["n"]>> -> tensor<4xf32>
  return %0 : tensor<4xf32>
})";
constexpr const char* kSlice =
    R"(func.func @main(%x: tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<4xf32> {
  %0 = kolam.slice %x <["1"]> [1] : tensor<?xf32, #kolam.extents<["n"]>> -> tensor<4xf32>
  return %0 : tensor<4xf32>
})";

Module guarded(const char* text) {
  Module program = parse(text, "test.mlir").program;
  guard_sizes(*program.module);
  return program;
}

int checks_in(const Module& program) {
  int count = 0;
  program.module.get()->walk([&](ir::CheckOp) { ++count; });
  return count;
}

std::string run_failure(const char* text, int64_t extent) {
  Module program = guarded(text);
  std::vector<Array> arguments{Array::zeros(DType::f32, {extent})};
  return message_of([&] { interp::interpret(program.main(), arguments); });
}

TEST(GuardSizes, ReshapesToOtherCountsAreRefusedByTheRun) {
  EXPECT_EQ(run_failure(kReshape, 4), "");
  EXPECT_NE(run_failure(kReshape, 3), "");
  EXPECT_NE(run_failure(kReshape, 5), "");
}

TEST(GuardSizes, SlicesBeyondTheOperandAreRefusedByTheRun) {
  EXPECT_EQ(run_failure(kSlice, 5), "");
  EXPECT_NE(run_failure(kSlice, 4).find("expected 5 to be at most n, but got more"),
            std::string::npos);
}

/// Each body makes %y from %x of extent n, which must be at least 3.
struct NeedsThree {
  const char* name;
  const char* body;
  const char* result;
};

#define X "tensor<?xf32, #kolam.extents<[\"n\"]>>"

constexpr NeedsThree kNeedThree[] = {
    {"gather",
     "%i = kolam.constant dense<0> : tensor<1x1xi32>\n"
     "%y = kolam.gather %x, %i \"clip\" dims [0] lengths [3] batched 0 : (" X
     ", tensor<1x1xi32>) -> tensor<1x3xf32>",
     "tensor<1x3xf32>"},
    {"scatter",
     "%i = kolam.constant dense<0> : tensor<1x1xi32>\n"
     "%u = kolam.constant dense<1.0> : tensor<1x3xf32>\n"
     "%y = kolam.scatter \"kAdd\" \"clip\" (%x) updates (%u) at %i dims [0] batched 0 unique false "
     ": (" X ", tensor<1x3xf32>, tensor<1x1xi32>) -> " X,
     X},
    {"dynamic_slice",
     "%i = kolam.constant dense<0> : tensor<i32>\n"
     "%y = kolam.dynamic_slice %x[%i] : (" X ", tensor<i32>) -> tensor<3xf32>",
     "tensor<3xf32>"},
    {"dynamic_update_slice",
     "%i = kolam.constant dense<0> : tensor<i32>\n"
     "%u = kolam.constant dense<1.0> : tensor<3xf32>\n"
     "%y = kolam.dynamic_update_slice %x, %u[%i] : (" X ", tensor<3xf32>, tensor<i32>) -> " X,
     X},
    {"top_k",
     "%y, %p = kolam.top_k %x k 3 {largest = true} : (" X ") -> (tensor<3xf32>, tensor<3xi64>)",
     "tensor<3xf32>"},
};

class GuardedOp : public testing::TestWithParam<NeedsThree> {};

TEST_P(GuardedOp, RefusesTooFewCells) {
  const auto& [name, body, result] = GetParam();
  std::string text = std::string("func.func @main(%x: " X ") -> ") + result + " {\n" + body +
                     "\nreturn %y : " + result + "\n}";
  EXPECT_EQ(run_failure(text.c_str(), 3), "");
  EXPECT_NE(run_failure(text.c_str(), 2).find("expected 3 to be at most n"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(GuardSizes, GuardedOp, testing::ValuesIn(kNeedThree),
                         [](const auto& info) { return info.param.name; });

TEST(GuardSizes, PaddingFromNoCellsIsRefusedByTheRun) {
  constexpr const char* text = R"(func.func @main(%x: tensor<?xf32, #kolam.extents<["n"]>>)
      -> tensor<?xf32, #kolam.extents<["n + 1"]>> {
  %v = kolam.constant dense<0.0> : tensor<f32>
  %y = kolam.pad %x, %v "edge" low [1] high [0] : tensor<?xf32, #kolam.extents<["n"]>>, tensor<f32> -> tensor<?xf32, #kolam.extents<["n + 1"]>>
  return %y : tensor<?xf32, #kolam.extents<["n + 1"]>>
})";
  EXPECT_EQ(run_failure(text, 1), "");
  EXPECT_NE(run_failure(text, 0), "");
}

TEST(GuardSizes, ProvenSizesNeedNoCheck) {
  Module program = guarded(R"(func.func @main(%x: tensor<?x4xf32, #kolam.extents<["n", "4"]>>) {
  %0 = kolam.elementwise "exp" %x : (tensor<?x4xf32, #kolam.extents<["n", "4"]>>) -> tensor<?x4xf32, #kolam.extents<["n", "4"]>>
  %1 = kolam.reshape %0 : tensor<?x4xf32, #kolam.extents<["n", "4"]>> -> tensor<?xf32, #kolam.extents<["4*n"]>>
  return
})");
  EXPECT_EQ(checks_in(program), 0);
}

/// A slice of four elements from the second on, behind a check of `relation` between n and
/// `number`.
int checks_behind(const std::string& relation, int number) {
  std::string text = "func.func @main(%x: " X ") -> tensor<4xf32> {\n"
                     "%n = kolam.extent \"n\" : tensor<i64>\n"
                     "%c = kolam.constant dense<" +
                     std::to_string(number) +
                     "> : tensor<i64>\n"
                     "%h = kolam.elementwise \"" +
                     relation +
                     "\" %n, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
                     "kolam.check %h \"bad-size\" \"n\" : tensor<i1>\n"
                     "%0 = kolam.slice %x <[\"1\"]> [1] : " X " -> tensor<4xf32>\n"
                     "return %0 : tensor<4xf32>\n}";
  return checks_in(guarded(text.c_str()));
}

TEST(GuardSizes, WhatACheckProvesNeedsNoOther) {
  EXPECT_EQ(checks_behind("equal", 5), 1);
  EXPECT_EQ(checks_behind("greater_equal", 5), 1);
  EXPECT_EQ(checks_behind("greater", 4), 1);
}

TEST(GuardSizes, WhatACheckDoesNotProveIsChecked) {
  EXPECT_EQ(checks_behind("equal", 4), 2);
  EXPECT_EQ(checks_behind("greater_equal", 4), 2);
  EXPECT_EQ(checks_behind("less_equal", 5), 2);
  EXPECT_EQ(checks_behind("not_equal", 5), 2);
}

TEST(GuardSizes, ACheckInABodyProvesNothingBehindIt) {
  Module program = guarded(
      R"(func.func @main(%p: tensor<i1>, %x: tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<4xf32> {
  %l = kolam.constant dense<0> : tensor<i32>
  %r = kolam.for from %l to %l carry(%l) captures() : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32> {
  ^bb0(%i: tensor<i32>, %s: tensor<i32>):
    %n = kolam.extent "n" : tensor<i64>
    %c = kolam.constant dense<5> : tensor<i64>
    %h = kolam.elementwise "equal" %n, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
    kolam.check %h "bad-size" "n" : tensor<i1>
    kolam.yield %s : tensor<i32>
  }
  %0 = kolam.slice %x <["1"]> [1] : tensor<?xf32, #kolam.extents<["n"]>> -> tensor<4xf32>
  return %0 : tensor<4xf32>
})");
  EXPECT_EQ(checks_in(program), 2);
}

} // namespace
} // namespace kolam::driver
