// Finds nests of scans.
#include "kolam/transform/lists/nest.h"

#include "llvm/ADT/DenseSet.h"

namespace kolam::transform::lists {
namespace {

mlir::OperandRange lists_of(mlir::Operation* op) {
  if (auto scan = llvm::dyn_cast<ir::ListScanOp>(op))
    return scan.getLists();
  return llvm::cast<ir::ListMapOp>(op).getLists();
}

unsigned states_of(mlir::Operation* op) {
  auto scan = llvm::dyn_cast<ir::ListScanOp>(op);
  return scan ? static_cast<unsigned>(scan.getInits().size()) : 0;
}

mlir::Block& body_of(mlir::Operation* op) { return op->getRegion(0).front(); }

bool is_list(mlir::Value value) { return llvm::isa<ir::ListType>(value.getType()); }

bool is_counting(mlir::Operation* op);

/// The scan or map in a body whose results are all that the body yields, as lists of its states.
mlir::Operation* core_of(mlir::Block& block) {
  mlir::Operation* core = nullptr;
  for (mlir::Value value : block.getTerminator()->getOperands()) {
    mlir::Operation* op = value.getDefiningOp();
    if (!llvm::isa_and_present<ir::ListScanOp, ir::ListMapOp>(op) || (core && op != core))
      return nullptr;
    if (auto scan = llvm::dyn_cast<ir::ListScanOp>(op))
      if (scan.getAssociative() ||
          llvm::cast<mlir::OpResult>(value).getResultNumber() < states_of(op))
        return nullptr;
    core = op;
  }
  return core;
}

/// Whether of a list only lengths and places are asked for, and not its elements: those of a state
/// change from step to step, its lengths do not.
bool is_only_counted(mlir::Value list) {
  return is_list(list) && llvm::all_of(list.getUsers(), is_counting);
}
bool is_counting(mlir::Operation* op) {
  ir::FromLists taken = ir::facts_of(op).from_lists;
  return taken == ir::FromLists::lengths ||
         (taken == ir::FromLists::part && is_only_counted(op->getResult(0)));
}

class Finder {
public:
  std::optional<ScanNest> find(ir::ListScanOp scan) {
    if (scan.getAssociative())
      return std::nullopt;
    mlir::Operation* level = scan;
    while (true) {
      nest_.levels.push_back(level);
      mlir::Block& block = body_of(level);
      mlir::TypeRange yields = block.getTerminator()->getOperandTypes();
      if (llvm::none_of(yields, [](mlir::Type type) { return llvm::isa<ir::ListType>(type); }))
        break;
      level = core_of(block);
      if (!level)
        return std::nullopt;
    }
    for (size_t number = 0; number < nest_.levels.size(); ++number)
      add_states(number);
    for (size_t number = 0; number + 1 < nest_.levels.size(); ++number)
      if (!pass_down(number))
        return std::nullopt;
    return std::move(nest_);
  }

private:
  /// The result of the cell that result `result` of the body of a level is made of.
  unsigned cell_result(size_t level, unsigned result) const {
    for (; level + 1 < nest_.levels.size(); ++level) {
      mlir::Operation* core = nest_.levels[level + 1];
      mlir::Value yield = body_of(nest_.levels[level]).getTerminator()->getOperand(result);
      result = llvm::cast<mlir::OpResult>(yield).getResultNumber() - states_of(core);
    }
    return result;
  }

  void add_states(size_t level) {
    unsigned states = states_of(nest_.levels[level]);
    for (unsigned state = 0; state < states; ++state)
      nest_.carried[body_of(nest_.levels[level]).getArgument(state)] = {level, state,
                                                                        cell_result(level, state)};
  }

  /// Carried lists go on as elements of the core's lists, and nowhere else but to be counted; what
  /// the core gives is yielded only.
  bool pass_down(size_t level) {
    mlir::Operation* core = nest_.levels[level + 1];
    mlir::Block& block = body_of(nest_.levels[level]);
    for (mlir::Value result : core->getResults())
      for (mlir::Operation* user : result.getUsers())
        if (user != block.getTerminator())
          return false;
    for (mlir::BlockArgument argument : block.getArguments()) {
      if (!nest_.carried.contains(argument))
        continue;
      for (mlir::OpOperand& use : argument.getUses())
        if (!is_counting(use.getOwner()) && !goes_on(use, core))
          return false;
    }
    unsigned first = states_of(core);
    for (auto [number, list] : llvm::enumerate(lists_of(core)))
      if (auto found = nest_.carried.find(list); found != nest_.carried.end()) {
        CarriedArgument carried = found->second;
        nest_.carried[body_of(core).getArgument(first + static_cast<unsigned>(number))] = carried;
      }
    return true;
  }

  static bool goes_on(mlir::OpOperand& use, mlir::Operation* core) {
    if (use.getOwner() != core || !is_list(use.get()))
      return false;
    mlir::OperandRange lists = lists_of(core);
    unsigned first = lists.getBeginOperandIndex(), number = use.getOperandNumber();
    return number >= first && number < first + lists.size();
  }

  ScanNest nest_;
};

/// Adds what an op computes of values in the set.
void spread(mlir::Operation& op, llvm::DenseSet<mlir::Value>& values) {
  if (llvm::any_of(op.getOperands(), [&](mlir::Value value) { return values.contains(value); }))
    values.insert(op.result_begin(), op.result_end());
}

} // namespace

bool ScanNest::has_weights_of(size_t level) const {
  llvm::DenseSet<mlir::Value> values;
  unsigned first = states_of(levels[level]);
  for (size_t number = 0; number < lists_of(levels[level]).size(); ++number) {
    mlir::Value element = body_of(levels[level]).getArgument(first + static_cast<unsigned>(number));
    if (!carried.contains(element))
      values.insert(element);
  }
  for (size_t inner = level; inner < levels.size(); ++inner) {
    mlir::Block& block = body_of(levels[inner]);
    for (mlir::Operation& op : block.without_terminator()) {
      if (inner + 1 < levels.size() && &op == levels[inner + 1])
        continue;
      if (auto contract = llvm::dyn_cast<ir::ContractOp>(op))
        if (values.contains(contract->getOperand(1)) && ir::rank_of(contract->getOperand(1)) > 1)
          return true;
      spread(op, values);
    }
    if (inner + 1 == levels.size())
      break;
    mlir::Operation* core = levels[inner + 1];
    for (auto [number, operand] : llvm::enumerate(core->getOperands()))
      if (values.contains(operand))
        values.insert(body_of(core).getArgument(static_cast<unsigned>(number)));
  }
  return false;
}

std::optional<ScanNest> find_nest(ir::ListScanOp scan) { return Finder().find(scan); }

} // namespace kolam::transform::lists
