// kolam.constant: a literal.
#include "kolam/ir/ops.h"

namespace kolam::ir {

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

} // namespace kolam::ir
