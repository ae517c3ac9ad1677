// kolam.ref_gather: result[b, rest] = ref[..., indices[b, k] in dim dims[k], ...].
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/ir/kernels.h"

namespace kolam::interp {

void evaluate_op(ir::RefGatherOp op, Evaluation& e) {
  const Ref& ref = e.get_ref(op.getRef());
  const Array indices = e.get(op.getIndices());
  const size_t batch_rank = indices.shape().size() - 1;
  mlir::Type type = ir::value_type(op.getResult());
  e.set_datum(op.getResult(), ref.at(e.sizes(type), [&](const Index& index) {
    Index own, place(index.begin(), index.begin() + static_cast<int64_t>(batch_rank));
    place.push_back(0);
    size_t rest = batch_rank;
    for (size_t dim = 0; dim < ref.shape.size(); ++dim) {
      const auto* named = llvm::find(op.getDims(), static_cast<int64_t>(dim));
      if (named == op.getDims().end()) {
        own.push_back(index[rest++]);
        continue;
      }
      place.back() = named - op.getDims().begin();
      own.push_back(integer_of(Array::copy_of(indices.dtype(), {}, cell(indices, place))));
    }
    return own;
  }));
}

} // namespace kolam::interp
