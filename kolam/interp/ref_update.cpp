// kolam.ref_update: old[i] = ref[i]; ref[i] = kind(old[i], value[i]), in row-major order.
#include "kolam/interp/kernel_checker.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/interp/scalar_function.h"
#include "kolam/ir/kernels.h"

namespace kolam::interp {
void evaluate_op(ir::RefUpdateOp op, Evaluation& e) {
  const Ref& ref = e.get_ref(op.getRef());
  const Array value = e.get(op.getValue()), mask = op.getMask() ? e.get(op.getMask()) : Array(),
              compare = op.getCompare() ? e.get(op.getCompare()) : Array();
  note_access(op, ref, mask, Access::update, e);
  const int64_t width = byte_width(ref.dtype);
  auto element_of = [&](const Array& array, int64_t i) {
    return Array::copy_of(ref.dtype, {}, static_cast<const std::byte*>(array.data()) + i * width);
  };
  Array old = e.make(op.getOld());
  for (int64_t i = 0; i < value.size(); ++i) {
    bool holds = !mask || mask.values<bool>()[static_cast<size_t>(i)];
    int64_t place = holds ? ref.places[static_cast<size_t>(i)] : Ref::kOutside;
    auto* before_bits = static_cast<std::byte*>(old.mutable_data()) + i * width;
    ref.load(place, before_bits);
    Array before = Array::copy_of(ref.dtype, {}, before_bits);
    if (place < 0)
      continue;
    Array next = element_of(value, i);
    if (compare && !apply(Fn::equal, before, element_of(compare, i)).item<bool>())
      continue;
    if (op.getKind() != "exchange" && !compare)
      next = apply(ir::update_function(op.getKind(), ref.dtype), before, next);
    ref.store(place, static_cast<const std::byte*>(next.data()));
  }
  e.set(op.getOld(), old);
}

} // namespace kolam::interp
