// Contractions of many instances with a weight are one product, whichever operand the weight is.
#include "batch_cases.h"
#include "batched_program.h"

#include "kolam/nest/products.h"

namespace kolam::transform {
namespace {

struct ProductCase {
  const char* name;
  batch_cases::Case op;
  EachFlags each;
  std::vector<int> rows; ///< dims of the product's result; dim 0 counts the instances
};

void PrintTo(const ProductCase& one, std::ostream* out) { *out << one.name; }

const ProductCase kCases[] = {
    {"rows",
     {"", "f32[6, 32], f32[32, 64]", "f32[6, 64]",
      R"(kolam.contract "ij,jk->ik" %a0, %a1 <"chain<8192>"> : (f32[6, 32], f32[32, 64]) -> f32[6, 64])"},
     {true, false},
     {0, 1}},
    {"vector",
     {"", "f32[32], f32[32, 64]", "f32[64]",
      R"(kolam.contract "j,jk->k" %a0, %a1 <"chain<8192>"> : (f32[32], f32[32, 64]) -> f32[64])"},
     {true, false},
     {0}},
    {"turned_rows",
     {"", "f32[24, 32], f32[32, 64]", "f32[64, 24]",
      R"(kolam.contract "ij,jk->ki" %a0, %a1 <"chain<8192>"> : (f32[24, 32], f32[32, 64]) -> f32[64, 24])"},
     {true, false},
     {0, 1}},
    {"columns",
     {"", "f32[24, 32], f32[32, 64]", "f32[24, 64]",
      R"(kolam.contract "ij,jk->ik" %a0, %a1 <"chain<8192>"> : (f32[24, 32], f32[32, 64]) -> f32[24, 64])"},
     {false, true},
     {0, 1}},
    {"column",
     {"", "f32[24, 32], f32[32]", "f32[24]",
      R"(kolam.contract "ij,j->i" %a0, %a1 <"chain<8192>"> : (f32[24, 32], f32[32]) -> f32[24])"},
     {false, true},
     {0}},
    {"outer_batch",
     {"", "f32[2, 6, 32], f32[2, 32, 64]", "f32[2, 6, 64]",
      R"(kolam.contract "bij,bjk->bik" %a0, %a1 <"chain<8192>"> : (f32[2, 6, 32], f32[2, 32, 64]) -> f32[2, 6, 64])"},
     {true, false},
     {0, 2}},
};

class BatchProductTest : public testing::TestWithParam<ProductCase> {};

TEST_P(BatchProductTest, HasTheInstancesAsRows) {
  Subject subject = parse_subject(batch_cases::program(GetParam().op));
  EachFlags each = GetParam().each;
  each.push_back(false);
  std::string why;
  auto batch = batched(subject, each, Extent::symbol(kInstances), &why);
  ASSERT_TRUE(batch) << why;
  SCOPED_TRACE(text_of(*batch->program.module));
  std::vector<ir::ContractOp> products;
  batch->program.module->walk([&](ir::ContractOp op) { products.push_back(op); });
  ASSERT_EQ(products.size(), 1u);
  analysis::Signatures signatures;
  auto product = nest::as_product(products[0], signatures);
  ASSERT_TRUE(product);
  EXPECT_EQ(product->dims.rows, GetParam().rows);
}

INSTANTIATE_TEST_SUITE_P(Contract, BatchProductTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

} // namespace
} // namespace kolam::transform
