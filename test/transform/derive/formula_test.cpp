// The derivative column as ops, beside central differences of each row.
#include "kolam/transform/derive/formula.h"

#include "../derive_program.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"

#include <cmath>

namespace kolam::transform {
namespace {

/// Places in the interior of the row's domain, one for each operand.
std::vector<double> place_of(Fn fn) {
  const std::string_view name = elementwise_row(fn).name;
  if (name == "acosh")
    return {1.7};
  if (elementwise_row(fn).arity == 1)
    return {0.37};
  return {0.83, 1.31, 0.59};
}

/// (derivatives..., the function a little above and below in each operand...)
std::vector<double> found_at(Fn fn, const std::vector<double>& place, double step) {
  const ElementwiseRow& row = elementwise_row(fn);
  std::string text = "func.func @main(";
  Arrays arguments;
  for (int operand = 0; operand < row.arity; ++operand) {
    text += (operand ? ", %" : "%") + std::string(1, static_cast<char>('x' + operand)) +
            ": tensor<f64>";
    arguments.push_back(numbers({}, {place[static_cast<size_t>(operand)]}));
  }
  text += ") -> tensor<f64> { return %x : tensor<f64> }";
  DerivedProgram made = derived_from(
      text, More::none, [&](language::Builder& b, mlir::Region&, mlir::ValueRange all) {
        Values operands(all.begin(), all.end()), results;
        Values value{language::elementwise(b, fn, operands)};
        for (int operand = 0; operand < row.arity; ++operand) {
          derive::Term term = derive::formula(b, row.derivative[operand], operands, value[0]);
          results.push_back(term.number ? language::weak_constant(b, *term.number, DType::f64)
                                        : term.value);
        }
        for (int operand = 0; operand < row.arity; ++operand)
          for (double by : {step, -step}) {
            Values moved = operands;
            moved[static_cast<size_t>(operand)] =
                language::elementwise(b, Fn::add,
                                      {operands[static_cast<size_t>(operand)],
                                       language::weak_constant(b, by, DType::f64)});
            results.push_back(language::elementwise(b, fn, moved));
          }
        return results;
      });
  std::vector<double> found;
  for (const Array& array : made.run(arguments))
    found.push_back(elements_of(array)[0]);
  return found;
}

TEST(Formula, each_row_agrees_with_central_differences) {
  constexpr double kStep = 1e-5; // assumed: its error is about 1e-10
  int compared = 0;
  for (const ElementwiseRow& row : kElementwiseRows) {
    if (!accepts(row.fn, DType::f64) || row.derivative[0].empty())
      continue;
    std::vector<double> found = found_at(row.fn, place_of(row.fn), kStep);
    const auto arity = static_cast<size_t>(row.arity);
    for (size_t operand = 0; operand < arity; ++operand, ++compared) {
      double above = found[arity + 2 * operand], below = found[arity + 2 * operand + 1];
      double expected = (above - below) / (2 * kStep);
      EXPECT_NEAR(found[operand], expected, 1e-7 * std::max(1.0, std::abs(expected)))
          << row.name << ", operand " << operand;
    }
  }
  EXPECT_GT(compared, 55);
}

TEST(Formula, numbers_stay_numbers) {
  derived_from("func.func @main(%x: tensor<f64>) -> tensor<f64> { return %x : tensor<f64> }",
               More::none, [](language::Builder& b, mlir::Region&, mlir::ValueRange all) {
                 Values x{all[0]};
                 EXPECT_EQ(derive::formula(b, "-1", x, x[0]).number, -1);
                 EXPECT_EQ(derive::formula(b, " (0.5)", x, x[0]).number, 0.5);
                 EXPECT_EQ(derive::formula(b, "r", x, x[0]).value, x[0]);
                 return x;
               });
}

TEST(Formula, what_stands_twice_is_made_once) {
  DerivedProgram made =
      derived_from("func.func @main(%x: tensor<f64>) -> tensor<f64> { return %x : tensor<f64> }",
                   More::none, [](language::Builder& b, mlir::Region&, mlir::ValueRange all) {
                     Values x{all[0]};
                     return Values{derive::formula(b, "sin(x) * sin(x)", x, x[0]).value};
                   });
  std::string text = made.text();
  EXPECT_EQ(text.find("\"sin\""), text.rfind("\"sin\"")) << text;
}

} // namespace
} // namespace kolam::transform
