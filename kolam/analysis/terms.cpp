// Keeps symbols for the values of unknown functions.
#include "kolam/analysis/terms.h"

#include <algorithm>
#include <set>

namespace kolam::analysis {

int Terms::function(std::string text) {
  functions_.push_back({std::move(text), std::nullopt, {}});
  return static_cast<int>(functions_.size()) - 1;
}

Extent Terms::value(int function, const Shape& arguments) {
  const Function& known = functions_[function];
  if (known.parameters) {
    Replacements replacements;
    for (size_t i = 0; i < arguments.size(); ++i)
      replacements.emplace((*known.parameters)[i], arguments[i]);
    return substitute(Extent(known.value), replacements);
  }
  auto [found, is_new] =
      known_.try_emplace({function, arguments}, "n$" + std::to_string(values_.size()));
  if (is_new)
    values_.emplace(found->second, Value{function, arguments});
  return Extent::symbol(found->second);
}

bool Terms::define(int function, const std::vector<std::string>& parameters, const Extent& value) {
  if (functions_[function].parameters || is_made_of(value, function))
    return false;
  functions_[function].parameters = parameters;
  functions_[function].value = value;
  return true;
}

std::optional<Terms::Head> Terms::head(const Extent& expression) const {
  const Value* value = expression.as_symbol() ? find(*expression.as_symbol()) : nullptr;
  if (!value)
    return std::nullopt;
  Head head{value->function, {}};
  for (const Extent& argument : value->arguments) {
    std::optional<std::string> symbol = argument.as_symbol();
    if (!symbol || find(*symbol) ||
        std::find(head.parameters.begin(), head.parameters.end(), *symbol) != head.parameters.end())
      return std::nullopt;
    head.parameters.push_back(*symbol);
  }
  return head;
}

Extent Terms::substitute(const Extent& expression, const Replacements& replacements) {
  Replacements all;
  for (const std::string& symbol : expression.symbols()) {
    if (auto given = replacements.find(symbol); given != replacements.end()) {
      all.emplace(symbol, given->second);
    } else if (const Value* known = find(symbol)) {
      Value copy = *known; // what follows may add values
      for (Extent& argument : copy.arguments)
        argument = substitute(argument, replacements);
      all.emplace(symbol, value(copy.function, copy.arguments));
    }
  }
  return all.empty() ? expression : expression.substitute(all);
}

Extent Terms::normalized(const Extent& expression) { return substitute(expression, {}); }

const Terms::Value* Terms::find(const std::string& symbol) const {
  auto found = values_.find(symbol);
  return found == values_.end() ? nullptr : &found->second;
}

bool Terms::is_made_of(const Extent& expression, int function) const {
  for (const std::string& symbol : expression.symbols()) {
    const Value* value = find(symbol);
    if (!value)
      continue;
    if (value->function == function)
      return true;
    const Function& known = functions_[value->function];
    if (known.parameters && is_made_of(known.value, function))
      return true;
    for (const Extent& argument : value->arguments)
      if (is_made_of(argument, function))
        return true;
  }
  return false;
}

} // namespace kolam::analysis
