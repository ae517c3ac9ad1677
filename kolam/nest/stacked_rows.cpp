// Makes scans of loops that fill arrays.
#include "kolam/nest/stacked_rows.h"

#include "kolam/ir/pointwise.h"
#include "kolam/support/elementwise.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::nest {
namespace {

std::optional<int64_t> integer_of(mlir::Value value) {
  if (auto cast = value.getDefiningOp<ir::CastOp>())
    return integer_of(cast.getOperand());
  if (auto reshape = value.getDefiningOp<ir::ReshapeOp>())
    return integer_of(reshape.getOperand());
  if (auto broadcast = value.getDefiningOp<ir::BroadcastOp>())
    return integer_of(broadcast.getOperand());
  auto constant = value.getDefiningOp<ir::ConstantOp>();
  auto elements = constant ? llvm::cast<mlir::DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || !elements.isSplat() || is_float(ir::dtype_of(value)))
    return std::nullopt;
  return elements.getSplatValue<llvm::APInt>().getSExtValue();
}

std::optional<Fn> function_of(mlir::Value value) {
  auto elementwise = value.getDefiningOp<ir::ElementwiseOp>();
  return elementwise ? parse_fn(elementwise.getFunction()) : std::nullopt;
}

/// Whether an integer of one element is the counter of a loop that starts at 0.
bool is_counter(mlir::Value value, mlir::Value counter) {
  if (value == counter)
    return true;
  mlir::Operation* op = value.getDefiningOp();
  if (!op)
    return false;
  auto of = [&](unsigned number) { return is_counter(op->getOperand(number), counter); };
  if (llvm::isa<ir::CastOp>(op))
    return is_signed_integer(ir::dtype_of(value)) &&
           byte_width(ir::dtype_of(value)) >= byte_width(ir::dtype_of(counter)) && of(0);
  if (ir::facts_of(op).keeps_order || llvm::isa<ir::BroadcastOp>(op))
    return element_count(ir::shape_of(value)) == Extent(1) && of(0);
  std::optional<Fn> fn = function_of(value);
  if (fn == Fn::add)
    return (integer_of(op->getOperand(1)) == 0 && of(0)) ||
           (integer_of(op->getOperand(0)) == 0 && of(1));
  if (fn != Fn::where || !of(2)) // a place counted from the end where it is negative
    return false;
  auto less = op->getOperand(0).getDefiningOp<ir::ElementwiseOp>();
  return less && parse_fn(less.getFunction()) == Fn::less &&
         is_counter(less->getOperand(0), counter) && integer_of(less->getOperand(1)) == 0;
}

/// Whether the number of steps is that of the rows.
bool counts(mlir::Value upper, const Extent& rows) {
  if (auto number = integer_of(upper))
    return rows == Extent(*number);
  auto extent = upper.getDefiningOp<ir::ExtentOp>();
  return extent && *Extent::parse(extent.getExpression()) == rows;
}

/// The op that writes the row of the step's number of a state, which nothing else reads.
ir::DynamicUpdateSliceOp row_writer(ir::ForOp loop, size_t state) {
  mlir::Block& body = loop.getBody().front();
  mlir::Value own = body.getArgument(1 + state), next = body.getTerminator()->getOperand(state);
  auto write = next.getDefiningOp<ir::DynamicUpdateSliceOp>();
  if (!write || write.getOperand() != own || !own.hasOneUse() || !next.hasOneUse())
    return {};
  Shape whole = ir::shape_of(own), row = ir::shape_of(write.getUpdate());
  if (row[0] != Extent(1) || !counts(loop.getUpper(), whole[0]) ||
      llvm::ArrayRef(row).drop_front() != llvm::ArrayRef(whole).drop_front() ||
      !is_counter(write.getStarts()[0], body.getArgument(0)))
    return {};
  return write; // windows lie inside: other starts are 0
}

} // namespace

ir::ScanOp stack_rows(ir::ForOp loop) {
  if (integer_of(loop.getLower()) != 0 || loop->hasAttr("late"))
    return {};
  llvm::SmallVector<unsigned> carried, written;
  for (unsigned state = 0; state < loop.getInits().size(); ++state)
    (row_writer(loop, state) ? written : carried).push_back(state);
  if (written.empty() || carried.empty())
    return {};

  mlir::OpBuilder b(loop);
  mlir::Location loc = loop.getLoc();
  mlir::Block& old = loop.getBody().front();
  Extent length = ir::shape_of(loop.getResult(written[0]))[0];
  mlir::Value numbers = ir::IotaOp::create(
      b, loc, ir::tensor_type(b.getContext(), ir::dtype_of(loop.getLower()), {length}), 0);
  llvm::SmallVector<mlir::Value> inits;
  llvm::SmallVector<mlir::Type> types;
  for (unsigned state : carried)
    inits.push_back(loop.getInits()[state]);
  for (unsigned state : llvm::concat<unsigned>(carried, written))
    types.push_back(loop.getResult(state).getType());
  auto scan =
      ir::ScanOp::create(b, loc, types, inits, mlir::ValueRange{numbers}, loop.getCaptures(),
                         ir::ExtentsAttr::of(b.getContext(), {length}), false);
  mlir::Block& body = scan.getBody().emplaceBlock();
  mlir::IRMapping mapping;
  auto add = [&](mlir::Value argument) {
    mapping.map(argument, body.addArgument(argument.getType(), argument.getLoc()));
  };
  for (unsigned state : carried)
    add(old.getArgument(1 + state));
  add(old.getArgument(0));
  for (mlir::BlockArgument argument : old.getArguments().drop_front(1 + loop.getInits().size()))
    add(argument);
  mlir::OpBuilder inner = mlir::OpBuilder::atBlockEnd(&body);
  llvm::DenseMap<mlir::Operation*, mlir::Value> rows;
  for (mlir::Operation& op : old.without_terminator()) {
    auto write = llvm::dyn_cast<ir::DynamicUpdateSliceOp>(op);
    auto state = llvm::find_if(written, [&](unsigned number) {
      return write && old.getTerminator()->getOperand(number) == write.getResult();
    });
    if (state == written.end()) {
      inner.clone(op, mapping);
      continue;
    }
    Shape row = ir::shape_of(write.getUpdate());
    row.erase(row.begin());
    mlir::Type type = ir::tensor_type(b.getContext(), ir::dtype_of(write.getUpdate()), row);
    rows[&op] = ir::ReshapeOp::create(inner, loc, type, mapping.lookupOrDefault(write.getUpdate()));
  }
  llvm::SmallVector<mlir::Value> yields;
  for (unsigned state : carried)
    yields.push_back(mapping.lookupOrDefault(old.getTerminator()->getOperand(state)));
  for (unsigned state : written)
    yields.push_back(rows.lookup(old.getTerminator()->getOperand(state).getDefiningOp()));
  ir::YieldOp::create(inner, loc, yields);

  if (!ir::pointwise(scan).why_not.empty()) {
    scan.erase();
    numbers.getDefiningOp()->erase();
    return {};
  }
  size_t result = 0;
  for (unsigned state : llvm::concat<unsigned>(carried, written))
    loop.getResult(state).replaceAllUsesWith(scan.getResult(result++));
  loop.erase();
  return scan;
}

} // namespace kolam::nest
