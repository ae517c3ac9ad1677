// Calls kolam.materialize.
#include "kolam/frontend/array/materialize.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/ir/ops.h"

namespace kolam {

Tensor materialize(const Operand& x) {
  return apply_one("materialize", {x}, [](language::Builder& b, const language::Values& v) {
    return ir::MaterializeOp::create(b, v[0].getType(), v[0]).getResult();
  });
}

} // namespace kolam
