// Deals out the ops of pieces.
#include "kolam/lower/cpu/interleaved.h"

#include "llvm/ADT/DenseSet.h"

namespace kolam::lower::cpu {
namespace {

using Ops = std::vector<mlir::Operation*>;

/// Puts ops of a block in a new order that keeps every op behind those it takes values of.
class Order {
public:
  explicit Order(const std::vector<Ops>& pieces) {
    for (const Ops& piece : pieces)
      left_.insert_range(piece);
  }

  void add(mlir::Operation* op) {
    if (!left_.erase(op))
      return;
    for (Value operand : op->getOperands()) // may be of another piece, which came upon it first
      if (mlir::Operation* producer = operand.getDefiningOp())
        add(producer);
    ops_.push_back(op);
  }

  const Ops& ops() const { return ops_; }

private:
  llvm::DenseSet<mlir::Operation*> left_;
  Ops ops_;
};

} // namespace

void emit_interleaved(size_t count, llvm::function_ref<void(size_t)> emit, Emission& e) {
  mlir::Block* block = e.b.getInsertionBlock();
  auto end = e.b.getInsertionPoint();
  auto last = [&] { return end == block->begin() ? nullptr : &*std::prev(end); };
  std::vector<Ops> pieces;
  bool is_straight = true;
  size_t longest = 0;
  for (size_t piece = 0; piece < count; ++piece) {
    mlir::Operation* before = last();
    emit(piece);
    Ops& ops = pieces.emplace_back();
    for (mlir::Operation* op = before ? before->getNextNode() : &block->front();
         op && mlir::Block::iterator(op) != end; op = op->getNextNode())
      ops.push_back(op);
    is_straight &= llvm::all_of(ops, [](mlir::Operation* op) { return op->getNumRegions() == 0; });
    longest = std::max(longest, ops.size());
  }
  if (!is_straight || longest < kOpsAhead)
    return;
  Order order(pieces);
  for (size_t place = 0; place < longest; ++place)
    for (const Ops& ops : pieces)
      if (place < ops.size())
        order.add(ops[place]);
  for (mlir::Operation* op : order.ops())
    op->moveBefore(block, end);
}

} // namespace kolam::lower::cpu

// Note [Waiting ops]
// A polynomial is a chain: each of its ops waits four cycles or so for the one before. A processor
// runs ahead to the next elements meanwhile, but only as far as its schedulers have room for what
// waits, about a hundred ops: chains of twenty, one behind the other, fill them. Dealt out, ops
// that follow one another belong to different chains, and those that wait are few. LLVM keeps the
// order.
