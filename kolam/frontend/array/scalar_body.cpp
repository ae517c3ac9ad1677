// Looks at the ops of bodies.
#include "kolam/frontend/array/scalar_body.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"
#include "kolam/language/builder.h"

namespace kolam {

static std::string op_name(mlir::Operation& op) {
  if (auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op))
    return elementwise.getFunction().str();
  return op.getName().stripDialect().str();
}

/// Of a loop or branch, why it is no function of scalars.
static std::string why_not(mlir::Operation& op) {
  ir::Bodies bodies = ir::facts_of(&op).bodies;
  bool has_programs = bodies == ir::Bodies::in_turn || bodies == ir::Bodies::once;
  return has_programs ? ": " + ir::pointwise(&op).why_not : "";
}

void require_scalar_body(mlir::Block& body) {
  for (mlir::Operation& op : body.without_terminator()) {
    if (!analysis::computes_cells(&op))
      fail(ErrorKind::value, "pattern-body",
           "expected functions of scalars in the body, but got '" + op_name(op) + "'" +
               why_not(op));
    for (mlir::Value result : op.getResults())
      for (const Extent& extent : ir::shape_of(result))
        if (extent != Extent(1))
          fail(ErrorKind::value, "pattern-body",
               "expected scalars in the body, but '" + op_name(op) + "' gives " +
                   language::describe(result));
  }
  mlir::ValueRange results = body.getTerminator()->getOperands();
  if (results.empty())
    fail(ErrorKind::value, "pattern-body", "expected the body to give scalars, but got nothing");
  for (mlir::Value result : results)
    if (ir::rank_of(result) > 0)
      fail(ErrorKind::value, "pattern-body",
           "expected the body to give scalars, but got " + language::describe(result));
}

} // namespace kolam
