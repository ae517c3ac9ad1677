// kolam.ref_write: ref[i] = value[i] where the mask holds, in row-major order.
#include "kolam/interp/kernel_checker.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::RefWriteOp op, Evaluation& e) {
  const Ref& ref = e.get_ref(op.getRef());
  const Array value = e.get(op.getValue()), mask = op.getMask() ? e.get(op.getMask()) : Array();
  note_access(op, ref, mask, Access::write, e);
  const int64_t width = byte_width(ref.dtype);
  for (int64_t i = 0; i < value.size(); ++i) {
    int64_t place = ref.places[static_cast<size_t>(i)];
    if (place >= 0 && (!mask || mask.values<bool>()[static_cast<size_t>(i)]))
      ref.store(place, static_cast<const std::byte*>(value.data()) + i * width);
  }
}

} // namespace kolam::interp
