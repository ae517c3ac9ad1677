// Reads the letters of contractions.
#include "kolam/ir/contract_spec.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cctype>

namespace kolam::ir {
namespace {

bool is_letters_once(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i)
    if (!std::isalpha(static_cast<unsigned char>(text[i])) ||
        text.find(text[i], i + 1) != std::string_view::npos)
      return false;
  return true;
}

} // namespace

ContractLetters contract_letters(std::string_view spec) {
  auto [operands, result] = llvm::StringRef(spec).split("->");
  auto [lhs, others] = operands.split(',');
  auto [rhs, where] = others.split(',');
  return {lhs.str(), rhs.str(), where.str(), result.str()};
}

std::string letters_before(std::string_view letters, std::span<const int64_t> permutation) {
  std::string before(letters);
  for (size_t place = 0; place < letters.size(); ++place)
    before[static_cast<size_t>(permutation[place])] = letters[place];
  return before;
}

std::optional<ContractSpec> parse_contract_spec(std::string_view spec) {
  size_t arrow = spec.find("->");
  if (arrow == std::string_view::npos)
    return std::nullopt;
  std::vector<std::string_view> operands{spec.substr(0, arrow)};
  for (size_t comma; (comma = operands.back().find(',')) != std::string_view::npos;) {
    std::string_view rest = operands.back().substr(comma + 1);
    operands.back() = operands.back().substr(0, comma);
    operands.push_back(rest);
  }
  std::string_view result = spec.substr(arrow + 2);
  if (operands.size() < 2 || operands.size() > 3 || !is_letters_once(result) ||
      !std::all_of(operands.begin(), operands.end(), is_letters_once))
    return std::nullopt;
  std::string_view lhs = operands[0], rhs = operands[1];
  std::string_view where = operands.size() == 3 ? operands[2] : std::string_view();

  std::string order(result);
  for (char letter : std::string(result) + std::string(where))
    if (lhs.find(letter) == std::string_view::npos && rhs.find(letter) == std::string_view::npos)
      return std::nullopt;
  for (std::string_view operand : {lhs, rhs})
    for (char letter : operand)
      if (order.find(letter) == std::string::npos)
        order.push_back(letter);

  auto numbers = [&](std::string_view letters) {
    std::vector<int> result;
    for (char letter : letters)
      result.push_back(static_cast<int>(order.find(letter)));
    return result;
  };
  return ContractSpec{numbers(lhs),
                      numbers(rhs),
                      numbers(result),
                      numbers(where),
                      operands.size() > 2,
                      static_cast<int>(order.size()),
                      static_cast<int>(result.size())};
}

Shape ContractSpec::extents(const Shape& lhs_shape, const Shape& rhs_shape) const {
  Shape extents(index_count);
  for (size_t dim = 0; dim < rhs.size(); ++dim)
    extents[rhs[dim]] = rhs_shape[dim];
  for (size_t dim = 0; dim < lhs.size(); ++dim)
    extents[lhs[dim]] = lhs_shape[dim];
  return extents;
}

} // namespace kolam::ir
