// Ops along dims: reductions, running combinations, sorted rows, bodies over elements.
#include "kolam/transform/batch/rules.h"

namespace kolam::transform::batch {

Results batch_rule(ir::ReduceOp op, Operands operands, Instances& all) {
  ir::ReduceOp copied = copy(all, op, as_each(all, operands));
  copied.setDims(behind(op.getDims()));
  return each(copied->getResults());
}

Results batch_rule(ir::CumulativeOp op, Operands operands, Instances& all) {
  ir::CumulativeOp copied = copy(all, op, {operands[0].value});
  copied.setDim(op.getDim() + 1);
  return each(copied->getResults());
}

Results batch_rule(ir::SortOp op, Operands operands, Instances& all) {
  return each(copy(all, op, {operands[0].value})->getResults());
}

Results batch_rule(ir::TopKOp op, Operands operands, Instances& all) {
  return each(copy(all, op, {operands[0].value})->getResults());
}

namespace {

/// The operands of a pattern over the instances' space. Scalars of each instance become one more
/// input; larger captures of each instance stay whole, and the body takes its slice.
struct Split {
  Values inputs, captures;
};

Split split(ir::ZipMapReduceOp op, Operands operands, Instances& all) {
  size_t inputs = op.getInputs().size();
  Split result{as_each(all, operands.take_front(inputs)), {}};
  Shape space = each_shape(all, op.getSpace().shape());
  for (const Batched& capture : operands.drop_front(inputs)) {
    if (!capture.is_each || ir::rank_of(capture.value) > 1) {
      result.captures.push_back(capture.value);
      continue;
    }
    auto type = language::tensor_type(all.b, ir::dtype_of(capture.value), space);
    result.inputs.push_back(
        space.size() == 1
            ? capture.value
            : ir::BroadcastOp::create(all.b, type, capture.value, llvm::ArrayRef<int64_t>{0}));
  }
  return result;
}

/// Gives the body the arguments of the split operands, and its coordinates behind the instances'.
void adapt_body(mlir::Block& body, size_t inputs, Operands captures, Instances& all) {
  Builder& b = all.b;
  mlir::OpBuilder::InsertionGuard guard(b);
  for (auto index : llvm::make_early_inc_range(body.getOps<ir::IterIndexOp>()))
    index.setDim(index.getDim() + 1);
  b.setInsertionPointToStart(&body);
  size_t place = inputs, scalars = 0; // scalars stand behind the inputs
  for (const Batched& capture : captures) {
    mlir::BlockArgument argument = body.getArgument(static_cast<unsigned>(place));
    if (capture.is_each && ir::rank_of(capture.value) == 1) {
      auto moved = body.insertArgument(static_cast<unsigned>(inputs + scalars++),
                                       argument.getType(), argument.getLoc());
      argument.replaceAllUsesWith(moved);
      body.eraseArgument(argument.getArgNumber());
    } else if (capture.is_each) {
      argument.setType(capture.value.getType());
      auto uses =
          llvm::map_to_vector(argument.getUses(), [](mlir::OpOperand& use) { return &use; });
      auto index = ir::IterIndexOp::create(b, language::tensor_type(b, DType::i64, {}), 0);
      Value own = slice_of(b, argument, index);
      for (mlir::OpOperand* use : uses)
        use->set(own);
    }
    ++place;
  }
}

} // namespace

Results batch_rule(ir::ZipMapReduceOp op, Operands operands, Instances& all) {
  Split operands_of = split(op, operands, all);
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Type type : op.getResultTypes())
    types.push_back(each_type(all, type));
  auto space = ir::ExtentsAttr::of(all.b.getContext(), each_shape(all, op.getSpace().shape()));
  auto made = ir::ZipMapReduceOp::create(all.b, types, operands_of.inputs, operands_of.captures,
                                         op.getMonoidAttr(), op.getCommutativeAttr(), space,
                                         all.b.getDenseI64ArrayAttr(behind(op.getDims())),
                                         op.getAccumulateAttr());
  mlir::IRMapping map;
  for (auto [from, to] : llvm::zip(op->getRegions(), made->getRegions()))
    from.cloneInto(&to, map);
  size_t inputs = op.getInputs().size();
  adapt_body(made.getBody().front(), inputs, operands.drop_front(inputs), all);
  return each(made->getResults());
}

} // namespace kolam::transform::batch
