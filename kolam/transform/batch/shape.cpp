// Ops that move elements by their coordinates: the instances' dim stands in front and stays.
#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/transform/batch/rules.h"

namespace kolam::transform::batch {

Results batch_rule(ir::BroadcastOp op, Operands operands, Instances& all) {
  ir::BroadcastOp copied = copy(all, op, {operands[0].value});
  copied.setDims(with_leading(0, behind(op.getDims())));
  return each(copied->getResults());
}

Results batch_rule(ir::ExpandDimsOp op, Operands operands, Instances& all) {
  ir::ExpandDimsOp copied = copy(all, op, {operands[0].value});
  copied.setDims(behind(op.getDims()));
  return each(copied->getResults());
}

Results batch_rule(ir::SqueezeOp op, Operands operands, Instances& all) {
  ir::SqueezeOp copied = copy(all, op, {operands[0].value});
  copied.setDims(behind(op.getDims()));
  return each(copied->getResults());
}

Results batch_rule(ir::ReshapeOp op, Operands operands, Instances& all) {
  return each(copy(all, op, {operands[0].value})->getResults());
}

Results batch_rule(ir::MaterializeOp op, Operands operands, Instances& all) {
  return each(copy(all, op, {operands[0].value})->getResults());
}

/// The dim of the instances has no name.
Results batch_rule(ir::PinOp op, Operands operands, Instances& all) {
  ir::PinOp copied = copy(all, op, {operands[0].value});
  copied.setDim(op.getDim() + 1);
  if (op.getNames()) {
    llvm::SmallVector<mlir::Attribute> names(op.getNames()->begin(), op.getNames()->end());
    names.insert(names.begin(), all.b.getStringAttr(""));
    copied.setNamesAttr(all.b.getArrayAttr(names));
  }
  return each(copied->getResults());
}

/// Each result is its operand, of each instance or the same for all.
Results batch_rule(ir::TogetherOp, Operands operands, Instances&) {
  return Results(operands.begin(), operands.end());
}

Results batch_rule(ir::TransposeOp op, Operands operands, Instances& all) {
  ir::TransposeOp copied = copy(all, op, {operands[0].value});
  copied.setPermutation(with_leading(0, behind(op.getPermutation())));
  return each(copied->getResults());
}

Results batch_rule(ir::SliceOp op, Operands operands, Instances& all) {
  ir::SliceOp copied = copy(all, op, {operands[0].value});
  Shape starts = op.getStarts().shape();
  starts.insert(starts.begin(), Extent(0));
  copied.setStartsAttr(ir::ExtentsAttr::of(all.b.getContext(), starts));
  copied.setSteps(with_leading(1, op.getSteps()));
  return each(copied->getResults());
}

Results batch_rule(ir::ReverseOp op, Operands operands, Instances& all) {
  ir::ReverseOp copied = copy(all, op, {operands[0].value});
  copied.setDims(behind(op.getDims()));
  return each(copied->getResults());
}

Results batch_rule(ir::ViewOp op, Operands operands, Instances& all) {
  ir::ViewOp copied = copy(all, op, {operands[0].value});
  Shape starts = op.getStarts().shape();
  starts.insert(starts.begin(), Extent(0));
  std::vector<int64_t> coefficients(ir::rank_of(op.getResult()) + 1);
  coefficients[0] = 1; // the instance
  for (const space::AffineRow& row : op.map().rows) {
    coefficients.push_back(0);
    coefficients.insert(coefficients.end(), row.coefficients.begin(), row.coefficients.end());
  }
  copied.setStartsAttr(ir::ExtentsAttr::of(all.b.getContext(), starts));
  copied.setCoefficients(coefficients);
  return each(copied->getResults());
}

Results batch_rule(ir::ConcatOp op, Operands operands, Instances& all) {
  ir::ConcatOp copied = copy(all, op, as_each(all, operands));
  copied.setDim(op.getDim() + 1);
  return each(copied->getResults());
}

namespace {

/// The pad on an operand of each instance or of all, with one value.
Batched padded(ir::PadOp op, const Batched& operand, Value value, Instances& all) {
  if (!operand.is_each) {
    mlir::Operation* copied = all.b.insert(op->clone());
    copied->setOperands({operand.value, value});
    return {copied->getResult(0), false};
  }
  ir::PadOp copied = copy(all, op, {operand.value, value});
  copied.setLow(with_leading(0, op.getLow()));
  copied.setHigh(with_leading(0, op.getHigh()));
  return {copied.getResult(), true};
}

Value constant_of(Instances& all, bool value, DType dtype) {
  return language::cast(all.b, language::weak_constant(all.b, value, DType::boolean), dtype);
}

/// True where an element of the result is one of the operand, not the value.
Value inside(ir::PadOp op, Instances& all) {
  Builder& b = all.b;
  Value cells = language::broadcast_to(b, constant_of(all, true, DType::boolean),
                                       ir::shape_of(op.getOperand()));
  auto type = language::tensor_type(b, DType::boolean, ir::shape_of(op.getResult()));
  return ir::PadOp::create(b, type, cells, constant_of(all, false, DType::boolean), op.getLow(),
                           op.getHigh(), "constant");
}

} // namespace

/// Of values of each instance the op can't say where they go: they are selected behind it.
Results batch_rule(ir::PadOp op, Operands operands, Instances& all) {
  if (!operands[1].is_each)
    return {padded(op, operands[0], operands[1].value, all)};
  Value zero = constant_of(all, false, ir::dtype_of(op.getResult()));
  Batched moved = padded(op, operands[0], zero, all);
  if (op.getMode() != "constant")
    return {moved};
  auto type = each_type(all, op.getType());
  Value value = operands[1].value;
  if (ir::rank_of(op.getResult()) > 0)
    value = ir::BroadcastOp::create(all.b, type, value, llvm::ArrayRef<int64_t>{0});
  Value mask = as_each(all, {inside(op, all), false});
  return each(language::elementwise(all.b, Fn::where, {mask, as_each(all, moved), value}));
}

} // namespace kolam::transform::batch
