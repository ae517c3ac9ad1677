/// Extents that depend on places: the length of an element of a list, an index that data decides.
#pragma once

#include "kolam/support/extent.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kolam::analysis {

using Replacements = std::map<std::string, Extent>;

/// Functions that nothing is known of, and their values at arguments, as symbols of extents: equal
/// arguments give equal symbols. A function may be defined later.
class Terms {
public:
  /// `text` says what it is, for people.
  int function(std::string text);
  /// function(arguments), a symbol or what the definition gives.
  Extent value(int function, const Shape& arguments);
  /// function(parameters) = value. False, and nothing changes, where it has a definition or `value`
  /// is made of it.
  bool define(int function, const std::vector<std::string>& parameters, const Extent& value);
  /// The function whose value at different symbols an expression is; nullopt for others.
  struct Head {
    int function;
    std::vector<std::string> parameters;
  };
  std::optional<Head> head(const Extent& expression) const;

  /// The expression with symbols replaced, inside arguments too.
  Extent substitute(const Extent& expression, const Replacements& replacements);
  /// The expression with all definitions put in.
  Extent normalized(const Extent& expression);

  /// A symbol that stands for a value.
  struct Value {
    int function;
    Shape arguments;
  };
  const Value* find(const std::string& symbol) const;
  const std::string& text(int function) const { return functions_[function].text; }

private:
  struct Function {
    std::string text;
    std::optional<std::vector<std::string>> parameters; ///< of a definition
    Extent value;
  };
  bool is_made_of(const Extent& expression, int function) const;

  std::vector<Function> functions_;
  std::map<std::string, Value> values_;                ///< by symbol
  std::map<std::pair<int, Shape>, std::string> known_; ///< their symbols
};

} // namespace kolam::analysis
