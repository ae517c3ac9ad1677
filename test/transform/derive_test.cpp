// Small programs, linearised and transposed: as text, and run.
#include "derive_program.h"

namespace kolam::transform {
namespace {

constexpr const char* kProduct =
    R"(func.func @main(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %0 = kolam.elementwise "multiply" %x, %y : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
})";

constexpr const char* kUsedTwice = R"(func.func @main(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = kolam.elementwise "sin" %x : (tensor<2xf64>) -> tensor<2xf64>
  %1 = kolam.elementwise "add" %0, %x : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %1 : tensor<2xf64>
})";

constexpr const char* kScan =
    R"(func.func @main(%h: tensor<f64>, %x: tensor<3xf64>) -> tensor<f64> {
  %0 = kolam.scan carry(%h) over(%x) captures() length <["3"]> reverse false : (tensor<f64>, tensor<3xf64>) -> tensor<f64> {
  ^bb0(%s: tensor<f64>, %e: tensor<f64>):
    %1 = kolam.elementwise "multiply" %s, %e : (tensor<f64>, tensor<f64>) -> tensor<f64>
    kolam.yield %1 : tensor<f64>
  }
  return %0 : tensor<f64>
})";

TEST(Derive, a_product_is_linear_in_each_factor) {
  DerivedProgram made = pushed(kProduct);
  Arrays results = made.run({numbers({3}, {1, 2, 3}), numbers({3}, {4, 5, 6}),
                             numbers({3}, {1, 0, 1}), numbers({3}, {0, 1, 10})});
  EXPECT_EQ(elements_of(results[0]), (std::vector<double>{4, 10, 18}));
  EXPECT_EQ(elements_of(results[1]), (std::vector<double>{4, 2, 36}));
}

TEST(Derive, the_transpose_multiplies_by_the_other_factor) {
  DerivedProgram made = pulled(kProduct);
  Arrays results =
      made.run({numbers({3}, {1, 2, 3}), numbers({3}, {4, 5, 6}), numbers({3}, {1, 10, 100})});
  EXPECT_EQ(elements_of(results[0]), (std::vector<double>{4, 50, 600}));
  EXPECT_EQ(elements_of(results[1]), (std::vector<double>{1, 20, 300}));
}

TEST(Derive, the_last_use_of_a_value_comes_first) {
  // x~ = (v of the sum) + scale(v, cos(x)): the later op's contribution stands left.
  DerivedProgram made = pulled(kUsedTwice);
  std::string text = made.text();
  size_t scaled = text.find("\"scale\" %arg1"), added = text.find("\"add\" %arg1");
  EXPECT_NE(scaled, std::string::npos) << text;
  EXPECT_NE(added, std::string::npos) << text;
  EXPECT_LT(scaled, added) << text;
}

TEST(Derive, what_is_not_asked_for_is_not_made) {
  DerivedProgram made =
      derived_from(kProduct, More::cotangents,
                   [](language::Builder& b, mlir::Region& body, mlir::ValueRange all) {
                     Linearised linearised =
                         linearise(b, body, all.take_front(2), {true, false}, new_symbols());
                     EXPECT_EQ(linearised.linear.arguments, std::vector<size_t>{0});
                     return transpose_linear(b, linearised.linear, linearised.residuals, {all[2]},
                                             new_symbols());
                   });
  EXPECT_EQ(made.derived.getNumResults(), 1U);
  std::string text = made.text();
  EXPECT_EQ(text.find("scale"), text.rfind("scale")) << text;
}

TEST(Derive, a_zero_cotangent_makes_nothing) {
  DerivedProgram made = derived_from(
      kUsedTwice, More::none, [](language::Builder& b, mlir::Region& body, mlir::ValueRange all) {
        Linearised linearised = linearise(b, body, all, {true}, new_symbols());
        Values found = transpose_linear(b, linearised.linear, linearised.residuals, {mlir::Value()},
                                        new_symbols());
        EXPECT_EQ(found, Values{mlir::Value()});
        return linearised.results;
      });
  EXPECT_EQ(made.text().find("scale"), std::string::npos);
}

TEST(Derive, scans_run_backwards) {
  DerivedProgram made = pulled(kScan);
  Arrays results = made.run({numbers({}, {2}), numbers({3}, {3, 5, 7}), numbers({}, {1})});
  EXPECT_EQ(elements_of(results[0]), std::vector<double>{105});
  EXPECT_EQ(elements_of(results[1]), (std::vector<double>{70, 42, 30}));
  EXPECT_NE(made.text().find("reverse true"), std::string::npos);
}

TEST(Derive, tangents_are_carried_beside_states) {
  DerivedProgram made = pushed(kScan);
  Arrays results = made.run(
      {numbers({}, {2}), numbers({3}, {3, 5, 7}), numbers({}, {1}), numbers({3}, {0, 0, 1})});
  EXPECT_EQ(elements_of(results[0]), std::vector<double>{210});
  EXPECT_EQ(elements_of(results[1]), std::vector<double>{105 + 30});
}

TEST(Derive, a_square_is_not_linear) {
  try {
    derived_from(kProduct, More::none,
                 [](language::Builder& b, mlir::Region& body, mlir::ValueRange all) {
                   return as_linear(b, body, all, {true, true}, new_symbols()).results;
                 });
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "not-linear");
  }
}

TEST(Derive, the_derivative_prints_and_is_read_back) {
  DerivedProgram made = pulled(kScan);
  std::string text;
  llvm::raw_string_ostream stream(text);
  made.program.module->print(stream);
  EXPECT_NO_THROW(driver::parse(text, "again"));
}

} // namespace
} // namespace kolam::transform
