// Loops and branches for parts: the parts of their bodies' ops, along what passes.
#include "kolam/language/control.h"
#include "kolam/language/region.h"
#include "kolam/transform/cut/passing.h"
#include "kolam/transform/cut/rules.h"

namespace kolam::transform::cut {
namespace {

mlir::Type type_of_box(Builder& b, Value value, const Box& box) {
  return language::tensor_type(b, ir::dtype_of(value), extents_of(box));
}

/// A body for the part. Its last arguments stand for the last operands, which it captures.
language::Body body_of(const Making& making, mlir::Region& body, size_t captures) {
  const Passing& passing = *making.cuts.passing(making.op);
  const Box& index = making.part.index;
  mlir::Block& whole = body.front();
  const size_t own = whole.getNumArguments() - captures;
  llvm::SmallVector<mlir::Type> types;
  for (mlir::BlockArgument argument : whole.getArguments().take_front(own))
    types.push_back(type_of_box(making.b, argument, passing.box(argument, index)));
  auto region = language::make_region(making.b, types, [&](const Values& arguments) {
    Maker maker(making.cuts, making.b, making.offset);
    for (auto [argument, now] : llvm::zip(whole.getArguments(), arguments))
      maker.set(argument, {now, passing.box(argument, index)});
    for (size_t number = 0; number < captures; ++number) {
      const Value argument = whole.getArgument(static_cast<unsigned>(own + number));
      maker.set(argument, {making.operands[making.operands.size() - captures + number],
                           passing.box(argument, index)});
    }
    for (mlir::Operation& op : whole.without_terminator()) {
      making.b.setLoc(op.getLoc());
      maker.make(&op, passing.part(making.cuts, &op, index));
    }
    making.b.setLoc(making.op->getLoc());
    Values yielded;
    for (Value value : whole.getTerminator()->getOperands())
      yielded.push_back(maker.get(value, passing.box(value, index)));
    return yielded;
  });
  Values outside = language::isolate(*region);
  return {std::move(region), std::move(outside)};
}

/// With what the op promises beside its operands.
Values with_attributes(const Making& making, const Values& results) {
  results[0].getDefiningOp()->setDiscardableAttrs(making.op->getDiscardableAttrDictionary());
  return results;
}

Values operands_from(const Making& making, size_t first, size_t count) {
  auto begin = making.operands.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

} // namespace

Values make(ir::ForOp op, const Making& making) {
  return with_attributes(
      making, language::for_loop(making.b, making.operands[0], making.operands[1],
                                 operands_from(making, 2, op.getInits().size()),
                                 body_of(making, op.getBody(), op.getCaptures().size())));
}

Values make(ir::WhileOp op, const Making& making) {
  language::Body condition = body_of(making, op.getCondition(), op.getCaptures().size());
  language::Body body = body_of(making, op.getBody(), op.getCaptures().size());
  return with_attributes(
      making, language::while_loop(making.b, operands_from(making, 0, op.getInits().size()),
                                   std::move(condition), std::move(body)));
}

Values make(ir::ScanOp op, const Making& making) {
  const auto direction =
      op.getReverse() ? language::Direction::reverse : language::Direction::forward;
  const size_t states = op.getInits().size();
  return with_attributes(making,
                         language::scan(making.b, operands_from(making, 0, states),
                                        operands_from(making, states, op.getXs().size()),
                                        op.getLength().shape()[0], direction,
                                        body_of(making, op.getBody(), op.getCaptures().size())));
}

Values make(ir::CondOp op, const Making& making) {
  std::vector<language::Body> branches;
  for (mlir::Region& branch : op.getBranches())
    branches.push_back(body_of(making, branch, op.getCaptures().size()));
  return with_attributes(making, language::cond(making.b, making.operands[0], std::move(branches)));
}

} // namespace kolam::transform::cut
