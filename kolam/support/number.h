/// Numbers that functions are told when a program is made: integers, which may be symbolic, and
/// floats.
#pragma once

#include "kolam/support/extent.h"

#include <charconv>
#include <concepts>
#include <string>
#include <variant>

namespace kolam {

/// In the fewest digits that read back as the same number: `0.5`, `1e-300`.
inline std::string to_text(double number) {
  char digits[32];
  return std::string(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// An integer, possibly an expression over symbols, or a finite or infinite float.
class Number {
public:
  Number(std::integral auto value) : value_(Extent(static_cast<int64_t>(value))) {}
  Number(std::floating_point auto value) : value_(static_cast<double>(value)) {}
  Number(Extent value) : value_(std::move(value)) {}

  bool is_integer() const { return std::holds_alternative<Extent>(value_); }
  bool is_symbolic() const { return is_integer() && !integer().is_constant(); }
  const Extent& integer() const { return std::get<Extent>(value_); }
  /// The float, or the integer rounded to one; not for symbolic numbers.
  double real() const {
    return is_integer() ? static_cast<double>(*integer().constant()) : std::get<double>(value_);
  }
  std::string to_string() const { return is_integer() ? integer().to_string() : to_text(real()); }

private:
  std::variant<Extent, double> value_;
};

} // namespace kolam
