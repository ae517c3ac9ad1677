// Verifies the ops with program bodies: what their blocks take and yield.
#include "kolam/ir/ops.h"

#include "llvm/ADT/STLExtras.h"

namespace kolam::ir {
namespace {

using Types = llvm::SmallVector<mlir::Type>;

Types types_of(std::initializer_list<mlir::TypeRange> ranges) {
  Types types;
  for (mlir::TypeRange range : ranges)
    types.append(range.begin(), range.end());
  return types;
}

mlir::LogicalResult same_types(mlir::Operation* op, const char* what, mlir::TypeRange expected,
                               mlir::TypeRange actual) {
  if (expected.size() != actual.size())
    return op->emitOpError() << "expected " << expected.size() << " " << what << ", but got "
                             << actual.size();
  for (auto [number, types] : llvm::enumerate(llvm::zip(expected, actual)))
    if (std::get<0>(types) != std::get<1>(types))
      return op->emitOpError() << what << " " << number << ": expected " << std::get<0>(types)
                               << ", but got " << std::get<1>(types);
  return mlir::success();
}

/// A body is one block that takes `arguments` and ends by yielding `yields`.
mlir::LogicalResult verify_body(mlir::Operation* op, mlir::Region& region, const Types& arguments,
                                const Types& yields) {
  if (!region.hasOneBlock() || region.front().empty())
    return op->emitOpError() << "expected a body of one block";
  auto yield = llvm::dyn_cast<YieldOp>(region.front().back());
  if (!yield)
    return op->emitOpError() << "expected a body that ends with kolam.yield";
  if (mlir::failed(
          same_types(op, "body argument", arguments, region.front().getArgumentTypes())))
    return mlir::failure();
  return same_types(op, "yielded value", yields, yield.getValues().getTypes());
}

mlir::RankedTensorType boolean_scalar(mlir::MLIRContext* context) {
  return tensor_type(context, DType::boolean, {});
}

/// The type of one slice along the leading dimension; null for rank 0 or another leading extent.
mlir::Type slice_type(mlir::Type whole, const Extent& length) {
  Shape shape = shape_of(whole);
  if (shape.empty() || !(shape[0] == length))
    return nullptr;
  return tensor_type(whole.getContext(), dtype_of(whole), Shape(shape.begin() + 1, shape.end()));
}

} // namespace

mlir::LogicalResult ForOp::verifyRegions() {
  mlir::Type counter = getLower().getType();
  if (dtype_of(counter) != DType::i32 && dtype_of(counter) != DType::i64)
    return emitOpError() << "expected bounds of type i32 or i64, but got " << counter;
  if (mlir::failed(same_types(*this, "bound", counter, getUpper().getType())) ||
      mlir::failed(same_types(*this, "result", getInits().getTypes(), getResultTypes())))
    return mlir::failure();
  return verify_body(*this, getBody(),
                     types_of({counter, getInits().getTypes(), getCaptures().getTypes()}),
                     types_of({getInits().getTypes()}));
}

mlir::LogicalResult WhileOp::verifyRegions() {
  Types arguments = types_of({getInits().getTypes(), getCaptures().getTypes()});
  if (mlir::failed(same_types(*this, "result", getInits().getTypes(), getResultTypes())) ||
      mlir::failed(
          verify_body(*this, getCondition(), arguments, {boolean_scalar(getContext())})))
    return mlir::failure();
  return verify_body(*this, getBody(), arguments, types_of({getInits().getTypes()}));
}

mlir::LogicalResult CondOp::verifyRegions() {
  if (is_float(dtype_of(getSelector())))
    return emitOpError() << "expected an integer or boolean selector, but got "
                         << getSelector().getType();
  if (getBranches().empty())
    return emitOpError() << "expected at least one branch";
  for (mlir::Region& branch : getBranches())
    if (mlir::failed(verify_body(*this, branch, types_of({getCaptures().getTypes()}),
                                 types_of({getResultTypes()}))))
      return mlir::failure();
  return mlir::success();
}

mlir::LogicalResult ScanOp::verifyRegions() {
  if (getLength().getDims().size() != 1)
    return emitOpError() << "expected one length, but got " << getLength();
  size_t carried = getInits().size();
  if (getNumResults() < carried)
    return emitOpError() << "expected at least " << carried << " results, but got "
                         << getNumResults();
  Extent length = getLength().shape()[0];
  auto slices = [&](mlir::TypeRange wholes, Types& types) {
    for (mlir::Type whole : wholes)
      if (mlir::Type slice = slice_type(whole, length))
        types.push_back(slice);
      else
        return mlir::failure();
    return mlir::success();
  };
  Types arguments = types_of({getInits().getTypes()}), yields = arguments;
  if (mlir::failed(slices(getXs().getTypes(), arguments)) ||
      mlir::failed(slices(mlir::TypeRange(getResultTypes()).drop_front(carried), yields)))
    return emitOpError() << "expected the leading extent " << length.to_string()
                         << " in every x and every stacked result";
  arguments.append(getCaptures().getTypes().begin(), getCaptures().getTypes().end());
  if (mlir::failed(same_types(*this, "result", getInits().getTypes(),
                              mlir::TypeRange(getResultTypes()).take_front(carried))))
    return mlir::failure();
  return verify_body(*this, getBody(), arguments, yields);
}

} // namespace kolam::ir
