// kolam.bitcast: the operand's bits as another dtype, every NaN of a float made the positive quiet
// one first.
#include "kolam/interp/ops.h"
#include "kolam/support/error.h"
#include "kolam/support/scalar/convert.h"
#include "kolam/support/scalar/host_builder.h"

namespace kolam::interp {

void evaluate_op(ir::BitcastOp op, Evaluation& e) {
  const Array& operand = e.get(op.getOperand());
  DType dtype = ir::dtype_of(op.getResult());
  KOLAM_CHECK(byte_width(dtype) == byte_width(operand.dtype()));
  Array result = Array::copy_of(dtype, operand.shape(), operand.data());
  visit_dtype(operand.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (is_float(dtype_of<T>())) {
      scalar::HostBuilder b;
      auto* out = static_cast<scalar::HostBits<8 * sizeof(T)>*>(result.mutable_data());
      for (T x : operand.values<T>())
        *out++ = scalar::canonical_bits<dtype_of<T>()>(b, x);
    }
  });
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
