// Which blocks a point of a kernel's grid owns, by its signature: beside the maps, written as C++,
// at every point.
#include "signature_truth.h"

#include "kolam/ir/kernels.h"

#include <gtest/gtest.h>

namespace kolam::ir {
namespace {

/// A call over a grid [6, 4] that reads x [64, 64] in blocks and writes y, one block a point. `map`
/// gives %r from %i, %j, the prefetched ref %p and scalars %1 to %5.
OneOp call_with(const std::string& map, const std::string& block = "4", int64_t low = 0,
                const std::string& kind = "blocked") {
  auto spec = [](const std::string& kinds, const std::string& sizes, int64_t before) {
    std::string low = std::to_string(before);
    return "{high = array<i64: " + low + ", 0>, kinds = [\"" + kinds +
           "\", \"blocked\"], low = array<i64: " + low +
           ", 0>, pad = dense<0.5> : tensor<f32>, sizes = #kolam.extents<[\"" + sizes +
           "\", \"64\"]>}";
  };
  std::string scalars;
  for (int number = 0; number < 6; ++number)
    scalars += "    %" + std::to_string(number) + " = kolam.constant dense<" +
               std::to_string(number) + "> : tensor<i32>\n";
  std::string head = "  ^bb0(%i: tensor<i32>, %j: tensor<i32>, %p: !kolam.ref<tensor<6xi32>>):\n";
  std::string ref = "!kolam.ref<tensor<" + block + "x64xf32>>";
  return parse_one_op(
      "func.func @main(%places: tensor<6xi32>, %x: tensor<64x64xf32>) -> tensor<24x64xf32> {\n"
      "  %y = kolam.kernel_call \"k\" grid <[\"6\", \"4\"]>(%places, %x) prefetch 1 blocks [" +
      spec(kind, block, low) + ", " + spec("blocked", "1", 0) +
      "] scratch [] aliases [-1] semantics [] : (tensor<6xi32>, tensor<64x64xf32>) -> "
      "tensor<24x64xf32> {\n  ^bb0(%i: tensor<i32>, %j: tensor<i32>, "
      "%p: !kolam.ref<tensor<6xi32>>, %xr: " +
      ref + ", %yr: !kolam.ref<tensor<1x64xf32>>):\n    kolam.yield\n  } maps {\n" + head +
      scalars + map + "    kolam.yield %r, %0 : tensor<i32>, tensor<i32>\n  }, {\n" + head +
      scalars +
      "    %m = kolam.elementwise \"multiply\" %i, %4 : (tensor<i32>, tensor<i32>) -> tensor<i32>\n"
      "    %r = kolam.elementwise \"add\" %m, %j : (tensor<i32>, tensor<i32>) -> tensor<i32>\n"
      "    kolam.yield %r, %0 : tensor<i32>, tensor<i32>\n  }\n"
      "  return %y : tensor<24x64xf32>\n}\n");
}

std::string apply(const std::string& result, const std::string& fn, const std::string& x,
                  const std::string& y) {
  return "    %" + result + " = kolam.elementwise \"" + fn + "\" %" + x + ", %" + y +
         " : (tensor<i32>, tensor<i32>) -> tensor<i32>\n";
}

const space::Operand& input_of(const space::Signature& signature) { return signature.operands[1]; }

using Start = std::function<int64_t(int64_t i, int64_t j)>;

void expect_starts(OneOp call, const Start& start, int64_t size) {
  space::Signature signature = call.op.signature();
  const space::Operand& input = input_of(signature);
  EXPECT_EQ(space::validate(signature).size(), 0U) << space::to_string(signature);
  EXPECT_FALSE(input.indirect);
  EXPECT_EQ(input.projection.size[0], Extent(size));
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 4; ++j)
      EXPECT_EQ(space::image(input.projection.map, {i, j})[0], start(i, j))
          << i << ", " << j << ": " << space::to_string(signature);
}

TEST(KernelSignature, StartsOfBlocksAreMultiplesOfTheirSize) {
  expect_starts(call_with(apply("r", "multiply", "i", "2")), [](auto i, auto) { return 8 * i; }, 4);
  expect_starts(
      call_with(apply("a", "subtract", "5", "i") + apply("r", "add", "a", "j")),
      [](auto i, auto j) { return 4 * (5 - i + j); }, 4);
  expect_starts(
      call_with(apply("r", "remainder", "i", "3")), [](auto i, auto) { return 4 * (i % 3); }, 4);
}

TEST(KernelSignature, QuotientsAreExactForBlocksOfOneElement) {
  expect_starts(
      call_with(apply("r", "floor_divide", "i", "2"), "1"), [](auto i, auto) { return i / 2; }, 1);
  expect_starts(
      call_with(apply("a", "add", "i", "j") + apply("b", "floor_divide", "a", "2") +
                    apply("r", "remainder", "b", "3"),
                "1"),
      [](auto i, auto j) { return (i + j) / 2 % 3; }, 1);
}

TEST(KernelSignature, WindowsStartInThePaddedArray) {
  expect_starts(
      call_with(apply("r", "multiply", "i", "2"), "5", 3, "element"),
      [](auto i, auto) { return 2 * i - 3; }, 5);
}

TEST(KernelSignature, AxesWithResultsOfTheirOwnAreMaps) {
  space::Signature signature = call_with(apply("r", "add", "i", "j")).op.signature();
  ASSERT_EQ(signature.dims.size(), 2U);
  // Row 4 i + j of the result: digits of one number.
  EXPECT_EQ(signature.operands.back().role, space::Role::out);
  EXPECT_EQ(signature.dims[0].kind, space::DimKind::map);
  EXPECT_EQ(signature.dims[1].kind, space::DimKind::map);
  EXPECT_EQ(input_of(signature).policy, space::Policy::pad(0.5));
}

TEST(KernelSignature, IsIndirectWhereDataDecides) {
  std::string read =
      "    %s = kolam.ref_slice %p at(%i) steps [1] : (!kolam.ref<tensor<6xi32>>, tensor<i32>) -> "
      "!kolam.ref<tensor<1xi32>>\n"
      "    %v = kolam.ref_read %s : (!kolam.ref<tensor<1xi32>>) -> tensor<1xi32>\n"
      "    %r = kolam.reshape %v : tensor<1xi32> -> tensor<i32>\n";
  space::Signature by_data = call_with(read).op.signature();
  EXPECT_TRUE(input_of(by_data).indirect);
  EXPECT_EQ(input_of(by_data).projection.size[0], Extent(64));
  EXPECT_EQ(space::validate(by_data).size(), 0U) << space::to_string(by_data);
  // No row says i * j, but no data decides it either.
  space::Signature whole = call_with(apply("r", "multiply", "i", "j")).op.signature();
  EXPECT_FALSE(input_of(whole).indirect);
  EXPECT_EQ(input_of(whole).projection.size[0], Extent(64));
  EXPECT_EQ(space::validate(whole).size(), 0U) << space::to_string(whole);
}

} // namespace
} // namespace kolam::ir
