// Computes what a concat puts together where it lies in the result: nests of its operands write
// parts of one buffer, each by a schedule of its own, and no element asks to which part it belongs.
#include "kolam/nest/form.h"

#include "kolam/analysis/cost.h"
#include "kolam/analysis/views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kolam::nest {

using analysis::elements_of;

/// Size of code: parts of fewer elements, on average, are not worth a nest each.
constexpr double kLeastPart = 256;

/// Whether a value is more than elements that lie elsewhere, or a literal.
static bool is_computed(mlir::Value value) {
  mlir::Operation* op = value.getDefiningOp();
  if (op && keeps_order(op))
    return is_computed(op->getOperand(0));
  return op && !llvm::isa<ir::ConstantOp>(op) && !analysis::view_of_operand(op) &&
         !analysis::is_view_by_data(op);
}

/// Whether each operand's elements follow one another in the result.
static bool joins_outermost(ir::ConcatOp op) {
  Shape shape = ir::shape_of(op.getResult());
  shape.resize(op.getDim());
  return llvm::all_of(shape, [](const Extent& extent) { return extent == Extent(1); });
}

/// Concats of the function itself whose operands, of sizes that the arguments say, are computed for
/// the most part. Those of a loop's body may be states, whose memory is exchanged.
void Former::find_parted(mlir::Block& block) {
  parted_.clear();
  if (!llvm::isa<mlir::func::FuncOp>(block.getParentOp()))
    return;
  std::set<std::string> known;
  for (mlir::BlockArgument argument : block.getArguments())
    for (const Extent& extent : ir::shape_of(argument))
      for (const std::string& symbol : extent.symbols())
        known.insert(symbol);
  auto is_known = [&](const Extent& extent) {
    return llvm::all_of(extent.symbols(),
                        [&](const std::string& symbol) { return known.contains(symbol); });
  };
  for (mlir::Operation& op : block.without_terminator()) {
    auto concat = llvm::dyn_cast<ir::ConcatOp>(op);
    if (!concat || !joins_outermost(concat) || !at_run_.contains(concat.getResult()) ||
        !llvm::all_of(ir::shape_of(concat.getResult()), is_known))
      continue;
    double all = elements_of(concat.getResult()), computed = 0;
    for (mlir::Value operand : concat.getOperands())
      computed += is_computed(operand) ? elements_of(operand) : 0;
    if (2 * computed >= all && all >= kLeastPart * concat.getNumOperands())
      parted_.insert(&op);
  }
}

/// Gives the operands of each such concat that has memory their parts of it, where they have no
/// memory of their own.
void Former::give_parts(mlir::Block& block, const Materialized& materialized) {
  if (parted_.empty())
    return;
  for (mlir::Operation& op : llvm::reverse(block)) { // a part may consist of parts
    auto concat = llvm::dyn_cast<ir::ConcatOp>(op);
    if (!concat || !parted_.contains(&op) || !materialized.contains(&op))
      continue;
    const int whole = make_result_buffer(concat.getResult());
    std::vector<int>& own = joined_[&op];
    Extent offset = 0;
    for (mlir::Value operand : concat.getOperands()) {
      own.push_back(make_buffer(operand, Place::arena));
      parts_[own.back()] = {whole, offset};
      offset =
          offset + element_count(ir::shape_of(operand)) * Extent(byte_width(ir::dtype_of(operand)));
      if (operand.getDefiningOp() && !result_numbers_.contains(operand))
        for (mlir::Value same = operand; same; same = shown_alone(same))
          destinations_.try_emplace(same, own.back());
    }
    bind(concat.getResult(), whole);
  }
}

/// Copies what was computed elsewhere.
void Former::join_parts(ir::ConcatOp op, Steps& steps) {
  for (auto [operand, part] : llvm::zip(op.getOperands(), joined_[op]))
    if (int from = buffer_of(operand); from != part)
      add_copy(steps, from, part);
}

/// Says where parts lie, when it is known which buffers share memory.
void Former::place_parts() {
  std::vector<BufferPlan>& buffers = list_.program.buffers;
  for (auto [buffer, part] : parts_) {
    Extent offset = part.offset;
    int whole = part.whole;
    for (auto outer = parts_.find(whole); outer != parts_.end(); outer = parts_.find(whole)) {
      offset = offset + outer->second.offset;
      whole = outer->second.whole;
    }
    buffers[buffer].same_as = memory_of(buffers, whole);
    buffers[buffer].offset = offset;
  }
}

int Former::whole_of(int buffer) const {
  for (auto part = parts_.find(buffer); part != parts_.end(); part = parts_.find(buffer))
    buffer = part->second.whole;
  return buffer;
}

} // namespace kolam::nest
