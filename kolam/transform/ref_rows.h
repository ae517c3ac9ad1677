/// Rows for ops that only kernels hold: no transformation of values has a rule for them.
#pragma once

#include "kolam/ir/ops.h"

namespace kolam::transform {

void has_none(ir::RefAllocOp);
void has_none(ir::RefBitcastOp);
void has_none(ir::RefGatherOp);
void has_none(ir::RefReadOp);
void has_none(ir::RefReshapeOp);
void has_none(ir::RefSelectOp);
void has_none(ir::RefSliceOp);
void has_none(ir::RefTransposeOp);
void has_none(ir::RefUpdateOp);
void has_none(ir::RefWriteOp);

} // namespace kolam::transform
