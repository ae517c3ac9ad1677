// Writes documentation from rows. Special values are not written down but computed.
#include "kolam/support/elementwise_doc.h"

#include "kolam/support/elementwise_host.h"

#include <cmath>
#include <cstdio>
#include <limits>

namespace kolam {
namespace {

/// The parts of a row's text: what the function is, and after semicolons what is special about it.
struct Parts {
  std::string meaning, special;
};

Parts parts_of(std::string_view text) {
  size_t end = text.find("; ");
  if (end == text.npos)
    return {std::string(text), ""};
  return {std::string(text.substr(0, end)), std::string(text.substr(end + 2))};
}

std::string equation(const ElementwiseRow& row) {
  std::string cells;
  for (int number = 0; number < row.arity; ++number)
    cells += std::string(number ? ", " : "") + parameter_name(row.fn, number) + '[' + "i]";
  return "result[i] = " + std::string(row.name) + "(" + cells + ")";
}

std::string operands_text(const ElementwiseRow& row) {
  switch (row.operands) {
  case OperandRule::any:
    return "operands of any dtype";
  case OperandRule::numeric:
    return "integers and floats";
  case OperandRule::integer:
    return "integers";
  case OperandRule::integer_or_boolean:
    return "integers and booleans";
  case OperandRule::floating:
    return "floats; integers and booleans become float32 first";
  default:
    return "booleans";
  }
}

std::string dtypes_text(const ElementwiseRow& row) {
  std::string text = "Takes " + operands_text(row) + ".";
  if (row.fn == Fn::where)
    text += " The condition is true where it is not 0.";
  if (row.arity > 1)
    text += " Operands are promoted to one dtype and broadcast.";
  return text + (row.gives_boolean ? " Gives booleans." : " Gives the operands' dtype.");
}

std::string number_text(double number) {
  if (std::isnan(number))
    return "nan";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

/// The function of one float64, as every backend computes it.
std::string value_text(Fn fn, double x) {
  const void* input = &x;
  const int64_t stride = 0;
  if (elementwise_row(fn).gives_boolean) {
    bool result = false;
    apply_elementwise(fn, DType::f64, {&input, 1}, {&stride, 1}, &result, 1);
    return result ? "True" : "False";
  }
  double result = 0;
  apply_elementwise(fn, DType::f64, {&input, 1}, {&stride, 1}, &result, 1);
  return number_text(result);
}

/// `sqrt(-inf) = nan, sqrt(-0) = -0, ...` of a function of one float.
std::string special_values(const ElementwiseRow& row) {
  if (row.arity != 1 || !accepts(row.operands, DType::f64))
    return "";
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::string text;
  for (double x : {-kInfinity, -0.0, 0.0, kInfinity, std::numeric_limits<double>::quiet_NaN()})
    text += (text.empty() ? "" : ", ") + std::string(row.name) + "(" + number_text(x) +
            ") = " + value_text(row.fn, x);
  return text + ".";
}

std::string tenths(double number) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

std::string accuracy_text(const ElementwiseRow& row) {
  if (!accepts(row.operands, DType::f32) || row.gives_boolean)
    return "";
  const Accuracy& most = row.accuracy;
  if (most.f32 == 0 && most.f64 == 0)
    return "Exact.";
  if (most.f32 == 0.5 && most.f64 == 0.5)
    return "Floats are correctly rounded; float16 and bfloat16 are computed in float32.";
  return "Errs by at most " + tenths(most.f32) + " units in the last place in float32, " +
         tenths(most.f64) +
         " in float64; float16 and bfloat16 are computed in float32 and rounded " + "once.";
}

} // namespace

const char* parameter_name(Fn fn, int number) {
  constexpr const char* names[] = {"condition", "x", "y", "z"};
  return names[fn == Fn::where ? number : number + 1];
}

std::string elementwise_doc(Fn fn) {
  const ElementwiseRow& row = elementwise_row(fn);
  Parts parts = parts_of(row.text);
  std::string doc = parts.meaning + ".\n\n    " + equation(row) + "\n\n" + dtypes_text(row);
  for (const std::string& more :
       {parts.special.empty() ? "" : "Special cases: " + parts.special + ".", special_values(row),
        accuracy_text(row)})
    if (!more.empty())
      doc += "\n" + more;
  return doc;
}

} // namespace kolam
