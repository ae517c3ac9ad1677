// kolam.unpack: the leaves and offsets of a list; binds the number of elements of each level.
#include "kolam/interp/list_values.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::UnpackOp op, Evaluation& e) {
  List list = e.get_list(op.getList());
  for (auto [level, symbol] : llvm::enumerate(op.getSymbols())) {
    Array offsets = list.offsets(static_cast<int64_t>(level));
    e.bind(llvm::cast<mlir::StringAttr>(symbol).getValue().str(), offsets.values<int64_t>().back());
  }
  e.set(op.getLeaves(), list.leaves());
  for (auto [level, offsets] : llvm::enumerate(op.getOffsets()))
    e.set(offsets, list.offsets(static_cast<int64_t>(level) + 1));
}

} // namespace kolam::interp
