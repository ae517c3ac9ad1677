// Finds calls of functions of the host.
#include "kolam/transform/lists/host_calls.h"

namespace kolam::transform::lists {

bool calls_host(mlir::Operation* op) {
  return op->walk([](ir::OpaqueCallOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
}

} // namespace kolam::transform::lists
