// Reads signatures.
#include "kolam/space/signature_text.h"

#include <sstream>

#include "kolam/support/error.h"

namespace kolam::space {
namespace {

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  int depth = 0;
  parts.emplace_back();
  for (char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == at && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

class Reader {
public:
  Signature read(const std::string& op, const std::string& text) {
    signature_.op = op;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (line_ = trimmed(line); !line_.empty())
        read_line();
    return std::move(signature_);
  }

private:
  [[noreturn]] void refuse(const std::string& expected) const {
    fail(ErrorKind::value, "bad-partitioning",
         "signature: expected " + expected + ", but got '" + line_ + "'");
  }

  void read_line() {
    const size_t colon = line_.find(':');
    std::istringstream head(line_.substr(0, colon));
    std::string kind, name;
    head >> kind >> name;
    if (colon == std::string::npos || name.empty())
      refuse("`dim i: map n`, `in x [n, m]: [A | b | S]` or `out y [n]: [A | b | S]`");
    const std::string rest = trimmed(line_.substr(colon + 1));
    std::string shape;
    std::getline(head, shape);
    if (kind == "dim")
      return read_dim(name, rest);
    if (kind != "in" && kind != "out")
      refuse("a line of 'dim', 'in' or 'out'");
    Operand operand{.name = name,
                    .role = kind == "in" ? Role::in : Role::out,
                    .shape = extents(trimmed(shape)),
                    .projection = projection(rest)};
    if (operand.shape.size() != operand.projection.size.size())
      refuse("a row of [A | b | S] for each dim");
    if (operand.role == Role::in && !signature_.operands.empty() &&
        signature_.operands.back().role == Role::out)
      refuse("operands in front of results");
    signature_.operands.push_back(std::move(operand));
  }

  void read_dim(const std::string& name, const std::string& rest) {
    std::istringstream words(rest);
    std::string kind;
    words >> kind;
    if (!signature_.operands.empty())
      refuse("dims in front of operands");
    if (kind == "map") {
      std::string extent;
      std::getline(words, extent);
      signature_.dims.push_back(map_dim(name, number(trimmed(extent))));
      return;
    }
    std::string extent, merged;
    if (kind != "reduce" || !(words >> extent >> merged))
      refuse("`map n` or `reduce n add`");
    signature_.dims.push_back(reduce_dim(name, number(extent), Monoid{merged, {DType::f32}}));
  }

  Extent number(const std::string& text) const {
    std::optional<Extent> extent = Extent::parse(text);
    if (!extent)
      refuse("an extent, but there is '" + text + "'");
    return *extent;
  }

  std::string between_brackets(const std::string& text) const {
    if (text.size() < 2 || text.front() != '[' || text.back() != ']')
      refuse("brackets");
    return text.substr(1, text.size() - 2);
  }

  Shape extents(const std::string& text) const {
    Shape shape;
    const std::string inside = trimmed(between_brackets(text));
    if (!inside.empty())
      for (const std::string& extent : split(inside, ','))
        shape.push_back(number(trimmed(extent)));
    return shape;
  }

  Projection projection(const std::string& text) const {
    const size_t rank = signature_.dims.size();
    AffineMap map{static_cast<int>(rank), {}};
    Shape size;
    const std::string inside = trimmed(between_brackets(text));
    if (inside.empty())
      return space::projection(std::move(map), std::move(size));
    for (const std::string& row : split(inside, ';')) {
      const std::vector<std::string> parts = split(row, '|');
      if (parts.size() != 3)
        refuse("rows as `1 0 | 0 | 1`");
      AffineRow own{{}, number(trimmed(parts[1]))};
      std::istringstream coefficients(parts[0]);
      for (std::string word; coefficients >> word;) {
        const std::optional<Extent> coefficient = Extent::parse(word);
        if (!coefficient || !coefficient->is_constant())
          refuse("coefficients that are numbers, but there is '" + word + "'");
        own.coefficients.push_back(*coefficient->constant());
      }
      if (own.coefficients.size() != rank)
        refuse(std::to_string(rank) + " coefficients in each row, one for each dim");
      map.rows.push_back(std::move(own));
      size.push_back(number(trimmed(parts[2])));
    }
    return space::projection(std::move(map), std::move(size));
  }

  Signature signature_;
  std::string line_;
};

} // namespace

Signature parse_signature(const std::string& op, const std::string& text) {
  return Reader().read(op, text);
}

} // namespace kolam::space
