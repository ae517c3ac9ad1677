// Signatures as JSON: dims, monoids, quasi-affine rows and policies.
#include "kolam/plan/signature_json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "test/runtime/expect_error.h"
#include "test/space/random_space.h"

namespace kolam::plans {
namespace {

space::Signature there_and_back(const space::Signature& signature) {
  const ReadJson document = parsed(json_of(signature).dump(), "bad-plan");
  return signature_from_json(Place(document, "bad-plan"));
}

TEST(SignatureJsonProperty, RandomProjectionsComeBack) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    space::Signature signature{"op", {space::map_dim("i", 3), space::map_dim("j", 4)}, {}};
    for (int kind = 0; kind < 7; ++kind) {
      const space::Policy policy{static_cast<space::Policy::Kind>(kind)};
      signature.operands.push_back({"x" + std::to_string(kind),
                                    static_cast<space::Role>(random() % 4),
                                    {5, 6},
                                    space::random_projection(random, 2, 2, true),
                                    policy});
    }
    ASSERT_EQ(there_and_back(signature), signature) << "seed " << seed;
  }
}

TEST(SignatureJson, PadValuesKeepTheirKind) {
  for (const std::variant<int64_t, double>& value :
       {std::variant<int64_t, double>(int64_t{-3}), std::variant<int64_t, double>(-0.0),
        std::variant<int64_t, double>(1.0), std::variant<int64_t, double>(-INFINITY)}) {
    space::Signature signature{
        "op", {}, {{"x", space::Role::in, {}, {}, space::Policy::pad(value)}}};
    EXPECT_EQ(there_and_back(signature), signature);
  }
}

TEST(SignatureJson, Faults) {
  const std::string text = json_of(space::Signature{"op", {space::map_dim("i", 3)}, {}}).dump();
  for (const auto& [from, to, expected] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {R"("kind":"map")", R"("kind":"mop")",
            "dims[0].kind: expected one of 'map', 'reduce', 'scan', but got \"mop\""},
           {R"("monoid":null)", R"("monoid":4)",
            "dims[0].monoid: expected an object, but got 4"}}) {
    std::string damaged = text;
    damaged.replace(damaged.find(from), from.size(), to);
    const ReadJson document = parsed(damaged, "bad-plan");
    EXPECT_EQ(error_of([&] { signature_from_json(Place(document, "bad-plan")); }).message(),
              expected);
  }
}

} // namespace
} // namespace kolam::plans
