// Checks of list ops, and the parts of their signatures.
#include "kolam/ir/list_expectations.h"

namespace kolam::ir {

llvm::LogicalResult expect_type(mlir::Operation* op, mlir::Value value, mlir::Type type,
                                const llvm::Twine& what) {
  if (value.getType() == type)
    return mlir::success();
  return op->emitOpError("expected ")
         << what << " to be " << type << ", but got " << value.getType();
}

llvm::LogicalResult expect_index(mlir::Operation* op, mlir::Value value, const llvm::Twine& what) {
  return expect_dtype(op, value, DType::i64, what);
}

space::Operand elements(std::string name, mlir::Value list, space::Role role) {
  Shape shape = signature_shape(list);
  return {std::move(name), role, shape, space::axial(1, {0}, shape)};
}

space::Operand shared(std::string name, mlir::Value value, space::Role role) {
  return {std::move(name), role, signature_shape(value), whole(1, value)};
}

space::Signature over_elements(mlir::Operation* op, space::IndexDim dim, mlir::OperandRange lists,
                               size_t states) {
  space::Signature signature{name_of(op), {std::move(dim)}, {}};
  size_t first = lists.empty() ? 0 : lists.getBeginOperandIndex(), end = first + lists.size();
  for (auto [number, value] : llvm::enumerate(op->getOperands())) {
    std::string name = "operand" + std::to_string(number);
    bool is_list = number >= first && number < end;
    signature.operands.push_back(is_list ? elements(std::move(name), value, space::Role::in)
                                         : shared(std::move(name), value, space::Role::in));
  }
  for (auto [number, value] : llvm::enumerate(op->getResults())) {
    std::string name = "result" + std::to_string(number);
    signature.operands.push_back(number < states
                                     ? shared(std::move(name), value, space::Role::inout)
                                     : elements(std::move(name), value, space::Role::out));
  }
  return signature;
}

} // namespace kolam::ir
