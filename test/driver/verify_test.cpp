// A module that became invalid is our fault, told with what MLIR says of it.
#include "kolam/driver/verify.h"

#include "kolam/driver/parse.h"
#include "kolam/ir/ops.h"
#include "kolam/support/error.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace kolam::driver {
namespace {

constexpr const char* kTranspose = R"(func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = kolam.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
})";

TEST(Verify, IsSilentAboutAValidModule) {
  Module program = parse(kTranspose, "transpose.mlir").program;
  EXPECT_NO_THROW(verify(*program.module));
}

TEST(Verify, TellsWhatIsWrong) {
  Module program = parse(kTranspose, "transpose.mlir").program;
  program.module->walk([](ir::TransposeOp op) { op.setPermutation({0, 0}); });
  try {
    verify(*program.module);
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_EQ(error.slug(), "internal");
    EXPECT_TRUE(error.message().starts_with("the traced program is not valid: "))
        << error.message();
    EXPECT_NE(error.message().find("but got [0, 0]"), std::string::npos) << error.message();
    std::filesystem::remove(error.message().substr(error.message().rfind(' ') + 1));
  }
}

TEST(Verify, FindsExtentsThatNothingBinds) {
  Module program = parse(R"(func.func @main(%n: tensor<i64>) -> tensor<f32> {
  kolam.bind_extent "k", %n : tensor<i64>
  %0 = kolam.iota 0 : tensor<?xf32, #kolam.extents<["k"]>>
  %1 = kolam.reduce "add" %0 dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<?xf32, #kolam.extents<["k"]>>) -> tensor<f32>
  return %1 : tensor<f32>
})",
                         "bound.mlir")
                       .program;
  EXPECT_NO_THROW(verify_extents(*program.module));
  program.module->walk([](ir::BindExtentOp op) { op.erase(); });
  EXPECT_NO_THROW(verify(*program.module));
  try {
    verify_extents(*program.module);
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "internal");
    EXPECT_NE(error.message().find("binds the extent 'k', but got none"), std::string::npos)
        << error.message();
    std::filesystem::remove(error.message().substr(error.message().rfind(' ') + 1));
  }
}

TEST(Verify, LeavesAReproducer) {
  Module program = parse(kTranspose, "transpose.mlir").program;
  program.module->walk([](ir::TransposeOp op) { op.setPermutation({0, 0}); });
  try {
    verify(*program.module);
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    const std::string words = "please report it with the reproducer ";
    size_t at = error.message().find(words);
    ASSERT_NE(at, std::string::npos) << error.message();
    std::string path = error.message().substr(at + words.size());
    EXPECT_TRUE(path.starts_with(std::filesystem::temp_directory_path().string())) << path;
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    EXPECT_NE(text.str().find("array<i64: 0, 0>"), std::string::npos) << text.str();
    EXPECT_NE(text.str().find("transpose.mlir\":2"), std::string::npos) << text.str();
    std::filesystem::remove(path);
  }
}

} // namespace
} // namespace kolam::driver
