// Kernels over blocks: through the ops on arrays that they become.
#include "kolam/transform/kernels.h"

#include "kolam/ir/kernels.h"
#include "kolam/ir/location.h"
#include "kolam/transform/derive/rules.h"
#include "kolam/transform/kernels/grid_loop.h"
#include "kolam/transform/kernels/ref_names.h"

#include "llvm/ADT/DenseSet.h"

namespace kolam::transform::derive {
namespace {

/// Which values and Refs of a kernel depend on what is differentiated, by way of floats; a Ref that
/// is written once does everywhere.
class ActiveRefs {
public:
  ActiveRefs(ir::KernelCallOp op, const Linearisation& at) {
    mlir::Block& body = op.getBody().front();
    const size_t grid = op.getGrid().shape().size(), inputs = op.getInputs().size();
    auto argument = [&](size_t number) { return body.getArgument(static_cast<unsigned>(number)); };
    for (auto [number, input] : llvm::enumerate(op.getInputs()))
      if (at.is_active(input))
        add(argument(grid + number));
    for (auto [number, alias] : llvm::enumerate(op.getAliases()))
      if (alias >= 0 && at.is_active(op.getInputs()[static_cast<size_t>(alias)]))
        add(argument(grid + inputs + number));
    const size_t captures = body.getNumArguments() - op.getCaptures().size();
    for (auto [number, capture] : llvm::enumerate(op.getCaptures()))
      if (at.is_active(capture))
        add(argument(captures + number));
    size_t before = 0;
    do {
      before = active_.size();
      op.getBody().walk([&](mlir::Operation* inner) { pass_on(inner); });
    } while (active_.size() > before);
  }

  bool contains(Value value) const {
    if (ir::is_ref(value))
      return llvm::any_of(ir::roots_of(value), [&](Value root) { return active_.contains(root); });
    return active_.contains(value);
  }

private:
  void add(Value value) {
    if (ir::is_ref(value))
      for (Value root : ir::roots_of(value))
        active_.insert(root);
    else if (is_differentiable(value.getType()))
      active_.insert(value);
  }
  void pass_on(mlir::Operation* op) {
    if (llvm::none_of(op->getOperands(), [&](Value operand) { return contains(operand); }))
      return;
    if (Value ref = ir::written_ref(op))
      add(ref);
    // What a body is given, and what it gives.
    mlir::Operation* around = op->hasTrait<mlir::OpTrait::IsTerminator>() ? op->getParentOp() : op;
    if (llvm::isa<ir::KernelCallOp>(around))
      return;
    for (Value result : around->getResults())
      add_value(result);
    for (mlir::Region& region : around->getRegions())
      for (Value argument : region.getArguments())
        add_value(argument);
  }
  /// A Ref is a name of memory, which passing it on does not change.
  void add_value(Value value) {
    if (!ir::is_ref(value))
      add(value);
  }

  llvm::DenseSet<Value> active_;
};

/// How errors call the Ref whose memory a Ref is.
std::string name_of(ir::KernelCallOp op, Value ref) {
  kernels::RefNames names;
  names.set_call(op);
  const auto blocks = static_cast<int64_t>(op.getGrid().shape().size() + op.getPrefetch());
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(ir::roots_of(ref)[0]);
  const bool is_own = argument && argument.getOwner() == &op.getBody().front();
  return names.of(is_own ? static_cast<int>(argument.getArgNumber() - blocks) : -1);
}

/// Updates other than sums have no derivative.
void require_sums(ir::KernelCallOp op, const Linearisation& at) {
  const ActiveRefs active(op, at);
  op.getBody().walk([&](ir::RefUpdateOp update) {
    if (update.getKind() == "add" || !is_float(ir::dtype_of(update.getValue())) ||
        (!active.contains(update.getRef()) && !active.contains(update.getValue())))
      return;
    const llvm::StringRef kind = update.getKind();
    const std::string name = kind == "exchange"           ? "xchg"
                             : kind == "compare_exchange" ? "cas"
                                                          : kind.str();
    throw Error(ErrorKind::value, "not-differentiable",
                "atomic_" + name + ": expected atomic_add, as what " +
                    name_of(op, update.getRef()) +
                    " holds depends on an argument that is differentiated; stop_gradient takes it "
                    "as constant",
                ir::to_source_location(update.getLoc()));
  });
}

/// Loops over the grid are told whose arrays' tangents they read, so that `explain` names the
/// adjoints.
void name_tangents(ir::KernelCallOp op, const Linearisation& at) {
  if (at.is_joint() || !op.getRefNames())
    return;
  kernels::RefNames names;
  names.set_call(op);
  for (auto [ref, input] : llvm::enumerate(op.getInputs().drop_front(op.getPrefetch())))
    if (Value tangent = at.tangent(input))
      for (mlir::OpOperand& use : tangent.getUses())
        if (kernels::grid_loop(use.getOwner()))
          kernels::name_operand(use, names.of(static_cast<int>(ref)));
}

} // namespace

void linearise_whole(ir::KernelCallOp op, Linearisation& at) {
  require_sums(op, at);
  linearise_as(op, at, true, [&](Builder& b, const Values& operands) {
    return kernel_on_arrays(b, op, operands, KernelUse::differentiated);
  });
  name_tangents(op, at);
}

} // namespace kolam::transform::derive
