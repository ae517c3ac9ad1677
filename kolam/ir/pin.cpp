// kolam.pin: which dim of a value is the data dimension, and what its dims are called.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

#include "llvm/ADT/StringSet.h"

namespace kolam::ir {

llvm::LogicalResult PinOp::verify() {
  const int64_t rank = rank_of(getOperand());
  if (failed(expect_type_of(*this, getResult(), getOperand(), "the result")) ||
      failed(expect_at_least(*this, rank, 1, "dims")) ||
      failed(expect_between(*this, {static_cast<int64_t>(getDim())}, 0, rank - 1, "dim")))
    return mlir::failure();
  if (!getNames())
    return mlir::success();
  if (failed(expect_count(*this, static_cast<int64_t>(getNames()->size()), rank, "names")))
    return mlir::failure();
  llvm::StringSet<> known;
  for (auto name : getNames()->getAsRange<mlir::StringAttr>()) {
    if (name.empty())
      continue;
    if (!space::is_dim_name(name.strref()))
      return emitOpError("expected names of letters, digits and '_', but got '")
             << name.strref() << "'";
    if (!known.insert(name.strref()).second)
      return emitOpError("expected every name once, but got '") << name.strref() << "' twice";
  }
  return mlir::success();
}

space::Signature PinOp::signature() { return cell_by_cell(*this); }

std::vector<space::DataDimTable> PinOp::data_dim_rows(const space::DataDimQuestion&) {
  const int dim = static_cast<int>(getDim());
  return {table_of({operand_place(0), result_place(0)}, {{{dim, dim}}})};
}

} // namespace kolam::ir
