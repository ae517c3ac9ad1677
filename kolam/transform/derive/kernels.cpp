// Kernels over blocks: through the ops on arrays that they become.
#include "kolam/transform/kernels.h"
#include "kolam/transform/derive/rules.h"

namespace kolam::transform::derive {

void linearise_whole(ir::KernelCallOp op, Linearisation& at) {
  linearise_as(op, at, true, [&](Builder& b, const Values& operands) {
    return kernel_on_arrays(b, op, operands, KernelUse::differentiated);
  });
}

} // namespace kolam::transform::derive
