// Follows versions of arrays through the bodies of loops.
#include "kolam/ir/element_loop.h"

#include "kolam/ir/independent.h"
#include "kolam/ir/late.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/support/machine.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace kolam::ir {
namespace {

constexpr llvm::StringLiteral kByElements = "by_elements";

/// Size of code.
constexpr size_t kMostOps = 512;
/// Bound: loops and branches in one another.
constexpr int kDeepest = 8;
/// Probe: operations of a step from which on a step of the runtime for each nest costs less than
/// what its own schedule brings.
constexpr double kMostWork = 4096;
/// Bound: elements of all that lies in working memory, on the stack.
constexpr double kMostMemory = 16384;

/// The block that gives the next states, which are its arguments from `first` on.
struct Turn {
  mlir::Block* body;
  unsigned first;
};
Turn turn_of(mlir::Operation* loop) {
  return {&loop->getRegions().back().front(), llvm::isa<ForOp>(loop) ? 1U : 0U};
}

class Question {
public:
  std::string why_not;

  void ask_root(mlir::Operation* loop) {
    if (!is_loop(loop))
      return refuse("it is no loop");
    llvm::DenseSet<size_t> in_memory;
    for (size_t state = 0; state < inits_of(loop).size(); ++state)
      if (lies_in_memory(loop, state))
        in_memory.insert(state);
    ask_loop(loop, in_memory, /*is_root=*/true, 0);
  }

private:
  void refuse(const std::string& why) {
    if (why_not.empty())
      why_not = why;
  }
  void refuse(mlir::Operation* op, const std::string& why) {
    refuse("'" + name_of(op) + "' in its body " + why);
  }

  void take_memory(double elements) {
    memory_ += elements;
    if (memory_ > kMostMemory)
      refuse("it computes many arrays");
  }

  bool is_in_memory(mlir::Value value) const { return in_memory_.contains(value); }

  void ask_loop(mlir::Operation* loop, const llvm::DenseSet<size_t>& in_memory, bool is_root,
                int depth) {
    auto is_tensor = [](mlir::Type type) { return llvm::isa<mlir::RankedTensorType>(type); };
    auto for_op = llvm::dyn_cast<ForOp>(loop);
    if (!llvm::all_of(loop->getOperandTypes(), is_tensor) ||
        !llvm::all_of(loop->getResultTypes(), is_tensor))
      return refuse("it carries lists");
    if (!late_symbols(loop).empty() || (for_op && is_independent(for_op)) || depth == kDeepest)
      return refuse("its turns are of another kind");
    auto [body, first] = turn_of(loop);
    const size_t states = inits_of(loop).size();
    for (size_t state = 0; state < states; ++state) {
      mlir::BlockArgument argument = body->getArgument(first + static_cast<unsigned>(state));
      const bool is_small = written_elements(argument).has_value();
      if (is_small)
        take_memory(2 * rough_count(shape_of(argument))); // and of the next one
      const bool starts_in_memory = in_memory.contains(state);
      if (is_kept(loop, state) && (starts_in_memory || (is_small && !few_elements(argument)))) {
        in_memory_.insert(argument);
        in_memory_.insert(loop->getResult(static_cast<unsigned>(state)));
      } else if (!is_small || (starts_in_memory && !is_root)) {
        return refuse("a state of many elements is made anew");
      }
    }
    const bool stacks = loop->getNumResults() > states;
    if (stacks && !is_root)
      return refuse("a loop inside stacks what its steps give");
    for (mlir::Value stacked : body->getTerminator()->getOperands().drop_front(states))
      if (!written_elements(stacked))
        return refuse("it stacks arrays of many elements");
    auto ask_body = [&](mlir::Block& block) {
      ask_captures(block, captures_of(loop));
      ask_block(block, depth);
    };
    if (auto loop_while = llvm::dyn_cast<WhileOp>(loop))
      ask_body(loop_while.getCondition().front());
    ask_body(*body);
  }

  void ask_branches(CondOp op, int depth) {
    if (depth == kDeepest || !late_symbols(op).empty())
      return refuse("its branches are of another kind");
    llvm::DenseSet<mlir::Value> changed;
    for (mlir::OpResult result : op->getResults()) {
      mlir::Value source = changed_by(result);
      if (written_elements(result))
        take_memory(rough_count(shape_of(result)));
      if (source && is_in_memory(source)) {
        if (!changed.insert(source).second)
          return refuse(op, "gives one array twice");
        for (mlir::Region& region : op.getBranches())
          in_memory_.insert(
              version_of(region.front().getTerminator()->getOperand(result.getResultNumber())));
        in_memory_.insert(result);
      } else if (!written_elements(result)) {
        return refuse(op, "chooses arrays of many elements");
      }
    }
    for (mlir::Region& region : op.getBranches()) {
      ask_captures(region.front(), op.getCaptures());
      for (auto [result, given] :
           llvm::zip(op->getResults(), region.front().getTerminator()->getOperands()))
        if (!is_in_memory(result) && few_elements(result) && lies_somewhere(version_of(given)))
          return refuse(op, "gives an array that lies in memory as a value");
      ask_block(region.front(), depth);
    }
  }

  /// Arrays in memory that a body captures, and does not give on, stay as they are inside.
  void ask_captures(mlir::Block& block, mlir::OperandRange captures) {
    for (auto [argument, capture] :
         llvm::zip(block.getArguments().take_back(captures.size()), captures)) {
      if (!lies_somewhere(capture) || is_in_memory(argument))
        continue;
      read_only_.insert(argument);
      for (mlir::OpOperand& use : argument.getUses())
        if (may_change(use))
          return refuse(use.getOwner(), "changes an array that stays as it is");
    }
  }
  static bool may_change(mlir::OpOperand& use) {
    mlir::Operation* op = use.getOwner();
    if (is_loop(op))
      return llvm::is_contained(inits_of(op), use.get());
    if (auto scatter = llvm::dyn_cast<ScatterOp>(op))
      return llvm::is_contained(scatter.getDestinations(), use.get());
    return llvm::isa<DynamicUpdateSliceOp>(op) && use.getOperandNumber() == 0;
  }
  bool lies_somewhere(mlir::Value value) const {
    return is_in_memory(value) || read_only_.contains(value);
  }

  void ask_block(mlir::Block& block, int depth) {
    double work = 0;
    for (mlir::Operation& op : block.without_terminator()) {
      ask(&op, depth + 1);
      if (!why_not.empty())
        return;
      const double own = work_of(&op);
      work += own;
      if (own > 0)
        take_memory(std::min(own, rough_count(shape_of(op.getResult(0)))));
    }
    if (work > kMostWork)
      return refuse("it goes over many elements");
    // Each version of an array is read before it is changed.
    for (mlir::Operation& op : block.without_terminator())
      for (mlir::OpResult result : op.getResults())
        if (mlir::Value changed = changed_by(result); changed && is_in_memory(changed))
          require_last(&op, changed);
  }

  void require_last(mlir::Operation* change, mlir::Value changed) {
    for (mlir::OpOperand& use : changed.getUses())
      if (use.getOwner() == change ? use.get() == changed && count(change, changed) > 1
                                   : !use.getOwner()->isBeforeInBlock(change))
        return refuse(use.getOwner(), "reads an array as it was before a change");
  }
  static int64_t count(mlir::Operation* op, mlir::Value operand) {
    return llvm::count(op->getOperands(), operand);
  }

  void ask(mlir::Operation* op, int depth) {
    if (is_loop(op)) {
      llvm::DenseSet<size_t> in_memory;
      for (auto [state, init] : llvm::enumerate(inits_of(op)))
        if (is_in_memory(init))
          in_memory.insert(state);
      return ask_loop(op, in_memory, /*is_root=*/false, depth);
    }
    if (auto branch = llvm::dyn_cast<CondOp>(op))
      return ask_branches(branch, depth);
    auto signed_op = llvm::dyn_cast<SignedOp>(op);
    if (!signed_op || op->getNumResults() == 0 || signed_op.task_count() ||
        signed_op.facts().effect != Effect::none || signed_op.facts().runs != Runs::elements)
      return refuse(op, "does more than compute elements");
    if (llvm::isa<DynamicUpdateSliceOp, ScatterOp>(op) && is_in_memory(op->getOperand(0)))
      return ask_change(op);
    ask_elements(op, signed_op.signature());
  }

  static Extent places_of(ScatterOp op) {
    Shape batch = shape_of(op.getIndices());
    batch.pop_back();
    return element_count(batch);
  }

  void ask_change(mlir::Operation* op) {
    auto scatter = llvm::dyn_cast<ScatterOp>(op);
    auto is_small = [](mlir::Value value) { return written_elements(value).has_value(); };
    if (scatter ? !llvm::all_of(scatter.getUpdates(), is_small)
                : !is_small(llvm::cast<DynamicUpdateSliceOp>(op).getUpdate()))
      return refuse(op, "changes many elements at once");
    if (scatter && places_of(scatter).constant() != 1)
      return refuse(op, "changes several places at once");
    if (scatter && (scatter.getCombiner() == "user" || !few_elements(scatter.getIndices())))
      return refuse(op, "combines by a function of its own");
    for (mlir::OpResult result : op->getResults()) {
      if (!is_in_memory(changed_by(result)))
        return refuse(op, "changes what is not carried");
      in_memory_.insert(result);
    }
  }

  void ask_elements(mlir::Operation* op, const space::Signature& signature) {
    Shape combined;
    for (const space::IndexDim& dim : signature.dims) {
      if (dim.kind == space::DimKind::scan)
        return refuse(op, "needs the elements before");
      if (dim.kind == space::DimKind::reduce)
        combined.push_back(dim.extent);
    }
    for (const space::Operand& operand : signature.operands)
      if (space::writes(operand.role) && operand.indirect)
        return refuse(op, "writes where data says");
    if (signature.opaque)
      return refuse(op, "runs whole");
    const auto terms = element_count(combined).constant();
    if (!terms || *terms > kMostWritten)
      return refuse(op, "combines many elements");
    auto has_few = [](mlir::Value value) { return few_elements(value).has_value(); };
    auto is_small = [](mlir::Value value) { return written_elements(value).has_value(); };
    if (llvm::all_of(op->getResults(), has_few))
      return;
    // An array that stays as it is: its elements are computed where they are read.
    if ((is_written(op) || reads_memory(op)) && !llvm::all_of(op->getResults(), is_small))
      refuse(op, "goes over many elements");
  }

  bool reads_memory(mlir::Operation* op) const {
    return llvm::any_of(op->getOperands(),
                        [&](mlir::Value operand) { return is_in_memory(operand); });
  }

  /// Operations of what an op computes where it stands.
  double work_of(mlir::Operation* op) const {
    auto signed_op = llvm::dyn_cast<SignedOp>(op);
    if (is_loop(op) || !signed_op || op->getNumResults() == 0 ||
        (!is_written(op) && !reads_memory(op) && !few_elements(op->getResult(0))))
      return 0;
    if (auto update = llvm::dyn_cast<DynamicUpdateSliceOp>(op); update && reads_memory(op))
      return rough_count(shape_of(update.getUpdate()));
    if (auto scatter = llvm::dyn_cast<ScatterOp>(op); scatter && reads_memory(op))
      return rough_count(shape_of(scatter.getUpdates()[0]));
    const double points = rough_count(space::index_shape(signed_op.signature()));
    return points > kFewElements ? points * std::max(1.0, signed_op.flops_per_point()) : 0;
  }

  double memory_ = 0;                     ///< elements, see `take_memory`
  llvm::DenseSet<mlir::Value> in_memory_; ///< arrays that are carried, in all of their versions
  llvm::DenseSet<mlir::Value> read_only_; ///< arguments that stand for such, and are only read
};

} // namespace

bool is_loop(mlir::Operation* op) { return llvm::isa<ForOp, WhileOp, ScanOp>(op); }

std::optional<int64_t> few_elements(mlir::Value value) {
  std::optional<int64_t> count = element_count(shape_of(value)).constant();
  return count && *count >= 1 && *count <= kFewElements ? count : std::nullopt;
}

std::optional<int64_t> written_elements(mlir::Value value) {
  std::optional<int64_t> count = element_count(shape_of(value)).constant();
  return count && *count >= 1 && *count <= kMostWritten ? count : std::nullopt;
}

/// Whether the op reads each element of the value once, for its own one at the same index.
static bool reads_at_own_index(mlir::OpOperand& use) {
  mlir::Operation* op = use.getOwner();
  return llvm::isa<ElementwiseOp, CastOp, BitcastOp>(op) &&
         shape_of(use.get()) == shape_of(op->getResult(0));
}

bool is_written(mlir::Operation* op) {
  if (op->getNumResults() == 0 || few_elements(op->getResult(0)) == 1)
    return false;
  auto signed_op = llvm::dyn_cast<SignedOp>(op);
  if (!signed_op || signed_op.flops_per_point() == 0)
    return false; // it moves elements
  if (few_elements(op->getResult(0)))
    return signed_op.flops_per_point() >= kArithmetic.polynomial;
  const space::Signature signature = signed_op.signature();
  if (op->getNumResults() > 1 || llvm::any_of(signature.dims, [](const space::IndexDim& dim) {
        return dim.kind == space::DimKind::reduce;
      }))
    return true;
  mlir::Value result = op->getResult(0);
  if (!result.hasOneUse())
    return true;
  mlir::OpOperand& use = *result.use_begin();
  mlir::Operation* user = use.getOwner();
  return user->getBlock() != op->getBlock() ||
         !(reads_at_own_index(use) || llvm::isa<YieldOp>(user));
}

mlir::BlockArgument version_of(mlir::Value value) {
  while (auto result = llvm::dyn_cast_if_present<mlir::OpResult>(value))
    value = changed_by(result);
  return llvm::dyn_cast_if_present<mlir::BlockArgument>(value);
}

bool lies_in_memory(mlir::Operation* loop, size_t state) {
  auto [body, first] = turn_of(loop);
  const auto number = static_cast<unsigned>(state);
  std::optional<int64_t> few = few_elements(loop->getResult(number));
  return !few || (*few > 1 && is_kept(loop, state) &&
                  body->getTerminator()->getOperand(number) != body->getArgument(first + number));
}

bool is_kept(mlir::Operation* loop, size_t state) {
  auto [body, first] = turn_of(loop);
  return version_of(body->getTerminator()->getOperand(static_cast<unsigned>(state))) ==
         body->getArgument(first + static_cast<unsigned>(state));
}

mlir::Value changed_by(mlir::OpResult result) {
  mlir::Operation* op = result.getOwner();
  const unsigned number = result.getResultNumber();
  if (auto update = llvm::dyn_cast<DynamicUpdateSliceOp>(op))
    return update.getOperand();
  if (auto scatter = llvm::dyn_cast<ScatterOp>(op))
    return scatter.getDestinations()[number];
  if (is_loop(op))
    return number < inits_of(op).size() && is_kept(op, number) ? inits_of(op)[number]
                                                               : mlir::Value();
  auto branch = llvm::dyn_cast<CondOp>(op);
  if (!branch)
    return {};
  std::optional<unsigned> captured;
  for (mlir::Region& region : branch.getBranches()) {
    mlir::BlockArgument own = version_of(region.front().getTerminator()->getOperand(number));
    if (!own || captured.value_or(own.getArgNumber()) != own.getArgNumber())
      return {};
    captured = own.getArgNumber();
  }
  return captured ? branch.getCaptures()[*captured] : mlir::Value();
}

std::string why_not_by_elements(mlir::Operation* loop) {
  if (ops_inside(loop) > kMostOps)
    return "its body has many ops";
  Question question;
  question.ask_root(loop);
  return question.why_not;
}

void set_by_elements(mlir::Operation* loop) {
  loop->setAttr(kByElements, mlir::UnitAttr::get(loop->getContext()));
}
bool is_by_elements(mlir::Operation* op) { return op->hasAttr(kByElements); }

mlir::OperandRange inits_of(mlir::Operation* loop) {
  return llvm::TypeSwitch<mlir::Operation*, mlir::OperandRange>(loop).Case<ForOp, WhileOp, ScanOp>(
      [](auto op) { return op.getInits(); });
}

mlir::OperandRange captures_of(mlir::Operation* loop) {
  return llvm::TypeSwitch<mlir::Operation*, mlir::OperandRange>(loop).Case<ForOp, WhileOp, ScanOp>(
      [](auto op) { return op.getCaptures(); });
}

} // namespace kolam::ir
