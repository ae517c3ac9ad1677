// Names of dims in small problems written by hand.
#include "kolam/analysis/data_dim/dim_names.h"

#include <gtest/gtest.h>

namespace kolam::analysis {
namespace {

using Names = std::vector<std::string>;

/// A problem, made value by value and op by op.
class Builder {
public:
  int value(const std::vector<int64_t>& extents) {
    DataDimValue made;
    for (int64_t extent : extents)
      made.shape.push_back(Extent(extent));
    problem_.values.push_back(std::move(made));
    return static_cast<int>(problem_.values.size()) - 1;
  }

  /// Names given to a value by a pin at a line of model.py.
  void pin(int value, const Names& names, int line) {
    DataDimOp op;
    op.kind = DataDimOp::Kind::pin;
    op.name = "pin";
    op.where = {"model.py", line};
    op.operands = {value};
    op.names = names;
    problem_.ops.push_back(std::move(op));
  }

  /// An op of one result.
  void op(const std::string& name, const std::vector<int>& operands, int result,
          const std::vector<SameDims>& same) {
    DataDimOp op;
    op.name = name;
    op.where = {"model.py", 99};
    op.operands = operands;
    op.results = {result};
    op.same = same;
    problem_.ops.push_back(std::move(op));
  }

  DataDimProblem named() {
    name_dims(problem_);
    return problem_;
  }

private:
  DataDimProblem problem_;
};

/// Dim `dim` of both values is one dim.
SameDims tied(int x, int y, size_t dim) { return {{x, dim, 1}, {y, dim, 1}}; }

TEST(DimNames, GoForwardsAndBackwards) {
  Builder b;
  const int x = b.value({2, 3}), y = b.value({2, 3}), z = b.value({3, 2});
  b.op("tanh", {x}, y, {tied(x, y, 0), tied(x, y, 1)});
  b.pin(y, {"rows", ""}, 7);
  b.op("transpose", {y}, z, {{{y, 0, 1}, {z, 1, 1}}, {{y, 1, 1}, {z, 0, 1}}});
  DataDimProblem problem = b.named();
  EXPECT_EQ(problem.values[x].names, (Names{"rows", ""}));
  EXPECT_EQ(problem.values[z].names, (Names{"", "rows"}));
  EXPECT_EQ(shape_text(problem.values[z], 0), "[3! rows]");
}

TEST(DimNames, AreJoinedAndTakenApart) {
  Builder b;
  const int x = b.value({4, 8, 64}), flat = b.value({4, 512}), again = b.value({4, 8, 64}),
            other = b.value({4, 16, 32});
  b.pin(x, {"batch", "heads", "dim"}, 7);
  b.op("reshape", {x}, flat, {tied(x, flat, 0), {{x, 1, 2}, {flat, 1, 1}}});
  b.op("reshape", {flat}, again, {tied(flat, again, 0), {{flat, 1, 1}, {again, 1, 2}}});
  b.op("reshape", {flat}, other, {tied(flat, other, 0), {{flat, 1, 1}, {other, 1, 2}}});
  DataDimProblem problem = b.named();
  EXPECT_EQ(problem.values[flat].names, (Names{"batch", "(heads*dim)"}));
  EXPECT_EQ(problem.values[again].names, (Names{"batch", "heads", "dim"}));
  EXPECT_EQ(problem.values[other].names, (Names{"batch", "", ""}));
}

TEST(DimNames, UnitDimsOfARunHaveNone) {
  Builder b;
  const int x = b.value({1, 8, 64}), flat = b.value({512}), again = b.value({8, 1, 64});
  b.pin(x, {"", "heads", "dim"}, 7);
  b.op("reshape", {x}, flat, {{{x, 0, 3}, {flat, 0, 1}}});
  b.op("reshape", {flat}, again, {{{flat, 0, 1}, {again, 0, 3}}});
  DataDimProblem problem = b.named();
  EXPECT_EQ(problem.values[flat].names, (Names{"(heads*dim)"}));
  EXPECT_EQ(problem.values[again].names, (Names{"heads", "", "dim"}));
}

TEST(DimNames, AGivenNameIsBetterThanAJoinedOne) {
  Builder b;
  const int x = b.value({8, 64}), flat = b.value({512}), y = b.value({512});
  b.pin(x, {"heads", "dim"}, 7);
  b.op("reshape", {x}, flat, {{{x, 0, 2}, {flat, 0, 1}}});
  b.op("tanh", {flat}, y, {tied(flat, y, 0)});
  b.pin(y, {"inner"}, 8);
  DataDimProblem problem = b.named();
  EXPECT_EQ(problem.values[flat].names, (Names{"inner"}));
  EXPECT_EQ(problem.values[x].names, (Names{"heads", "dim"}));
  EXPECT_FALSE(problem.two_names);
}

TEST(DimNames, TwoNamesMeetAtAnOp) {
  Builder b;
  const int x = b.value({2, 3}), y = b.value({2, 3}), sum = b.value({2, 3});
  b.pin(x, {"rows", "columns"}, 7);
  b.pin(y, {"rows", "channels"}, 8);
  b.op("add", {x, y}, sum,
       {{{x, 0, 1}, {y, 0, 1}, {sum, 0, 1}}, {{x, 1, 1}, {y, 1, 1}, {sum, 1, 1}}});
  DataDimProblem problem = b.named();
  ASSERT_TRUE(problem.two_names);
  EXPECT_EQ(problem.two_names->where.line, 99);
  EXPECT_EQ(problem.two_names->text,
            "add [rows columns] [rows channels] -> [rows 3]: expected one name for each dim, "
            "but got 'columns', given by a pin at model.py:7, and 'channels', given by a pin at "
            "model.py:8");
}

TEST(DimNames, MeetWhereTheOtherOneWasGiven) {
  Builder b;
  const int x = b.value({2}), y = b.value({2});
  b.pin(x, {"time"}, 7);
  b.op("tanh", {x}, y, {tied(x, y, 0)});
  b.pin(y, {"step"}, 8);
  DataDimProblem problem = b.named();
  ASSERT_TRUE(problem.two_names);
  EXPECT_EQ(problem.two_names->where.line, 8);
}

TEST(DimNames, AreListedWithTheirExtents) {
  Builder b;
  const int x = b.value({2, 3}), y = b.value({2, 5});
  b.pin(x, {"batch", "time"}, 7);
  b.pin(y, {"batch", "time"}, 8);
  EXPECT_EQ(names_text(b.named()), "batch 2, time 3 or 5");
}

} // namespace
} // namespace kolam::analysis
