// The words of signatures that break a rule, and of partitions that are none.
#include "kolam/space/partition.h"
#include "kolam/space/projection_forms.h"
#include "kolam/space/signature.h"
#include "test/runtime/expect_error.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kolam::space {
namespace {

const Monoid kSum{"sum", {DType::f32}};

/// y[i] = x[i]
Signature copied(int64_t extent) {
  return {"copied",
          {map_dim("i", extent)},
          {{"x", Role::in, {extent}, identity(1)}, {"y", Role::out, {extent}, identity(1)}}};
}

/// y = sum over i of x[i]
Signature summed(int64_t extent, const Monoid& monoid) {
  return {"summed",
          {reduce_dim("i", extent, monoid)},
          {{"x", Role::in, {extent}, identity(1)}, {"y", Role::out, {}, axial(1, {}, {})}}};
}

std::string issues_of(const Signature& signature) { return to_string(validate(signature)); }

TEST(SignatureErrors, Name) {
  Signature wrong = copied(4);
  wrong.operands[0].name = "";
  EXPECT_EQ(issues_of(wrong), "operand '': [space-name] expected a name");
  wrong.operands[0].name = "y";
  EXPECT_EQ(issues_of(wrong), "operand 'y': [space-name] expected distinct names");
}

TEST(SignatureErrors, Size) {
  Signature wrong = copied(4);
  wrong.dims[0].extent = -1;
  EXPECT_EQ(issues_of(wrong), "dim 'i': [space-size] expected an extent >= 0, but got -1");
}

TEST(SignatureErrors, Monoid) {
  EXPECT_EQ(issues_of(summed(4, Monoid{"none", {}})),
            "dim 'i': [space-monoid] expected a monoid with a state on a reduce dim");
  Signature wrong = copied(4);
  wrong.dims[0].monoid = kSum;
  EXPECT_EQ(issues_of(wrong),
            "dim 'i': [space-monoid] expected no monoid here, but got sum<float32>");
}

TEST(SignatureErrors, Distance) {
  Signature wrong = copied(4);
  wrong.dims[0] = scan_dim("i", 4, Direction::forward, 0);
  EXPECT_EQ(issues_of(wrong),
            "dim 'i': [space-distance] expected a dependence distance >= 1, but got 0");
}

TEST(SignatureErrors, Policy) {
  Signature wrong = copied(4);
  wrong.operands[0].policy.kind = Policy::Kind::drop;
  EXPECT_EQ(issues_of(wrong),
            "operand 'x': [space-policy] expected a policy that fits its role, but got drop");
}

TEST(SignatureErrors, Indirect) {
  Signature wrong = copied(4);
  wrong.operands[0].indirect = true;
  EXPECT_EQ(issues_of(wrong), "operand 'x': [space-indirect] expected a dim that every point owns "
                              "whole, but got [1 | 0 | 1]");
}

TEST(SignatureErrors, OutOfBounds) {
  Signature wrong = copied(4);
  wrong.operands[0].shape = {3};
  EXPECT_EQ(issues_of(wrong), "operand 'x': [space-out-of-bounds] expected a region inside [0:3], "
                              "but got [0:4]");
}

TEST(SignatureErrors, Reduce) {
  Signature wrong = summed(4, kSum);
  wrong.operands[1].shape = {4};
  wrong.operands[1].projection = identity(1);
  EXPECT_EQ(issues_of(wrong), "operand 'y': [space-reduce] expected an output that does not depend "
                              "on reduce dim 'i'");
}

TEST(SignatureErrors, Overlap) {
  Signature wrong = copied(4);
  wrong.operands[1].projection = fixed(1, {0}, {4});
  EXPECT_EQ(issues_of(wrong), "operand 'y': [space-overlap] expected points that write disjoint "
                              "regions, but got [0 | 0 | 4]");
}

TEST(SignatureErrors, Cover) {
  Signature wrong = copied(4);
  wrong.operands[1].shape = {8};
  EXPECT_EQ(to_string(validate_total_outputs(wrong)),
            "operand 'y': [space-cover] expected points that write [0:8] exactly once, but got "
            "[1 | 0 | 1]");
}

TEST(SignatureErrors, Writers) {
  EXPECT_EQ(to_string(validate_single_writers({copied(4), summed(4, kSum)})),
            "operand 'y': [space-writers] expected one op that writes it, but got copied and "
            "summed");
}

TEST(SignatureErrors, ThrownWithTheFirstSlug) {
  const std::vector<Issue> issues = validate(summed(4, Monoid{"none", {}}));
  EXPECT_EQ(error_of([&] { fail_on(issues); }).slug(), "space-monoid");
}

TEST(SignatureErrors, Order) {
  Monoid ordered = kSum;
  ordered.commutative = false;
  EXPECT_STREQ(error_of([&] { reverse_dim(summed(4, ordered), 0); }).what(),
               "[space-order] expected a commutative monoid to reverse dim 'i', but got "
               "sum<float32> noncommutative");
}

TEST(SignatureErrors, Partition) {
  EXPECT_STREQ(error_of([] { make_shards(copied(4), {Box({0}, {2})}); }).what(),
               "[space-partition] the pieces: expected 4 elements in all, but got 2");
  const std::vector<Box> halves = {Box({0}, {2}), Box({2}, {4})};
  EXPECT_STREQ(error_of([&] { make_shards(summed(4, kSum), halves); }).what(),
               "[space-partition] expected reduce dim 'i' whole, but got [0:2]");
}

} // namespace
} // namespace kolam::space
