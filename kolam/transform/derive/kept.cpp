// Leaves residuals to the linear program. See Note [Kept].
#include "kolam/transform/derive/kept.h"

#include "kolam/ir/facts.h"
#include "kolam/ir/ops.h"
#include "kolam/support/elementwise.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace kolam::transform::derive {
namespace {

/// Flops that cost no more than an element written and read: a float takes as long from memory.
constexpr double kMostFlops = 8; // assumed

/// Flops of an element that is computed again from elements at the same place; nullopt where that
/// is dear, or reads others.
std::optional<double> flops_again(mlir::Operation* op) {
  if (auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op)) {
    const ElementwiseRow& row = elementwise_row(*parse_fn(elementwise.getFunction()));
    return row.transcendentals == 0 && !row.calls_library ? std::optional<double>(row.flops)
                                                          : std::nullopt;
  }
  if (llvm::isa<ir::CastOp>(op))
    return 1;
  if (llvm::isa<ir::ConstantOp>(op) || ir::facts_of(op).view == ir::View::by_map)
    return 0;
  return std::nullopt;
}

/// The residuals of a body and what each can be made of.
class Kept {
public:
  Kept(Apart& apart, size_t changing) : apart_(apart), changing_(changing) {
    auto residual = apart.residuals.begin();
    for (int64_t argument : apart.arguments)
      values_.push_back(argument < 0
                            ? *residual++
                            : Value(apart.primal->getArgument(static_cast<unsigned>(argument))));
    kept_.insert(values_.begin(), values_.end());
  }

  void run() {
    mlir::Block& block = apart_.linear.region->front();
    mlir::OpBuilder b(apart_.primal->front().getTerminator()->getContext());
    b.setInsertionPointToStart(&block);
    std::vector<bool> leaves(values_.size(), false);
    for (auto [number, value] : llvm::enumerate(values_))
      if (apart_.arguments[number] < 0 && is_stepwise(value) && is_cheap(value)) {
        leaves[number] = true;
        kept_.remove(value);
      }
    mlir::IRMapping map;
    for (auto [number, value] : llvm::enumerate(values_))
      if (!leaves[number])
        map.map(value, block.getArgument(static_cast<unsigned>(number)));
    for (auto [number, value] : llvm::enumerate(values_))
      if (leaves[number])
        block.getArgument(static_cast<unsigned>(number)).replaceAllUsesWith(copy(b, value, map));
    std::vector<int64_t> arguments;
    Values residuals;
    for (size_t number = values_.size(); number-- > 0;)
      if (leaves[number])
        block.eraseArgument(static_cast<unsigned>(number));
    for (auto [number, value] : llvm::enumerate(values_)) {
      if (leaves[number])
        continue;
      arguments.push_back(apart_.arguments[number]);
      if (arguments.back() < 0)
        residuals.push_back(value);
    }
    // The primal body gives what is kept, behind its own results.
    mlir::Operation* yield = apart_.primal->front().getTerminator();
    Values ends(yield->operand_begin(), yield->operand_end());
    ends.resize(ends.size() - apart_.residuals.size());
    llvm::append_range(ends, residuals);
    yield->setOperands(ends);
    apart_.linear.residuals = arguments.size();
    apart_.arguments = std::move(arguments);
    apart_.residuals = std::move(residuals);
    drop_unused(apart_.primal->front());
  }

private:
  /// Whether steps change it.
  bool is_stepwise(Value value) const {
    llvm::SetVector<Value> reached;
    reached.insert(value);
    for (size_t next = 0; next < reached.size(); ++next) {
      auto argument = llvm::dyn_cast<mlir::BlockArgument>(reached[next]);
      if (argument && argument.getArgNumber() < changing_)
        return true;
      if (!argument)
        reached.insert_range(reached[next].getDefiningOp()->getOperands());
    }
    return false;
  }

  /// Whether few flops give it from others that are kept.
  bool is_cheap(Value value) const {
    constexpr size_t kMostOps = 16; // bound
    llvm::SetVector<mlir::Operation*> ops;
    double flops = 0;
    if (llvm::isa<mlir::BlockArgument>(value))
      return false;
    ops.insert(value.getDefiningOp());
    for (size_t next = 0; next < ops.size(); ++next) {
      std::optional<double> own = flops_again(ops[next]);
      flops += own.value_or(0);
      if (!own || ops.size() > kMostOps || flops > kMostFlops)
        return false;
      for (Value operand : ops[next]->getOperands()) {
        if (kept_.contains(operand) && operand != value)
          continue;
        if (llvm::isa<mlir::BlockArgument>(operand))
          return false;
        ops.insert(operand.getDefiningOp());
      }
    }
    return true;
  }

  static Value copy(mlir::OpBuilder& b, Value value, mlir::IRMapping& map) {
    if (!map.contains(value)) {
      mlir::Operation* op = value.getDefiningOp();
      for (Value operand : op->getOperands())
        copy(b, operand, map);
      b.clone(*op, map);
    }
    return map.lookup(value);
  }

  Apart& apart_;
  size_t changing_;
  Values values_; ///< by residual of the linear program
  llvm::SetVector<Value> kept_;
};

} // namespace

void compute_again(Apart& apart, size_t changing) { Kept(apart, changing).run(); }

// Note [Kept]
// An element that a step keeps is written and read once: as many bytes as a few flops take time.
// So what follows from other residuals by such is left out, sums and products of these; exp, tanh
// and their kin, reductions and products of matrices are kept. All is computed from the same
// values by the same ops: no bit changes.

} // namespace kolam::transform::derive
