// Finds the emitter of an op that writes its outputs itself.
#include "kolam/lower/cpu/whole.h"

#include "kolam/ir/visit.h"

namespace kolam::lower::cpu {

bool dispatch_whole(mlir::Operation* op, Emission& emission) {
  return ir::visit<bool>(
      op,
      [&](auto typed) {
        if constexpr (requires { emit_whole(typed, emission); }) {
          emit_whole(typed, emission);
          return true;
        }
        return false;
      },
      [](mlir::Operation*) { return false; });
}

} // namespace kolam::lower::cpu
