// Finds the emitter of an op.
#include "kolam/lower/ops.h"

#include "kolam/ir/visit.h"
#include "kolam/support/error.h"

namespace kolam::lower {
namespace {

[[noreturn]] void fail_without_cells(mlir::Operation* op) {
  fail(ErrorKind::internal, "internal",
       "no elements are emitted for " + op->getName().getStringRef().str());
}

} // namespace

Values dispatch_cells(mlir::Operation* op, IndexSpan index, Emission& emission) {
  return ir::visit<Values>(
      op,
      [&](auto typed) -> Values {
        if constexpr (requires { emit_cells(typed, index, emission); })
          return emit_cells(typed, index, emission);
        else
          fail_without_cells(op);
      },
      [](mlir::Operation* other) -> Values { fail_without_cells(other); });
}

} // namespace kolam::lower
