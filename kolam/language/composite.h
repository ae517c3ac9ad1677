/// Functions that derivatives know by name, although other ops make them.
#pragma once

#include "kolam/language/builder.h"

#include <functional>

namespace kolam::language {

/// While it lives, this many derivatives are taken, one of the other, of what this thread makes:
/// where there are any, what `composite` makes is one op each, kolam.composite.
class KeepComposites {
public:
  explicit KeepComposites(int derivatives);
  ~KeepComposites();
  KeepComposites(const KeepComposites&) = delete;
  KeepComposites& operator=(const KeepComposites&) = delete;

  static int derivatives();
  static bool keeps() { return derivatives() > 0; }

private:
  int outer_;
};

/// What `make` makes of the operands: as ops, or, where composites are kept, as one op that holds
/// them, and `attributes`: what a rule must know beside the operands.
Value composite(Builder& b, std::string_view name, const Values& operands,
                llvm::ArrayRef<mlir::NamedAttribute> attributes,
                const std::function<Value(const Values&)>& make);

/// The attribute `dims`: dims of the first operand.
mlir::NamedAttribute dims_attribute(Builder& b, const Axes& dims);

} // namespace kolam::language
