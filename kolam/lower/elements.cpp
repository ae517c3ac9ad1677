// Finds the emitter of an op.
#include "kolam/lower/ops.h"
#include "kolam/support/error.h"

#include "llvm/ADT/TypeSwitch.h"

namespace kolam::lower {
namespace {

[[noreturn]] void fail_without_cells(mlir::Operation* op) {
  fail(ErrorKind::internal, "internal",
       "no elements are emitted for " + op->getName().getStringRef().str());
}

} // namespace

Values dispatch_cells(mlir::Operation* op, IndexSpan index, Emission& emission) {
  return llvm::TypeSwitch<mlir::Operation*, Values>(op)
      .Case<
#define GET_OP_LIST
#include "kolam/ir/ops.cpp.inc"
          >([&](auto typed) -> Values {
        if constexpr (requires { emit_cells(typed, index, emission); })
          return emit_cells(typed, index, emission);
        else
          fail_without_cells(op);
      })
      .Default([](mlir::Operation* other) -> Values { fail_without_cells(other); });
}

bool dispatch_whole(mlir::Operation* op, Emission& emission) {
  return llvm::TypeSwitch<mlir::Operation*, bool>(op)
      .Case<
#define GET_OP_LIST
#include "kolam/ir/ops.cpp.inc"
          >([&](auto typed) {
        if constexpr (requires { emit_whole(typed, emission); }) {
          emit_whole(typed, emission);
          return true;
        }
        return false;
      })
      .Default(false);
}

} // namespace kolam::lower
