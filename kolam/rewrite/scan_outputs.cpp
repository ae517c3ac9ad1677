// Follows outputs to the states, elements and captures that they are computed from.
#include "kolam/rewrite/scan_outputs.h"

#include "kolam/analysis/cost.h"
#include "kolam/ir/ops.h"
#include "kolam/support/machine.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace kolam::rewrite {
namespace {

using mlir::Operation;
using mlir::Value;

bool is_number(Value value) { return ir::rank_of(value) == 0; }

/// An output, the ops that compute it, operands before users, and what these begin with.
struct Cone {
  unsigned output; ///< among the scan's results
  llvm::SetVector<Operation*> ops;
  llvm::SetVector<Value> states; ///< values of the body: a state as it was, or as it becomes
};

class Outputs {
public:
  explicit Outputs(ir::ScanOp scan)
      : scan_(scan), body_(scan.getBody().front()), states_(scan.getInits().size()),
        yields_(body_.getTerminator()->getOperands()) {}

  /// The outputs that are worth computing behind the scan.
  std::vector<Cone> chosen() {
    std::vector<Cone> cones;
    if (!llvm::all_of(scan_.getInits(), is_number))
      return cones;
    for (size_t output = states_; output < yields_.size(); ++output) {
      Cone cone{static_cast<unsigned>(output), {}, {}};
      if (!is_number(yields_[output]) || !follow(yields_[output], cone) || cone.ops.empty() ||
          cone.states.size() > kMostStates)
        continue;
      cones.push_back(std::move(cone));
    }
    std::vector<Cone> worth; // each beside all that could go, of which none has moved yet
    for (const Cone& cone : cones)
      if (own_work(cone, cones) >= kLongWork)
        worth.push_back(cone);
    return worth;
  }

private:
  static constexpr size_t kMostStates = 2; // bound: what is stacked in place of one output
  static constexpr size_t kMostOps = 64;   // bound: of ops that are looked at
  static constexpr double kLongWork = Prices().chain; // operations

  bool is_next_state(Value value) const {
    return llvm::is_contained(yields_.take_front(states_), value);
  }

  /// Whether a value is numbers computed of numbers, on from states, elements and captures.
  bool follow(Value value, Cone& cone) {
    if (is_next_state(value))
      return cone.states.insert(value), true;
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
      if (argument.getArgNumber() < states_)
        cone.states.insert(value);
      return is_number(value);
    }
    Operation* op = value.getDefiningOp();
    if (cone.ops.contains(op))
      return true;
    const bool is_of_numbers = llvm::isa<ir::ElementwiseOp, ir::CastOp>(op);
    if (!(is_of_numbers || llvm::isa<ir::ConstantOp>(op)) || !is_number(value) ||
        cone.ops.size() >= kMostOps)
      return false;
    for (Value operand : op->getOperands())
      if (!follow(operand, cone))
        return false;
    cone.ops.insert(op);
    return true;
  }

  /// Operations of what nothing but these outputs needs.
  double own_work(const Cone& cone, llvm::ArrayRef<Cone> cones) {
    llvm::DenseSet<Operation*> needed;
    llvm::SmallVector<Value> open;
    for (auto [number, value] : llvm::enumerate(yields_))
      if (llvm::none_of(cones, [&](const Cone& other) { return other.output == number; }))
        open.push_back(value);
    while (!open.empty())
      if (Operation* op = open.pop_back_val().getDefiningOp(); op && needed.insert(op).second)
        open.append(op->operand_begin(), op->operand_end());
    double work = 0;
    for (Operation* op : cone.ops)
      work += needed.contains(op) ? 0 : analysis::flops_per_cell(op);
    return work;
  }

  ir::ScanOp scan_;
  mlir::Block& body_;
  size_t states_;
  mlir::OperandRange yields_;
};

/// A copy of the scan that stacks states in place of the outputs, and these behind it.
void put_behind(ir::ScanOp scan, llvm::ArrayRef<Cone> cones) {
  mlir::OpBuilder b(scan);
  mlir::Operation* end = scan.getBody().front().getTerminator();
  const Shape steps = scan.getLength().shape();
  auto stacked = [&](Value number) {
    return ir::tensor_type(scan.getContext(), ir::dtype_of(number), steps);
  };
  llvm::SmallVector<unsigned> kept; // old results that stay
  llvm::SmallVector<Value> yields;
  llvm::SmallVector<mlir::Type> types;
  for (unsigned number = 0; number < scan.getNumResults(); ++number) {
    if (llvm::any_of(cones, [&](const Cone& cone) { return cone.output == number; }))
      continue;
    kept.push_back(number);
    yields.push_back(end->getOperand(number));
    types.push_back(scan.getResult(number).getType());
  }
  const size_t first_x = scan.getInits().size(), first_capture = first_x + scan.getXs().size();
  llvm::MapVector<Value, unsigned> stack_of; // by state: the result that stacks it
  for (const Cone& cone : cones)
    for (Value state : cone.states) {
      auto [known, is_new] = stack_of.try_emplace(state);
      if (!is_new)
        continue;
      auto given = llvm::ArrayRef(yields).drop_front(first_x);
      const auto* own = llvm::find(given, state);
      known->second = static_cast<unsigned>(first_x + (own - given.begin()));
      if (own != given.end())
        continue;
      yields.push_back(state);
      types.push_back(stacked(state));
    }
  auto made = ir::ScanOp::create(b, scan.getLoc(), types, scan.getInits(), scan.getXs(),
                                 scan.getCaptures(), scan.getLengthAttr(), scan.getReverseAttr());

  mlir::IRMapping behind;
  for (auto [state, number] : stack_of)
    behind.map(state, made.getResult(number));
  auto value_of = [&](Value value) -> Value {
    if (Value known = behind.lookupOrNull(value))
      return known;
    auto argument = llvm::cast<mlir::BlockArgument>(value);
    const size_t number = argument.getArgNumber();
    Value own = number < first_capture
                    ? Value(scan.getXs()[number - first_x])
                    : ir::BroadcastOp::create(b, scan.getLoc(), stacked(argument),
                                              scan.getCaptures()[number - first_capture],
                                              b.getDenseI64ArrayAttr({}))
                          .getResult();
    behind.map(value, own);
    return own;
  };
  for (const Cone& cone : cones)
    for (Operation* op : cone.ops) {
      Value number = op->getResult(0);
      if (behind.contains(number))
        continue;
      llvm::SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(value_of(operand));
      Operation* copy = b.clone(*op);
      Value value = copy->getResult(0);
      if (llvm::isa<ir::ConstantOp>(op)) {
        value = ir::BroadcastOp::create(b, op->getLoc(), stacked(number), value,
                                        b.getDenseI64ArrayAttr({}));
      } else {
        copy->setOperands(operands);
        value.setType(stacked(number));
      }
      behind.map(number, value);
    }
  for (const Cone& cone : cones)
    scan.getResult(cone.output).replaceAllUsesWith(value_of(end->getOperand(cone.output)));
  for (auto [number, old] : llvm::enumerate(kept))
    scan.getResult(old).replaceAllUsesWith(made.getResult(static_cast<unsigned>(number)));
  end->setOperands(yields);
  made.getBody().takeBody(scan.getBody());
  scan.erase();
}

} // namespace

void compute_outputs_behind_scans(mlir::ModuleOp module) {
  llvm::SmallVector<ir::ScanOp> scans;
  module.walk([&](ir::ScanOp scan) { scans.push_back(scan); });
  for (ir::ScanOp scan : scans)
    if (std::vector<Cone> cones = Outputs(scan).chosen(); !cones.empty())
      put_behind(scan, cones);
}

} // namespace kolam::rewrite
