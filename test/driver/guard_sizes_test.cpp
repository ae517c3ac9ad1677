// Extents that only the run can compare are checked then.
#include "kolam/driver/parse.h"
#include "kolam/interp/interpreter.h"
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

std::string run_failure(const char* text, int64_t extent) {
  Module program = parse(text, "test.mlir").program;
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

TEST(GuardSizes, ProvenSizesNeedNoCheck) {
  Module program = parse(R"(func.func @main(%x: tensor<?x4xf32, #kolam.extents<["n", "4"]>>) {
  %0 = kolam.elementwise "exp" %x : (tensor<?x4xf32, #kolam.extents<["n", "4"]>>) -> tensor<?x4xf32, #kolam.extents<["n", "4"]>>
  %1 = kolam.reshape %0 : tensor<?x4xf32, #kolam.extents<["n", "4"]>> -> tensor<?xf32, #kolam.extents<["4*n"]>>
  return
})",
                         "test.mlir")
                       .program;
  EXPECT_EQ(llvm::range_size(program.main().getBody().front()), 3);
}

} // namespace
} // namespace kolam::driver
