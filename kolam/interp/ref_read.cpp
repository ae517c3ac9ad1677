// kolam.ref_read: the elements of a ref; where the mask is false those of `other`, or the pad
// value.
#include "kolam/interp/kernel_checker.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::RefReadOp op, Evaluation& e) {
  const Ref& ref = e.get_ref(op.getRef());
  const Array mask = op.getMask() ? e.get(op.getMask()) : Array(),
              other = op.getOther() ? e.get(op.getOther()) : Array();
  note_access(op, ref, mask, Access::read, e);
  Array result = e.make(op.getResult());
  const int64_t width = byte_width(ref.dtype);
  auto* out = static_cast<std::byte*>(result.mutable_data());
  for (int64_t i = 0; i < result.size(); ++i, out += width) {
    const bool holds = !mask || mask.values<bool>()[static_cast<size_t>(i)];
    if (holds || !other)
      ref.load(holds ? ref.places[static_cast<size_t>(i)] : Ref::kOutside, out);
    else
      std::memcpy(out, static_cast<const std::byte*>(other.data()) + i * width,
                  static_cast<size_t>(width));
  }
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
