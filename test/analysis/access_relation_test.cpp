// Composed access maps beside enumeration of every path and point.
#include "kolam/analysis/access_relation.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <set>

namespace kolam::analysis {
namespace {

using space::AffineRow;
using space::Operand;
using space::Role;
using space::Signature;

Operand operand(Role role, const Shape& shape, std::vector<AffineRow> rows, int rank) {
  return {"o", role, shape,
          space::projection({rank, std::move(rows)}, Shape(shape.size(), Extent(1)))};
}

AffineRow row(std::vector<int64_t> coefficients, int64_t offset = 0, int64_t divisor = 1,
              int64_t modulus = 0) {
  return {std::move(coefficients), offset, divisor, modulus};
}

/// y[i] = f(x[i + 1], x[2 i])
Signature shifted() {
  return {"shifted",
          {space::map_dim("i", 8)},
          {operand(Role::in, {20}, {row({1}, 1)}, 1), operand(Role::in, {20}, {row({2})}, 1),
           operand(Role::out, {8}, {row({1})}, 1)}};
}

/// y[i] = sum over r of x[i, r]
Signature row_sum(int64_t rows, int64_t columns) {
  return {"sum",
          {space::map_dim("i", rows), space::reduce_dim("r", columns, {})},
          {operand(Role::in, {rows, columns}, {row({1, 0}), row({0, 1})}, 2),
           operand(Role::out, {rows}, {row({1, 0})}, 2)}};
}

TEST(AccessRelation, ComposesAlongEveryPath) {
  Signature first = shifted(), second = shifted();
  AccessRelation relation({{&first, {1, -1}}, {&second, {-1, -1}}});
  ASSERT_EQ(relation.loops().size(), 1u);
  ASSERT_EQ(relation.indices(1).size(), 1u);
  EXPECT_EQ(relation.indices(1)[0][0].row, row({1}, 1));
  std::vector<AffineRow> rows;
  for (const RelationUse& read : relation.reads())
    rows.push_back(*read.at[0].row);
  EXPECT_EQ(rows, (std::vector<AffineRow>{row({1}, 2), row({2}, 2), row({2})}));
  EXPECT_FALSE(relation.is_at_own_index(1));
}

TEST(AccessRelation, OpensALoopForEachIndexThatAReductionIsAskedFor) {
  Signature root = shifted(), sum = row_sum(20, 5);
  AccessRelation relation({{&root, {1, 1}}, {&sum, {-1}}});
  ASSERT_EQ(relation.loops().size(), 3u);
  EXPECT_EQ(relation.loops()[1].node, 1);
  EXPECT_EQ(relation.loops()[1].around, std::vector<int>{0});
  EXPECT_EQ(relation.loops()[1].extent, Extent(5));
  EXPECT_EQ(relation.indices(1).size(), 2u);
  EXPECT_TRUE(relation.varies(1, 0));
}

TEST(AccessRelation, KnowsNoMapOfPlacesThatDataDecides) {
  Signature root = shifted();
  root.operands[0].indirect = true;
  root.operands[0].projection = space::projection({1, {row({0})}}, {20});
  Signature producer = shifted();
  AccessRelation relation({{&root, {1, -1}}, {&producer, {-1, -1}}});
  const RelationCoordinate& by_data = relation.indices(1)[0][0];
  EXPECT_FALSE(by_data.row.has_value());
  EXPECT_EQ(by_data.loops, std::vector<int>{0});
  EXPECT_FALSE(relation.reads()[0].at[0].row.has_value()) << "nor of what depends on them";
}

TEST(AccessRelation, OneIndexTwiceIsOneIndex) {
  Signature root = shifted();
  root.operands[1] = root.operands[0];
  Signature producer = shifted();
  AccessRelation relation({{&root, {1, 1}}, {&producer, {-1, -1}}});
  EXPECT_EQ(relation.indices(1).size(), 1u);
  EXPECT_EQ(relation.reads().size(), 2u);
}

/// A chain or tree of ops on small arrays. Every op reads inside what it reads.
class RandomNest {
public:
  explicit RandomNest(uint64_t seed) : random_(seed) {
    const int count = pick(1, 4);
    signatures_.resize(count);
    for (Signature& signature : signatures_)
      signature = op();
    for (int node = 0; node < count; ++node) {
      RelationNode& added = nodes.emplace_back();
      added.signature = &signatures_[node];
      for (size_t number = 0; number + 1 < signatures_[node].operands.size(); ++number) {
        bool is_computed = node + 1 < count && pick(0, 2) > 0;
        added.producers.push_back(is_computed ? pick(node + 1, count - 1) : -1);
      }
    }
  }

  std::vector<RelationNode> nodes;

private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  /// Result dims, in an order of their own, and perhaps one that is reduced. All arrays have two
  /// dims, so that any may read any; places are taken modulo nothing, as maps do not look at
  /// shapes.
  Signature op() {
    Signature result{"op", {}, {}};
    const int inner = pick(0, 1), rank = 2 + inner;
    for (int dim = 0; dim < 2; ++dim)
      result.dims.push_back(space::map_dim("d" + std::to_string(dim), 3));
    if (inner)
      result.dims.push_back(space::reduce_dim("r", 2, {}));
    for (int operands = pick(1, 2); operands > 0; --operands) {
      std::vector<AffineRow> rows;
      for (int dim = 0; dim < 2; ++dim) {
        AffineRow added{std::vector<int64_t>(rank), pick(-2, 4)};
        for (int64_t& coefficient : added.coefficients)
          coefficient = pick(0, 1) * pick(-2, 2);
        if (pick(0, 3) == 0)
          added.divisor = pick(1, 3);
        if (pick(0, 5) == 0)
          added.modulus = pick(2, 4);
        rows.push_back(added);
      }
      result.operands.push_back(operand(Role::in, {3, 3}, rows, rank));
    }
    std::vector<AffineRow> own(2, AffineRow{std::vector<int64_t>(rank), 0});
    int first = pick(0, 1);
    own[0].coefficients[first] = own[1].coefficients[1 - first] = 1;
    result.operands.push_back(operand(Role::out, {3, 3}, own, rank));
    return result;
  }

  std::mt19937_64 random_;
  std::vector<Signature> signatures_;
};

using Points = std::map<std::pair<int, int>, std::set<space::Point>>; ///< by reader and operand

void for_points(const Shape& extents, const std::function<void(const space::Point&)>& body) {
  space::Point point(extents.size());
  std::function<void(size_t)> from = [&](size_t dim) {
    if (dim == extents.size())
      return body(point);
    for (point[dim] = 0; point[dim] < *extents[dim].constant(); ++point[dim])
      from(dim + 1);
  };
  from(0);
}

/// What is read of memory where a node is asked for one element.
void enumerate(const std::vector<RelationNode>& nodes, int node, const space::Point& result,
               Points& points) {
  const Signature& signature = *nodes[node].signature;
  const space::AffineMap& own = signature.operands.back().projection.map;
  for (int64_t reduced = 0; reduced < (signature.dims.size() == 3 ? 2 : 1); ++reduced) {
    space::Point index(signature.dims.size());
    if (signature.dims.size() == 3)
      index[2] = reduced;
    for (size_t dim = 0; dim < 2; ++dim)
      index[own.rows[dim].coefficients[0] == 1 ? 0 : 1] = result[dim];
    for (size_t number = 0; number < nodes[node].producers.size(); ++number) {
      space::Point at = space::image(signature.operands[number].projection.map, index);
      if (int producer = nodes[node].producers[number]; producer >= 0)
        enumerate(nodes, producer, at, points);
      else
        points[{node, static_cast<int>(number)}].insert(at);
    }
  }
}

/// The same by the relation; the dims that have no map are left out of both.
Points of_relation(const AccessRelation& relation, std::map<std::pair<int, int>, int>& unknown) {
  Shape extents;
  for (const RelationLoop& loop : relation.loops())
    extents.push_back(loop.extent);
  Points points;
  for (const RelationUse& read : relation.reads()) {
    for (size_t dim = 0; dim < read.at.size(); ++dim)
      unknown[{read.reader, read.operand}] |= read.at[dim].row ? 0 : 1 << dim;
    if (unknown[{read.reader, read.operand}])
      continue;
    space::AffineMap map{static_cast<int>(extents.size()), {}};
    for (const RelationCoordinate& at : read.at) {
      map.rows.push_back(*at.row);
      map.rows.back().coefficients.resize(extents.size());
    }
    for_points(extents, [&](const space::Point& loops) {
      points[{read.reader, read.operand}].insert(space::image(map, loops));
    });
  }
  return points;
}

TEST(AccessRelation, OfRandomNestsReadsWhatEnumerationReads) {
  int compared = 0, without_map = 0;
  const char* given = std::getenv("KOLAM_SEED");
  uint64_t seed = given ? std::stoull(given) : std::random_device()();
  for (int trial = 0; trial < 2000; ++trial) {
    RandomNest nest(seed + trial);
    AccessRelation relation(nest.nodes);
    if (relation.loops().size() > 8)
      continue;
    std::map<std::pair<int, int>, int> unknown;
    Points found = of_relation(relation, unknown), expected;
    for_points({3, 3},
               [&](const space::Point& result) { enumerate(nest.nodes, 0, result, expected); });
    for (const auto& [read, points] : expected) {
      if (unknown[read]) {
        ++without_map;
        continue;
      }
      EXPECT_EQ(found[read], points) << "seed " << seed + trial;
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(without_map, 10) << "some paths have no map, and say so";
}

} // namespace
} // namespace kolam::analysis
