// Reads formulas by recursive descent; what stands twice is made once.
#include "kolam/transform/derive/formula.h"

#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/support/elementwise.h"

#include <charconv>
#include <map>

namespace kolam::transform::derive {
namespace {

/// Whether a value is one finite number, and not 0.
bool is_number_beside_zero(Value value) {
  while (mlir::Operation* op = value.getDefiningOp())
    if (llvm::isa<ir::BroadcastOp, ir::CastOp>(op))
      value = op->getOperand(0);
    else
      break;
  auto constant = value.getDefiningOp<ir::ConstantOp>();
  auto elements = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())
                           : mlir::DenseElementsAttr();
  if (!elements || !elements.isSplat() || !llvm::isa<mlir::FloatType>(elements.getElementType()))
    return false;
  const auto number = elements.getSplatValue<llvm::APFloat>();
  return number.isFinite() && !number.isZero();
}

class Reader {
public:
  Reader(Builder& b, std::string_view text, llvm::ArrayRef<Value> operands, Value result)
      : b_(b), text_(text), operands_(operands), result_(result) {}

  /// sum := product (("+" | "-") product)*
  Term sum() {
    size_t start = skip();
    Term left = product();
    for (;;) {
      if (take('+'))
        left = apply(Fn::add, {left, product()}, start);
      else if (take('-'))
        left = apply(Fn::subtract, {left, product()}, start);
      else
        return left;
    }
  }
  bool is_at_end() {
    skip();
    return place_ == text_.size();
  }

private:
  /// product := factor (("*" | "/") factor)*
  Term product() {
    size_t start = skip();
    Term left = factor();
    for (;;) {
      if (take('*'))
        left = apply(Fn::multiply, {left, factor()}, start);
      else if (take('/'))
        left = apply(Fn::divide, {left, factor()}, start);
      else
        return left;
    }
  }

  /// factor := "-" factor | "(" sum ")" | number | operand | function "(" sum ("," sum)* ")"
  Term factor() {
    size_t start = skip();
    if (take('-')) {
      Term of = factor();
      return of.number ? Term{-*of.number, {}} : apply(Fn::negative, {of}, start);
    }
    if (take('(')) {
      Term inner = sum();
      KOLAM_CHECK(take(')'));
      return inner;
    }
    double number = 0;
    auto [end, error] = std::from_chars(text_.data() + place_, text_.data() + text_.size(), number);
    if (error == std::errc()) {
      place_ = static_cast<size_t>(end - text_.data());
      return {number, {}};
    }
    std::string_view name = word();
    if (!take('('))
      return {{}, named(name)};
    std::vector<Term> arguments;
    do
      arguments.push_back(sum());
    while (take(','));
    KOLAM_CHECK(take(')'));
    return apply(*parse_fn(name), arguments, start);
  }

  Value named(std::string_view name) {
    KOLAM_CHECK(name.size() == 1);
    return name == "r" ? result_ : operands_[static_cast<size_t>(name[0] - 'x')];
  }

  /// The op of the text from `start` to here.
  Term apply(Fn fn, const std::vector<Term>& terms, size_t start) {
    std::string_view text = text_.substr(start, place_ - start);
    if (auto found = made_.find(text); found != made_.end())
      return {{}, found->second};
    Values values;
    for (const Term& term : terms)
      values.push_back(term.value
                           ? term.value
                           : language::weak_constant(b_, *term.number, ir::dtype_of(result_)));
    if (fn == Fn::scale_either && llvm::any_of(values, is_number_beside_zero))
      fn = Fn::multiply; // neither factor makes the other's NaN a zero
    Value value = language::elementwise(b_, fn, values);
    made_.emplace(text, value);
    return {{}, value};
  }

  std::string_view word() {
    size_t start = place_;
    while (place_ < text_.size() && (std::isalnum(text_[place_]) != 0 || text_[place_] == '_'))
      ++place_;
    return text_.substr(start, place_ - start);
  }
  size_t skip() {
    while (place_ < text_.size() && text_[place_] == ' ')
      ++place_;
    return place_;
  }
  bool take(char expected) {
    skip();
    if (place_ == text_.size() || text_[place_] != expected)
      return false;
    ++place_;
    return true;
  }

  Builder& b_;
  std::string_view text_;
  llvm::ArrayRef<Value> operands_;
  Value result_;
  size_t place_ = 0;
  std::map<std::string_view, Value> made_;
};

} // namespace

Term formula(Builder& b, std::string_view text, llvm::ArrayRef<Value> operands, Value result) {
  Reader reader(b, text, operands, result);
  Term term = reader.sum();
  KOLAM_CHECK(reader.is_at_end());
  return term;
}

} // namespace kolam::transform::derive
