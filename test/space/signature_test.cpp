// Signatures: text, transformations, and every validation rule.
#include "kolam/space/signature.h"

#include <gtest/gtest.h>

#include "kolam/space/projection_forms.h"
#include "kolam/space/region.h"
#include "test/space/random_space.h"

namespace kolam::space {
namespace {

const Extent n = Extent::symbol("n");
const Monoid sum{"sum", {DType::f32}};

/// y[i] = sum over m of x[i, m].
Signature row_sum(Extent rows, Extent columns) {
  return {"row_sum",
          {map_dim("i", rows), reduce_dim("m", columns, sum)},
          {{"x", Role::in, {rows, columns}, identity(2)},
           {"y", Role::out, {rows}, axial(2, {0}, {rows})}}};
}

std::vector<std::string> slugs(const std::vector<Issue>& issues) {
  std::vector<std::string> result;
  for (const Issue& issue : issues)
    result.push_back(issue.slug);
  return result;
}

using Slugs = std::vector<std::string>;

TEST(Signature, PrintsReadably) {
  EXPECT_EQ(to_string(row_sum(n, 16)), "row_sum\n"
                                       "  dim i: map n\n"
                                       "  dim m: reduce 16 sum<float32>\n"
                                       "  in x [n, 16]: [1 0 | 0 | 1; 0 1 | 0 | 1]\n"
                                       "  out y [n]: [1 0 | 0 | 1]\n");
  Signature walk{"walk",
                 {scan_dim("t", 8, Direction::backward, 2)},
                 {{"x", Role::in, {8}, window({{3, 1}}), Policy::pad(int64_t{0})},
                  {"table", Role::in, {5}, fixed(1, {0}, {5}), {}, true},
                  {"state", Role::scratch, {4}, fixed(1, {0}, {4}), {}, false, {-2}}}};
  EXPECT_EQ(to_string(walk), "walk\n"
                             "  dim t: scan 8 backward distance 2\n"
                             "  in x [8]: [1 | -1 | 3] pad(0)\n"
                             "  in table [5]: [0 | 0 | 5] indirect\n"
                             "  scratch state [4] from [-2]: [0 | 0 | 4]\n");
}

TEST(Signature, ValidOnesHaveNoIssues) {
  EXPECT_EQ(to_string(validate(row_sum(n, n))), "");
  EXPECT_EQ(to_string(validate_total_outputs(row_sum(3, 4))), "");
  EXPECT_EQ(to_string(validate_total_outputs(row_sum(3, 0))), "");
  EXPECT_EQ(to_string(validate_total_outputs(row_sum(0, 4))), "");
  EXPECT_EQ(to_string(validate(Signature{"nothing", {}, {}})), "");
}

TEST(Signature, ReportsAllIssuesOfDims) {
  Signature wrong = row_sum(3, 4);
  wrong.dims = {map_dim("i", -1), reduce_dim("i", 4, Monoid{}), scan_dim("", 4, {}, 0)};
  wrong.operands.clear();
  EXPECT_EQ(slugs(validate(wrong)),
            (Slugs{"space-name", "space-name", "space-size", "space-monoid", "space-distance"}));
  EXPECT_EQ(to_string(validate(wrong)).substr(0, 46),
            "dim 'i': [space-name] expected distinct names\n");
}

TEST(Signature, ReportsAllIssuesOfOperands) {
  Signature wrong = row_sum(3, 4);
  wrong.operands[0].policy = {Policy::Kind::drop};
  wrong.operands[0].shape = {3};
  wrong.operands[1].name = "x";
  wrong.operands[1].policy = {Policy::Kind::wrap};
  wrong.operands.push_back({"z", Role::in, {3, -4}, identity(1)});
  wrong.operands.push_back({"w", Role::in, {1}, {{2, {{{1}, 0}}}, {}, {1}}});
  EXPECT_EQ(slugs(validate(wrong)),
            (Slugs{"space-name", "space-policy", "space-rank", "space-policy", "space-rank",
                   "space-rank", "space-size", "space-rank"}));
}

TEST(Signature, OutputsAreInjectiveAndIndependentOfReducedDims) {
  Signature wrong = row_sum(3, 4);
  wrong.operands[1] = {"y", Role::out, {3, 4}, identity(2)};
  EXPECT_EQ(slugs(validate(wrong)), Slugs{"space-reduce"});
  wrong.operands[1] = {"y", Role::out, {1}, fixed(2, {0}, {1})};
  EXPECT_EQ(slugs(validate(wrong)), Slugs{"space-overlap"});
  wrong.operands[1].role = Role::inout;
  EXPECT_EQ(slugs(validate(wrong)), Slugs{});
}

TEST(Signature, V2RegionsStayInside) {
  Signature wrong = row_sum(3, 4);
  wrong.operands[0].shape = {3, 3};
  EXPECT_EQ(to_string(validate(wrong)), "operand 'x': [space-out-of-bounds] expected a region "
                                        "inside [0:3, 0:3], but got [0:3, 0:4]");
  wrong.operands[0].policy = {Policy::Kind::clamp};
  EXPECT_TRUE(validate(wrong).empty());
}

TEST(Signature, OutputsCover) {
  Signature gaps = row_sum(3, 4);
  gaps.operands[1].shape = {5};
  gaps.operands[1].projection = projection(affine_map(2, {{2, 0}}, {0}), {1});
  EXPECT_TRUE(validate(gaps).empty());
  EXPECT_EQ(slugs(validate_total_outputs(gaps)), Slugs{"space-cover"});
}

TEST(Signature, V5SameTensorWrittenTwice) {
  Signature twice = row_sum(3, 4);
  twice.operands.push_back(twice.operands[1]);
  EXPECT_EQ(slugs(validate(twice)), Slugs{"space-name"});
  Signature other = row_sum(3, 4);
  other.op = "other";
  EXPECT_EQ(
      to_string(validate_single_writers({row_sum(3, 4), other})),
      "operand 'y': [space-writers] expected one op that writes it, but got row_sum and other");
  EXPECT_TRUE(validate_single_writers({row_sum(3, 4)}).empty());
}

TEST(Signature, IndirectOperandsOwnADimWhole) {
  Signature lookup{"lookup",
                   {map_dim("i", n)},
                   {{"table", Role::in, {9, 4}, fixed(1, {0, 0}, {9, 4}), {}, true}}};
  EXPECT_TRUE(validate(lookup).empty());
  lookup.operands[0].projection = axial(1, {0, 0}, {9, 4});
  EXPECT_EQ(slugs(validate(lookup)), Slugs{"space-indirect"});
}

TEST(Signature, OverflowIsAnIssue) {
  Signature huge{"huge",
                 {map_dim("i", INT64_MAX)},
                 {{"x", Role::in, {4}, projection(affine_map(1, {{2}}, {0}), {1})}}};
  EXPECT_EQ(slugs(validate(huge)), Slugs{"space-overflow"});
}

TEST(Signature, ReversesAndPermutesDims) {
  Signature walk{"walk", {scan_dim("t", n)}, {{"x", Role::in, {n}, identity(1)}}};
  Signature back = reverse_dim(walk, 0);
  EXPECT_EQ(back.dims[0].direction, Direction::backward);
  EXPECT_EQ(to_string(back.operands[0].projection), "[-1 | n - 1 | 1]");
  EXPECT_EQ(reverse_dim(back, 0), walk);
  Signature swapped = permute_dims(row_sum(n, 16), {1, 0});
  EXPECT_EQ(swapped.dims[0].name, "m");
  EXPECT_EQ(to_string(swapped.operands[1].projection), "[0 1 | 0 | 1]");
  Signature ordered = row_sum(3, 4);
  ordered.dims[1].monoid->commutative = false;
  EXPECT_EQ(slug_of([&] { reverse_dim(ordered, 1); }), "space-order");
}

TEST(Signature, Instantiates) {
  Signature numbers = instantiate(row_sum(n, n + 1), {{"n", 3}});
  EXPECT_EQ(numbers, row_sum(3, 4));
  EXPECT_EQ(index_box(numbers), Box::of_shape({3, 4}));
  EXPECT_EQ(slug_of([] { index_box(row_sum(n, 4)); }), "space-symbolic");
}

} // namespace
} // namespace kolam::space
