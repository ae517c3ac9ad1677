// Linear composites of what is computed again.
#include "kolam/transform/derive/again.h"

#include "kolam/language/region.h"
#include "kolam/transform/derive/activity.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/lists/rename.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::transform::derive {

void linearise_again(mlir::Operation* op, mlir::Region& body, Linearisation& at) {
  if (at.is_joint())
    return linearise_as(op, at, true, [&](Builder& b, const Values& operands) {
      return language::inlined(b, body, operands);
    });
  at.copy(op);
  Builder& b = at.linear;
  Values given = at.primals(op->getOperands());
  Flags active;
  for (Value operand : op->getOperands()) {
    active.push_back(at.is_active(operand));
    if (active.back())
      given.push_back(at.tangent(operand));
  }
  const size_t own = op->getNumOperands();
  Flags results = Activity().of_results(body, active);
  llvm::SmallVector<mlir::Type> types;
  std::vector<size_t> numbers;
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    if (results[number] && is_differentiable(result.getType())) {
      types.push_back(result.getType());
      numbers.push_back(number);
    }
  auto linear = ir::CompositeOp::create(b, types, "again", given, 0);
  linear->setAttr("residuals", b.getI64IntegerAttr(static_cast<int64_t>(own)));
  std::unique_ptr<mlir::Region> own_body = lists::renamed(body, at.new_symbol);
  auto again =
      language::make_region(b, mlir::ValueRange(given).getTypes(), [&](const Values& arguments) {
        mlir::ValueRange all(arguments);
        Linearised made =
            transform::linearise(b, *own_body, all.take_front(own), active, at.new_symbol);
        Values tangents =
            apply_linear(b, made.linear, made.residuals, all.drop_front(own), at.new_symbol);
        Values yielded;
        for (size_t number : numbers) {
          Value tangent = result_of(made.linear, tangents, number);
          yielded.push_back(tangent ? tangent : zeros_like(b, op->getResult(number)));
        }
        return yielded;
      });
  drop_unused(again->front()); // results that the derivative does not read
  linear.getBody().takeBody(*again);
  for (auto [number, tangent] : llvm::zip(numbers, linear.getResults()))
    at.set_tangent(op->getResult(number), tangent);
}

void transpose_again(ir::CompositeOp op, Transposition& at) {
  auto region = std::make_unique<mlir::Region>();
  mlir::IRMapping map;
  op.getBody().cloneInto(region.get(), map);
  mlir::Block& block = region->front();
  for (auto [argument, operand] : llvm::zip(block.getArguments(), op.getOperands()))
    if (at.is_linear(operand))
      argument.replaceAllUsesWith(operand);
    else
      at.set_coefficient(argument, at.coefficient(operand));
  prepare(block, at);
  mlir::ValueRange yielded = block.getTerminator()->getOperands();
  for (size_t number = yielded.size(); number-- > 0;)
    at.add(yielded[number], at.sum(op.getResult(number)));
  transpose_block(block, at);
  at.keep(std::move(region));
}

} // namespace kolam::transform::derive
