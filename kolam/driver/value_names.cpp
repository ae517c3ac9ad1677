// Follows definitions and uses of values through a text.
#include "kolam/driver/value_names.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace kolam::driver {

void ValueNames::begin_function() {
  first_known_ = scopes_.size();
  parameters_.clear();
  waits_for_ = Parameters::of_function;
}

void ValueNames::open(char bracket) {
  ++depth_;
  if (bracket == '{')
    scopes_.emplace_back();
  if (bracket == '(' && inside_ == Parameters::none) {
    inside_ = waits_for_;
    parameter_depth_ = depth_;
  }
  waits_for_ = Parameters::none;
}

void ValueNames::close(char bracket) {
  depth_ = std::max(0, depth_ - 1);
  if (depth_ < parameter_depth_)
    inside_ = Parameters::none;
  if (bracket == '}' && scopes_.size() > 1)
    scopes_.pop_back();
  first_known_ = std::min(first_known_, scopes_.size());
}

bool ValueNames::see(llvm::StringRef name, size_t at) {
  bool is_parameter = inside_ != Parameters::none && depth_ == parameter_depth_;
  if (is_parameter && inside_ == Parameters::of_function)
    parameters_.insert(name);
  else if (is_parameter || defines(at))
    scopes_.back().insert(name);
  else
    return knows(name);
  return true;
}

/// Whether the names from `at` on, with commas between them, stand before a =.
bool ValueNames::defines(size_t at) {
  if (at < decided_until_)
    return is_definition_;
  auto skip = [&](auto belongs) {
    while (at < text_.size() && belongs(text_[at]))
      ++at;
  };
  auto starts = [&](char c) { return at < text_.size() && text_[at] == c; };
  do {
    decided_until_ = ++at; // behind the % or the comma
    skip([](char c) { return llvm::isSpace(c); });
    if (starts('%'))
      decided_until_ = ++at;
    skip([](char c) { return llvm::isAlnum(c) || llvm::StringRef("_$.-:").contains(c); });
    skip([](char c) { return llvm::isSpace(c); });
  } while (starts(','));
  is_definition_ = starts('=');
  return is_definition_;
}

bool ValueNames::knows(llvm::StringRef name) const {
  if (parameters_.contains(name))
    return true;
  for (size_t scope = std::min(first_known_, scopes_.size()); scope < scopes_.size(); ++scope)
    if (scopes_[scope].contains(name))
      return true;
  return false;
}

} // namespace kolam::driver
