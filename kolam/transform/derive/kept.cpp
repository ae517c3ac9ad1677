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

/// Flops that cost no more than an element written and read, in a cache and beyond it.
constexpr double kMostFlops = 8, kMostFlopsBeyond = 32; // assumed
/// Flops of exp and its kin.
constexpr double kTranscendental = 20; // assumed
/// Bytes that a cache near the core holds.
constexpr double kCache = 4 << 20; // assumed

/// Flops of an element that is computed again from elements at the same place; nullopt where that
/// is dear, or reads others.
std::optional<double> flops_again(mlir::Operation* op) {
  if (auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op)) {
    const ElementwiseRow& row = elementwise_row(*parse_fn(elementwise.getFunction()));
    if (row.calls_library)
      return std::nullopt;
    return row.flops + kTranscendental * row.transcendentals;
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
  Kept(Apart& apart, llvm::ArrayRef<Role> roles, std::optional<int64_t> steps)
      : apart_(apart), roles_(roles), steps_(steps) {
    auto residual = apart.residuals.begin();
    for (int64_t argument : apart.arguments)
      values_.push_back(argument < 0
                            ? *residual++
                            : Value(apart.primal->getArgument(static_cast<unsigned>(argument))));
    kept_.insert(values_.begin(), values_.end());
  }

  void run() {
    std::vector<bool> leaves(values_.size(), false);
    for (auto [number, value] : llvm::enumerate(values_))
      if (apart_.arguments[number] < 0 && is_stepwise(value) && is_cheap(value)) {
        leaves[number] = true;
        kept_.remove(value);
      }
    mlir::Block& block = apart_.linear.region->front();
    mlir::OpBuilder b(apart_.primal->front().getTerminator()->getContext());
    b.setInsertionPointToStart(&block);
    mlir::IRMapping map;
    for (auto [number, value] : llvm::enumerate(values_))
      if (!leaves[number])
        map.map(value, block.getArgument(static_cast<unsigned>(number)));
    const size_t own = values_.size();
    for (size_t number = 0; number < own; ++number)
      if (leaves[number]) {
        Value made = copy(b, values_[number], map);
        block.getArgument(static_cast<unsigned>(number)).replaceAllUsesWith(made);
      }
    leaves.resize(values_.size(), false);
    for (size_t number = values_.size(); number-- > 0;)
      if (leaves[number])
        block.eraseArgument(static_cast<unsigned>(number));
    std::vector<int64_t> arguments;
    Values residuals;
    for (auto [number, value] : llvm::enumerate(values_)) {
      if (leaves[number])
        continue;
      auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
      arguments.push_back(argument ? static_cast<int64_t>(argument.getArgNumber()) : -1);
      if (!argument)
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
      if (argument && roles_[argument.getArgNumber()] != Role::capture)
        return true;
      if (!argument)
        reached.insert_range(reached[next].getDefiningOp()->getOperands());
    }
    return false;
  }

  /// Whether the linear loop may read it: it is kept, or what the loop reads in any case.
  bool is_there(Value value) const {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
    return kept_.contains(value) || (argument && roles_[argument.getArgNumber()] != Role::state);
  }

  double most_flops(Value value) const {
    double bytes = byte_width(ir::dtype_of(value)) * static_cast<double>(steps_.value_or(1));
    for (const Extent& extent : ir::shape_of(value))
      bytes *= static_cast<double>(extent.constant().value_or(1));
    return bytes > kCache ? kMostFlopsBeyond : kMostFlops;
  }

  /// Whether few flops give it from others that are there.
  bool is_cheap(Value value) const {
    if (llvm::isa<mlir::BlockArgument>(value) || llvm::isa<ir::ListType>(value.getType()))
      return false;
    constexpr size_t kMostOps = 16; // bound
    const double most = most_flops(value);
    llvm::SetVector<mlir::Operation*> ops;
    double flops = 0;
    ops.insert(value.getDefiningOp());
    for (size_t next = 0; next < ops.size(); ++next) {
      std::optional<double> own = flops_again(ops[next]);
      flops += own.value_or(0);
      if (!own || ops.size() > kMostOps || flops > most)
        return false;
      for (Value operand : ops[next]->getOperands()) {
        if (is_there(operand) && operand != value)
          continue;
        if (llvm::isa<mlir::BlockArgument>(operand))
          return false;
        ops.insert(operand.getDefiningOp());
      }
    }
    return true;
  }

  Value copy(mlir::OpBuilder& b, Value value, mlir::IRMapping& map) {
    if (map.contains(value))
      return map.lookup(value);
    if (llvm::isa<mlir::BlockArgument>(value)) {
      mlir::Block& block = apart_.linear.region->front();
      const auto place = static_cast<unsigned>(values_.size());
      map.map(value, block.insertArgument(place, value.getType(), value.getLoc()));
      values_.push_back(value);
      return map.lookup(value);
    }
    for (Value operand : value.getDefiningOp()->getOperands())
      copy(b, operand, map);
    b.clone(*value.getDefiningOp(), map);
    return map.lookup(value);
  }

  Apart& apart_;
  llvm::ArrayRef<Role> roles_;
  std::optional<int64_t> steps_;
  Values values_; ///< by residual of the linear program
  llvm::SetVector<Value> kept_;
};

} // namespace

void compute_again(Apart& apart, llvm::ArrayRef<Role> roles, std::optional<int64_t> steps) {
  Kept(apart, roles, steps).run();
}

// Note [Kept]
// An element that a step keeps is written and read once: as long as a few flops take, and longer
// where all that is kept exceeds the caches. So what follows from other residuals, or from the
// loop's elements and captures, by such is left out: sums and products, an exp of large arrays.
// Other functions, reductions and products of matrices are kept. All is computed from the same
// values by the same ops: no bit changes.

} // namespace kolam::transform::derive
