// Makes scans of loops that fill arrays.
#include "kolam/nest/stacked_rows.h"

#include "kolam/ir/pointwise.h"
#include "kolam/support/elementwise.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::nest {
namespace {

/// What an argument of the loop's body stands for outside, where it is a capture.
mlir::Value outside(mlir::Value value) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
  auto loop = argument ? llvm::dyn_cast<ir::ForOp>(argument.getOwner()->getParentOp()) : nullptr;
  if (!loop)
    return value;
  size_t first = 1 + loop.getInits().size();
  return argument.getArgNumber() < first ? value
                                         : loop.getCaptures()[argument.getArgNumber() - first];
}

/// The first element of integers that are known, through what only moves elements.
std::optional<int64_t> integer_of(mlir::Value value) {
  value = outside(value);
  mlir::Operation* op = value.getDefiningOp();
  if (!op || is_float(ir::dtype_of(value)))
    return std::nullopt;
  if (auto constant = llvm::dyn_cast<ir::ConstantOp>(op)) {
    auto elements = llvm::cast<mlir::DenseElementsAttr>(constant.getValue());
    if (elements.empty())
      return std::nullopt;
    return (*elements.value_begin<llvm::APInt>()).getSExtValue();
  }
  auto slice = llvm::dyn_cast<ir::SliceOp>(op);
  bool is_from_first = slice && llvm::all_of(slice.getStarts().shape(), [](const Extent& start) {
                         return start == Extent(0);
                       });
  auto concat = llvm::dyn_cast<ir::ConcatOp>(op);
  bool has_first = concat && ir::shape_of(op->getOperand(0))[concat.getDim()] == Extent(1);
  if (ir::facts_of(op).keeps_order || llvm::isa<ir::CastOp, ir::BroadcastOp>(op) || is_from_first ||
      has_first)
    return integer_of(op->getOperand(0));
  return std::nullopt;
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

/// Whether extents are the same but for leading ones.
bool is_row_of(Shape row, llvm::ArrayRef<Extent> shape) {
  while (row.size() > shape.size() && row.front() == Extent(1))
    row.erase(row.begin());
  return llvm::ArrayRef<Extent>(row) == shape;
}

/// The row of the step's number that an op writes into its first operand; null where it does
/// another thing.
mlir::Value row_written(mlir::Operation* op, mlir::Value counter) {
  if (auto write = llvm::dyn_cast<ir::DynamicUpdateSliceOp>(op)) // whole dims start at 0
    return is_counter(write.getStarts()[0], counter) ? write.getUpdate() : mlir::Value();
  auto scatter = llvm::dyn_cast<ir::ScatterOp>(op);
  if (!scatter || scatter.getResults().size() != 1 || scatter.getCombiner() != "kUpdate" ||
      scatter.getDims() != llvm::ArrayRef<int64_t>{0} || scatter.getBatchedDims() != 0 ||
      element_count(ir::shape_of(scatter.getIndices())) != Extent(1))
    return {};
  return is_counter(scatter.getIndices(), counter) ? scatter.getUpdates()[0] : mlir::Value();
}

/// The op that writes the row of the step's number of a state, which nothing else reads, and that
/// row.
std::pair<mlir::Operation*, mlir::Value> row_writer(ir::ForOp loop, size_t state) {
  mlir::Block& body = loop.getBody().front();
  mlir::Value own = body.getArgument(1 + state), next = body.getTerminator()->getOperand(state);
  mlir::Operation* op = next.getDefiningOp();
  if (!op || op->getNumOperands() == 0 || op->getOperand(0) != own || !own.hasOneUse() ||
      !next.hasOneUse() || ir::rank_of(own) == 0)
    return {};
  Shape whole = ir::shape_of(own);
  mlir::Value row =
      counts(loop.getUpper(), whole[0]) ? row_written(op, body.getArgument(0)) : mlir::Value();
  if (!row || !is_row_of(ir::shape_of(row), llvm::ArrayRef<Extent>(whole).drop_front()))
    return {};
  return {op, row};
}

} // namespace

ir::ScanOp stack_rows(ir::ForOp loop) {
  if (integer_of(loop.getLower()) != 0 || loop->hasAttr("late"))
    return {};
  llvm::SmallVector<unsigned> carried, written;
  for (unsigned state = 0; state < loop.getInits().size(); ++state)
    (row_writer(loop, state).first ? written : carried).push_back(state);
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
  llvm::DenseMap<mlir::Operation*, unsigned> writers;
  for (unsigned state : written)
    writers[row_writer(loop, state).first] = state;
  llvm::DenseMap<unsigned, mlir::Value> rows;
  for (mlir::Operation& op : old.without_terminator()) {
    auto writer = writers.find(&op);
    if (writer == writers.end()) {
      inner.clone(op, mapping);
      continue;
    }
    mlir::Value row = row_writer(loop, writer->second).second;
    Shape shape = ir::shape_of(op.getResult(0));
    shape.erase(shape.begin());
    rows[writer->second] =
        ir::ReshapeOp::create(inner, loc, ir::tensor_type(b.getContext(), ir::dtype_of(row), shape),
                              mapping.lookupOrDefault(row));
  }
  llvm::SmallVector<mlir::Value> yields;
  for (unsigned state : carried)
    yields.push_back(mapping.lookupOrDefault(old.getTerminator()->getOperand(state)));
  for (unsigned state : written)
    yields.push_back(rows.lookup(state));
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
