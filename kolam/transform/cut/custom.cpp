// Functions that are cut as their users say: called on what a part reads.
#include "kolam/language/creation.h"
#include "kolam/language/promotion.h"
#include "kolam/transform/custom_partitioning.h"
#include "kolam/transform/cut/rules.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"

namespace kolam::transform::cut {
namespace {

/// The user's function, for operands as large as the part's.
Values call_of_part(const PartitionedFunction& custom, const Making& making) {
  Values operands = making.operands;
  std::vector<std::pair<DType, Shape>> types;
  for (size_t number = 0; number < operands.size(); ++number) {
    const DType dtype = ir::dtype_of(making.op->getOperand(static_cast<unsigned>(number)));
    types.emplace_back(dtype, extents_of(making.part.reads[number]));
    if (!operands[number]) // nothing of it is read
      operands[number] = language::full(
          making.b, types.back().second,
          language::cast(making.b, language::integer_constant(making.b, 0, DType::i32), dtype));
  }
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(custom.program(types), making.b.getContext());
  KOLAM_CHECK(module);
  auto main = llvm::cast<mlir::func::FuncOp>(module->lookupSymbol("main"));
  mlir::IRMapping values;
  for (auto [argument, operand] : llvm::zip(main.getArguments(), operands))
    values.map(argument, operand);
  for (mlir::Operation& inner : main.getBody().front().without_terminator())
    making.b.clone(inner, values)->walk([&](mlir::Operation* made) {
      made->setLoc(making.op->getLoc()); // the text has no lines of the user's
    });
  Values results;
  for (auto [number, value] :
       llvm::enumerate(main.getBody().front().getTerminator()->getOperands())) {
    results.push_back(values.lookup(value));
    if (results.back().getType() != making.result_type(static_cast<unsigned>(number)))
      fail(ErrorKind::value, "bad-partitioning",
           "function '" + custom.name + "': of the part " + space::to_string(making.part.index) +
               " expected result " + std::to_string(number) + " to be " +
               to_string(making.result_shape(static_cast<unsigned>(number))) + ", but got " +
               language::describe(results.back()));
  }
  return results;
}

} // namespace

/// Of what a user's function reads its own word counts.
void set_reads(ir::CompositeOp op, OpPart& part) {
  const PartitionedFunction* custom = partitioning_of(op);
  if (!custom || !custom->boxes)
    return;
  std::vector<Shape> shapes;
  for (Value operand : op.getOperands())
    shapes.push_back(ir::shape_of(operand));
  part.reads = needed_boxes(*custom, part.writes[0], shapes);
}

Values make(ir::CompositeOp op, const Making& making) {
  return call_of_part(*partitioning_of(op), making);
}

} // namespace kolam::transform::cut
