// Deals out the ops of pieces.
#include "kolam/lower/interleaved.h"

#include "kolam/lower/functions.h"
#include "kolam/support/machine.h"

#include "llvm/ADT/DenseSet.h"

namespace kolam::lower {
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
    for (mlir::Value operand :
         op->getOperands()) // may be of another piece, which came upon it first
      if (mlir::Operation* producer = operand.getDefiningOp())
        add(producer);
    ops_.push_back(op);
  }

  const Ops& ops() const { return ops_; }

private:
  llvm::DenseSet<mlir::Operation*> left_;
  Ops ops_;
};

/// The ops of a piece between its calls of functions, and those calls.
struct Parts {
  std::vector<Ops> between{1};
  std::vector<mlir::func::CallOp> calls;
};

Parts parts_of(const Ops& piece, const Functions* functions) {
  Parts parts;
  for (mlir::Operation* op : piece) {
    auto call = llvm::dyn_cast<mlir::func::CallOp>(op);
    if (call && functions && functions->has(call)) {
      parts.calls.push_back(call);
      parts.between.emplace_back();
    } else {
      parts.between.back().push_back(op);
    }
  }
  return parts;
}

/// Adds the pieces' ops at place 0, at place 1, ...
void deal(llvm::ArrayRef<const Ops*> pieces, Order& order) {
  size_t longest = 0;
  for (const Ops* ops : pieces)
    longest = std::max(longest, ops->size());
  for (size_t place = 0; place < longest; ++place)
    for (const Ops* ops : pieces)
      if (place < ops->size())
        order.add((*ops)[place]);
}

} // namespace

void emit_interleaved(size_t count, llvm::function_ref<void(size_t)> emit,
                      mlir::ImplicitLocOpBuilder& b, Functions* functions) {
  mlir::Block* block = b.getInsertionBlock();
  auto end = b.getInsertionPoint();
  auto last = [&] { return end == block->begin() ? nullptr : &*std::prev(end); };
  std::vector<Ops> pieces;
  bool is_straight = true;
  size_t longest = 0;
  auto emit_all = [&] {
    for (size_t piece = 0; piece < count; ++piece) {
      mlir::Operation* before = last();
      emit(piece);
      Ops& ops = pieces.emplace_back();
      for (mlir::Operation* op = before ? before->getNextNode() : &block->front();
           op && mlir::Block::iterator(op) != end; op = op->getNextNode())
        ops.push_back(op);
      is_straight &=
          llvm::all_of(ops, [](mlir::Operation* op) { return op->getNumRegions() == 0; });
      longest = std::max(longest, ops.size());
    }
  };
  if (functions)
    functions->for_pieces(count, emit_all);
  else
    emit_all();
  std::vector<Parts> parts;
  for (const Ops& piece : pieces)
    parts.push_back(parts_of(piece, functions));
  if (!is_straight || count < 2 || (longest < kOpsAhead && parts[0].calls.empty()))
    return;

  auto callee = [](mlir::func::CallOp call) { return call.getCallee(); };
  bool call_alike = llvm::all_of(parts, [&](const Parts& part) {
    return llvm::equal(llvm::map_range(part.calls, callee),
                       llvm::map_range(parts[0].calls, callee));
  });
  Order order(pieces);
  std::vector<std::vector<mlir::func::CallOp>> together;
  if (call_alike) {
    for (size_t number = 0; number < parts[0].between.size(); ++number) {
      std::vector<const Ops*> between;
      for (const Parts& part : parts)
        between.push_back(&part.between[number]);
      deal(between, order);
      if (number == parts[0].calls.size())
        break;
      const size_t before = order.ops().size();
      std::vector<mlir::func::CallOp>& calls = together.emplace_back();
      for (Parts& part : parts) {
        calls.push_back(part.calls[number]);
        order.add(calls.back());
      }
      // A value that one piece took from another may have asked for a call earlier.
      if (!llvm::equal(llvm::ArrayRef(order.ops()).drop_front(before), calls))
        together.pop_back();
    }
  } else {
    std::vector<const Ops*> all;
    for (const Ops& piece : pieces)
      all.push_back(&piece);
    deal(all, order);
  }
  for (mlir::Operation* op : order.ops())
    op->moveBefore(block, end);
  for (const auto& calls : together)
    functions->call_together(calls);
}

} // namespace kolam::lower

// Note [Waiting ops]
// A polynomial is a chain: each of its ops waits four cycles or so for the one before. A processor
// runs ahead to the next elements meanwhile, but only as far as its schedulers have room for what
// waits, about a hundred ops: chains of twenty, one behind the other, fill them. Dealt out, ops
// that follow one another belong to different chains, and those that wait are few. LLVM keeps the
// order.
