// Elements of kolam.bitcast.
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/scalar/convert.h"

namespace kolam::lower {

Values emit_cells(ir::BitcastOp op, IndexSpan index, Emission& e) {
  ScalarBuilder b(e.b);
  Value x = e.cell(op.getOperand(), index);
  Value bits = visit_dtype(ir::dtype_of(op.getOperand()), [&](auto tag) -> Value {
    constexpr DType dtype = dtype_of<typename decltype(tag)::type>();
    if constexpr (is_float(dtype))
      return scalar::canonical_bits<dtype>(b, x);
    else
      return x;
  });
  return {visit_dtype(ir::dtype_of(op.getResult()), [&](auto tag) -> Value {
    constexpr DType dtype = dtype_of<typename decltype(tag)::type>();
    if constexpr (is_float(dtype))
      return b.from_bits<dtype>(bits);
    else
      return bits;
  })};
}

} // namespace kolam::lower
