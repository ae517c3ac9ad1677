// Prints and reads extents.
#include <algorithm>
#include <cctype>
#include <charconv>

#include "kolam/support/error.h"
#include "kolam/support/extent_node.h"

namespace kolam {
namespace {

uint64_t magnitude(int64_t value) {
  return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

std::string term_text(const ExtentTerm& term) {
  std::string text;
  if (magnitude(term.coefficient) != 1)
    text = std::to_string(magnitude(term.coefficient));
  for (const auto& factor : term.factors)
    text += (text.empty() ? "" : "*") + factor->text;
  return text;
}

/// Recursive descent over
///
///     sum     = term (('+' | '-') term)*
///     term    = factor ('*' factor)*
///     factor  = '-' factor | number | name | name '(' sum (',' sum)+ ')' | '(' sum ')'
///
/// The first mistake sets `failed` and every function returns at once. A sign goes down to the
/// number it stands before, so that the least 64-bit number can be read.
class ExtentParser {
public:
  explicit ExtentParser(std::string_view text) : rest_(text) {}

  std::optional<Extent> parse() {
    Extent value = sum();
    if (failed_ || peek() != '\0')
      return std::nullopt;
    return value;
  }

private:
  static constexpr int kMaxDepth = 100;

  char peek() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t'))
      rest_.remove_prefix(1);
    // A zero byte in the text is a mistake, not its end.
    return rest_.empty() ? '\0' : rest_[0] == '\0' ? '?' : rest_[0];
  }

  bool accept(char letter) {
    if (failed_ || peek() != letter)
      return false;
    rest_.remove_prefix(1);
    return true;
  }

  Extent mistake() {
    failed_ = true;
    return 0;
  }

  Extent sum() {
    if (++depth_ > kMaxDepth)
      return mistake();
    Extent value = term(false);
    while (!failed_) {
      if (accept('+'))
        value = value + term(false);
      else if (accept('-'))
        value = value + term(true);
      else
        break;
    }
    --depth_;
    return value;
  }

  Extent term(bool negative) {
    Extent value = factor(negative);
    while (accept('*'))
      value = value * factor(false);
    return value;
  }

  Extent factor(bool negative) {
    while (accept('-'))
      negative = !negative;
    char letter = peek();
    if (failed_)
      return 0;
    if (std::isdigit(static_cast<unsigned char>(letter)))
      return number(negative);
    Extent value = letter == '(' ? parenthesis() : name();
    return negative ? value * Extent(-1) : value;
  }

  Extent parenthesis() {
    accept('(');
    Extent value = sum();
    return accept(')') ? value : mistake();
  }

  Extent number(bool negative) {
    size_t length = 0;
    while (length < rest_.size() && std::isdigit(static_cast<unsigned char>(rest_[length])))
      ++length;
    std::string digits = (negative ? "-" : "") + std::string(rest_.substr(0, length));
    rest_.remove_prefix(length);
    int64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() ? Extent(value) : mistake();
  }

  Extent name() {
    size_t length = 0;
    while (length < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[length])) || rest_[length] == '_' ||
            rest_[length] == '.' || rest_[length] == '$'))
      ++length;
    std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return peek() == '(' ? call(word) : Extent::symbol(word);
  }

  Extent call(std::string_view word) {
    accept('(');
    std::vector<Extent> arguments{sum()};
    while (accept(','))
      arguments.push_back(sum());
    bool is_extreme = word == "min" || word == "max";
    bool is_division = word == "floordiv" || word == "ceildiv";
    if (!accept(')') || arguments.size() < 2 || !(is_extreme || is_division) ||
        (is_division && arguments.size() != 2))
      return mistake();
    Extent value = arguments[0];
    for (size_t i = 1; i < arguments.size(); ++i)
      value = word == "min"        ? min(value, arguments[i])
              : word == "max"      ? max(value, arguments[i])
              : word == "floordiv" ? floordiv(value, arguments[i])
                                   : ceildiv(value, arguments[i]);
    return value;
  }

  std::string_view rest_;
  int depth_ = 0;
  bool failed_ = false;
};

} // namespace

std::string print_extent(const std::vector<ExtentTerm>& terms, int64_t constant) {
  std::string text;
  for (const ExtentTerm& term : terms)
    if (term.coefficient > 0)
      text += (text.empty() ? "" : " + ") + term_text(term);
  for (const ExtentTerm& term : terms)
    if (term.coefficient < 0)
      text += (text.empty() ? "-" : " - ") + term_text(term);
  if (text.empty())
    return std::to_string(constant);
  if (constant != 0)
    text += (constant < 0 ? " - " : " + ") + std::to_string(magnitude(constant));
  return text;
}

std::optional<Extent> Extent::parse(std::string_view text) {
  try {
    return ExtentParser(text).parse();
  } catch (const Error& error) { // too large, an overflow, a divisor of 0, a name that is none
    if (error.kind() == ErrorKind::internal)
      throw;
    return std::nullopt;
  }
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (const Extent& extent : shape)
    text += (text.size() == 1 ? "" : ", ") + extent.to_string();
  return text + "]";
}

} // namespace kolam
