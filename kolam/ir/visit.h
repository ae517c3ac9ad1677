/// An op of the dialect as what it is.
#pragma once

#include "kolam/ir/ops.h"

#include "llvm/ADT/TypeSwitch.h"

namespace kolam::ir {

/// `rule(typed)`, where `typed` is the op as ForOp, SliceOp, ...; `other(op)` for an op of another
/// dialect. A rule that only some ops have asks `if constexpr (requires { ... })` for its overload.
template <class R, class Rule, class Other>
R visit(mlir::Operation* op, const Rule& rule, const Other& other) {
  return llvm::TypeSwitch<mlir::Operation*, R>(op)
      .template Case<
#define GET_OP_LIST
#include "kolam/ir/ops.cpp.inc"
          >([&](auto typed) -> R { return rule(typed); })
      .Default([&](mlir::Operation* stranger) -> R { return other(stranger); });
}

} // namespace kolam::ir
