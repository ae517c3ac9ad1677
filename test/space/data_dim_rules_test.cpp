// The rules of the data dimension over shapes and signatures.
#include "kolam/space/data_dim_rules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kolam/space/projection_forms.h"

namespace kolam::space {
namespace {

constexpr int kNone = -1;

int reshaped(const Shape& from, const Shape& to, int dim) {
  return reshaped_dim(from, to, dim).value_or(kNone);
}

TEST(DataDimRules, ReshapesKeepTheStride) {
  const Extent a = Extent::symbol("a"), b = Extent::symbol("b"), c = Extent::symbol("c");
  EXPECT_EQ(reshaped({a, b * c}, {a, b, c}, 0), 0);
  EXPECT_EQ(reshaped({a, b, c}, {b, a, c}, 2), 2);
  EXPECT_EQ(reshaped({a, b, c}, {a * b, c}, 1), 0);
  EXPECT_EQ(reshaped({a, b * 3, c}, {a, 3, b, c}, 1), 2);
  EXPECT_EQ(reshaped({a, b, c}, {a, b * c}, 1), kNone);
  EXPECT_EQ(reshaped({a, b, c}, {a, b * c}, 2), 1);
  EXPECT_EQ(reshaped({4, 8, 3}, {4, 24}, 1), kNone);
}

TEST(DataDimRules, DimsOfExtentOneComeAndGo) {
  EXPECT_EQ(reshaped({5, 7}, {5, 1, 7}, 0), 0);
  EXPECT_EQ(reshaped({5, 1}, {5, 1}, 1), 1);
  EXPECT_EQ(reshaped({5, 1}, {5}, 1), 0) << "elements move";
  EXPECT_EQ(reshaped({1, 5}, {5}, 1), 0);
  EXPECT_EQ(reshaped({5, 1, 7}, {5, 1, 1, 7}, 1), 1);
  EXPECT_EQ(reshaped({1, 5}, {5}, 0), kNone);
}

TEST(DataDimRules, EmptyDimsCountAsOne) {
  EXPECT_EQ(reshaped({2, 0, 3}, {2, 3, 0}, 2), 1);
  EXPECT_EQ(to_string(Shape{stride_of({2, 0, 3}, 0)}), "[3]");
}

/// `[16! 8] -> [4! 8]`-like texts of rows: D of left, right, result.
std::vector<std::vector<int>> dims_of(const std::vector<DataDimRow>& rows) {
  std::vector<std::vector<int>> dims;
  for (const DataDimRow& row : rows)
    dims.push_back(row.dims);
  return dims;
}

DataDimQuestion question(const std::string& profile, bool allow_dynamic_weights) {
  return {*find_data_dim_profile(profile), allow_dynamic_weights, {}};
}

/// [b i j] @ [b j k].
Product batched_product() {
  return {{{0, 0, true}, {1, 1}, {3}}, {{0, 0, true}, {3}, {2, 2}}, {2, 3, 5}};
}

using Rows = std::vector<std::vector<int>>;

TEST(DataDimRules, ConstantOnOneSide) {
  EXPECT_EQ(dims_of(product_rows(batched_product(), true, false, question("seed", false))),
            (Rows{{-1, 1, 1}}));
  EXPECT_EQ(dims_of(product_rows(batched_product(), false, true, question("seed", false))),
            (Rows{{2, -1, 2}}));
  EXPECT_EQ(dims_of(product_rows(batched_product(), true, false, question("seed", true))),
            (Rows{{-1, 0, 0}, {-1, 1, 1}, {-1, 2, 2}}));
  EXPECT_EQ(dims_of(product_rows(batched_product(), true, false, question("vollo27", true))),
            (Rows{{-1, 1, 1}, {-1, 2, 2}}));
}

TEST(DataDimRules, BothSidesRuntime) {
  EXPECT_TRUE(product_rows(batched_product(), false, false, question("seed", false)).empty());
  EXPECT_EQ(dims_of(product_rows(batched_product(), false, false, question("seed", true))),
            (Rows{{0, 1, 0}, {1, 1, 1}, {2, 0, 0}, {2, 2, 2}}));
  EXPECT_EQ(dims_of(product_rows(batched_product(), false, false, question("vollo27", true))),
            (Rows{{1, 1, 1}, {2, 2, 2}}));
  auto relaxed = dims_of(product_rows(batched_product(), false, false, question("relaxed", true)));
  for (const std::vector<int>& both : Rows{{2, 1, 1}, {2, 1, 2}})
    EXPECT_TRUE(std::ranges::count(relaxed, both) == 1);
}

TEST(DataDimRules, WeightsWithoutADimOfTheirOwn) {
  // x [b j] @ w [j] -> [b]: a dim of extent 1 that is taken away.
  Product product{{{0, 0}, {1}}, {{1}}, {4}};
  EXPECT_EQ(dims_of(product_rows(product, false, true, question("seed", false))),
            (Rows{{1, -1, 0}}));
  Product scalar{{{0}}, {{0}}, {}};
  EXPECT_TRUE(product_rows(scalar, false, true, question("seed", false)).empty());
  EXPECT_EQ(dims_of(product_rows(scalar, false, true, question("relaxed", false))),
            (Rows{{0, -1, -1}}));
}

Signature reduction() {
  Monoid sum{"sum", {DType::f32}};
  return {"reduce",
          {map_dim("i0", 4), reduce_dim("i1", 8, sum)},
          {{"x", Role::in, {4, 8}, identity(2)}, {"y", Role::out, {4}, axial(2, {0}, {4})}}};
}

TEST(DataDimRules, SignaturesGiveARowForEachIndexDim) {
  std::vector<SignedPlace> places{{{DataDimPlace::Kind::operand, 0}},
                                  {{DataDimPlace::Kind::result, 0}}};
  DataDimTable table =
      rows_of_signature(reduction(), places, *find_data_dim_profile("seed"), Work::computes);
  EXPECT_EQ(dims_of(table.rows), (Rows{{0, 0}}));
  EXPECT_EQ(table.rows[0].cost, DataDimCost::slower);
  Signature shifted{
      "slice",
      {map_dim("i0", 4), map_dim("i1", 3)},
      {{"x", Role::in, {4, 8}, strided({1, 2}, {0, 1})}, {"y", Role::out, {4, 3}, identity(2)}}};
  table = rows_of_signature(shifted, places, *find_data_dim_profile("seed"), Work::moves);
  ASSERT_EQ(dims_of(table.rows), (Rows{{0, 0}, {1, 1}}));
  EXPECT_EQ(table.rows[0].cost, DataDimCost::free);
  EXPECT_EQ(table.rows[1].cost, DataDimCost::compute);
}

TEST(DataDimRules, ReductionsToRankZero) {
  Monoid sum{"sum", {DType::f32}};
  Signature all{"reduce",
                {reduce_dim("i0", 8, sum)},
                {{"x", Role::in, {8}, identity(1)}, {"y", Role::out, {}, axial(1, {}, {})}}};
  std::vector<SignedPlace> places{{{DataDimPlace::Kind::operand, 0}},
                                  {{DataDimPlace::Kind::result, 0}, false}};
  EXPECT_TRUE(
      rows_of_signature(all, places, *find_data_dim_profile("seed"), Work::computes).rows.empty());
  EXPECT_EQ(
      rows_of_signature(all, places, *find_data_dim_profile("relaxed"), Work::computes).rows.size(),
      1u);
}

} // namespace
} // namespace kolam::space
