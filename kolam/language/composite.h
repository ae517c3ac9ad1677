/// Functions that derivatives know by name, although other ops make them.
#pragma once

#include "kolam/language/builder.h"

#include <functional>

namespace kolam::language {

/// While it lives, what `composite` makes on this thread is one op each, kolam.composite.
class KeepComposites {
public:
  explicit KeepComposites(bool keeps = true);
  ~KeepComposites();
  KeepComposites(const KeepComposites&) = delete;
  KeepComposites& operator=(const KeepComposites&) = delete;

  static bool keeps();

private:
  bool outer_;
};

/// What `make` makes of the operands: as ops, or, where composites are kept, as one op that holds
/// them, and `attributes`: what a rule must know beside the operands.
Value composite(Builder& b, std::string_view name, const Values& operands,
                llvm::ArrayRef<mlir::NamedAttribute> attributes,
                const std::function<Value(const Values&)>& make);

/// The attribute `dims`: dims of the first operand.
mlir::NamedAttribute dims_attribute(Builder& b, const Axes& dims);

} // namespace kolam::language
