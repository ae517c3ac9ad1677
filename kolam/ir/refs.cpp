// Where Refs come from, and what verifiers expect of them.
#include "kolam/ir/kernels.h"

#include "kolam/ir/expectations.h"
#include "kolam/ir/types.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

namespace kolam::ir {

llvm::LogicalResult RefType::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emit_error,
                                    mlir::RankedTensorType value) {
  if (is_program_type(value))
    return mlir::success();
  return emit_error() << "expected a tensor of a kolam dtype as the elements of a ref, but got "
                      << value;
}

namespace {

/// The operand that stands for an argument of a body that captures it; null for other arguments.
mlir::Value captured(mlir::BlockArgument argument) {
  mlir::Operation* op = argument.getOwner()->getParentOp();
  if (!op) // a body that no op has yet
    return {};
  mlir::ValueRange captures =
      llvm::TypeSwitch<mlir::Operation*, mlir::ValueRange>(op)
          .Case<ForOp, WhileOp, CondOp, ScanOp>([](auto loop) { return loop.getCaptures(); })
          .Default([](mlir::Operation*) { return mlir::ValueRange(); });
  auto first = argument.getOwner()->getNumArguments() - captures.size();
  return argument.getArgNumber() < first ? mlir::Value()
                                         : captures[argument.getArgNumber() - first];
}

} // namespace

llvm::SmallVector<mlir::Value, 1> roots_of(mlir::Value ref) {
  llvm::SetVector<mlir::Value> seen;
  llvm::SmallVector<mlir::Value, 1> roots;
  seen.insert(ref);
  for (size_t next = 0; next < seen.size(); ++next) {
    mlir::Value at = seen[next];
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(at)) {
      if (mlir::Value outside = captured(argument))
        seen.insert(outside);
      else
        roots.push_back(at);
      continue;
    }
    mlir::Operation* op = at.getDefiningOp();
    if (llvm::isa<RefAllocOp>(op))
      roots.push_back(at);
    for (mlir::Value operand : op->getOperands())
      if (is_ref(operand))
        seen.insert(operand);
  }
  return roots;
}

mlir::Value written_ref(mlir::Operation* op) {
  return llvm::TypeSwitch<mlir::Operation*, mlir::Value>(op)
      .Case<RefWriteOp, RefUpdateOp>([](auto write) { return write.getRef(); })
      .Default([](mlir::Operation*) { return mlir::Value(); });
}

Fn update_function(llvm::StringRef kind, DType dtype) {
  const bool is_boolean = dtype == DType::boolean;
  return llvm::StringSwitch<Fn>(kind)
      .Case("add", Fn::add)
      .Case("max", Fn::maximum)
      .Case("min", Fn::minimum)
      .Case("and", is_boolean ? Fn::logical_and : Fn::bitwise_and)
      .Case("or", is_boolean ? Fn::logical_or : Fn::bitwise_or)
      .Default(is_boolean ? Fn::logical_xor : Fn::bitwise_xor);
}

std::vector<BlockSpec> block_specs(KernelCallOp call) {
  std::vector<BlockSpec> specs;
  for (mlir::Attribute block : call.getBlocks())
    specs.push_back(*BlockSpec::from_attr(block));
  return specs;
}

mlir::Value blocked_array(KernelCallOp call, size_t block) {
  const size_t inputs = call.getInputs().size() - call.getPrefetch();
  return block < inputs ? call.getInputs()[call.getPrefetch() + block]
                        : mlir::Value(call.getResults()[block - inputs]);
}

bool is_in_condition(mlir::Operation* op) {
  // A body that no op has yet ends the walk.
  for (mlir::Region* region = op->getParentRegion(); region && region->getParentOp();
       region = region->getParentRegion())
    if (auto loop = llvm::dyn_cast<WhileOp>(region->getParentOp());
        loop && region == &loop.getCondition())
      return true;
  return false;
}

llvm::LogicalResult expect_ref_shape(mlir::Operation* op, mlir::Value ref, const Shape& shape,
                                     const llvm::Twine& what) {
  Shape actual = shape_of(value_type(ref));
  if (actual == shape)
    return mlir::success();
  return op->emitOpError() << "expected " << what << " to be a ref of shape " << to_string(shape)
                           << ", but got " << to_string(actual);
}

llvm::LogicalResult expect_view(mlir::Operation* op, mlir::Value view, mlir::Value ref,
                                const Shape& shape) {
  if (dtype_of(value_type(view)) != dtype_of(value_type(ref)))
    return op->emitOpError() << "expected a view of dtype "
                             << llvm::StringRef(kolam::name(dtype_of(value_type(ref))))
                             << ", but got "
                             << llvm::StringRef(kolam::name(dtype_of(value_type(view))));
  return expect_ref_shape(op, view, shape, "the result");
}

llvm::LogicalResult expect_integers(mlir::Operation* op, mlir::ValueRange scalars,
                                    llvm::StringRef what) {
  for (mlir::Value scalar : scalars)
    if (failed(expect_dtype(op, scalar, is_integer, "an integer dtype", what)))
      return mlir::failure();
  return mlir::success();
}

llvm::LogicalResult expect_mask(mlir::Operation* op, mlir::Value mask, mlir::Value ref) {
  if (!mask)
    return mlir::success();
  if (failed(expect_dtype(op, mask, DType::boolean, "the mask")))
    return mlir::failure();
  return expect_shape(op, mask, shape_of(value_type(ref)), "the mask");
}

} // namespace kolam::ir
