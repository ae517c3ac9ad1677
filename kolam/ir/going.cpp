// Proves that elements whose condition fails stay as they are.
#include "kolam/ir/going.h"

#include "kolam/ir/reduction.h"

#include <map>
#include <set>

namespace kolam::ir {
namespace {

std::optional<Fn> function_of(mlir::Value value) {
  auto elementwise = value.getDefiningOp<ElementwiseOp>();
  return elementwise ? parse_fn(elementwise.getFunction()) : std::nullopt;
}

bool is_and(mlir::Value value) {
  std::optional<Fn> fn = function_of(value);
  return fn == Fn::logical_and || (fn == Fn::bitwise_and && dtype_of(value) == DType::boolean);
}

bool is_or(mlir::Value value) {
  std::optional<Fn> fn = function_of(value);
  return fn == Fn::logical_or || (fn == Fn::bitwise_or && dtype_of(value) == DType::boolean);
}

bool is_not(mlir::Value value) {
  std::optional<Fn> fn = function_of(value);
  return fn == Fn::logical_not || (fn == Fn::bitwise_invert && dtype_of(value) == DType::boolean);
}

mlir::Value operand(mlir::Value value, unsigned number) {
  return value.getDefiningOp()->getOperand(number);
}

/// What a value reduces whole by `function`, some dims after the others; null for another value.
mlir::Value reduced_by(mlir::Value value, Fn function) {
  if (rank_of(value) != 0)
    return {};
  mlir::Value input;
  while (auto reduce = value.getDefiningOp<ReduceOp>()) {
    mlir::Value from = reduce.getInputs()[0];
    const bool is_boolean = reduce.getNumResults() == 1 && dtype_of(from) == DType::boolean &&
                            dtype_of(value) == DType::boolean;
    if (!is_boolean || reduction_of(reduce).function != function)
      break;
    input = value = from;
  }
  return input;
}

class Condition {
public:
  explicit Condition(WhileOp loop) : loop_(loop) {}

  bool read(mlir::Value value) {
    if (is_and(value))
      return read(operand(value, 0)) && read(operand(value, 1));
    mlir::Value some = reduced_by(value, Fn::logical_or), all;
    if (!some && is_not(value))
      all = reduced_by(operand(value, 0), Fn::logical_and);
    if ((!some && !all) || !is_of_states(some ? some : all)) {
      found.scalars.push_back(value);
      return true;
    }
    if (found.elements)
      return false;
    found.elements = some ? some : all;
    found.is_negated = !some;
    return true;
  }

  Going found;

private:
  /// Whether each element of a state has one of these: numbers have no elements of their own.
  bool is_of_states(mlir::Value elements) {
    return llvm::any_of(loop_.getInits(),
                        [&](mlir::Value state) { return shape_of(state) == shape_of(elements); });
  }

  WhileOp loop_;
};

/// Whether values of the condition's region and the body's are computed alike.
class Alike {
public:
  bool operator()(mlir::Value x, mlir::Value y) {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(x);
    if (auto other = llvm::dyn_cast<mlir::BlockArgument>(y); argument || other)
      return argument && other && argument.getArgNumber() == other.getArgNumber();
    auto a = llvm::cast<mlir::OpResult>(x), b = llvm::cast<mlir::OpResult>(y);
    mlir::Operation *p = a.getOwner(), *q = b.getOwner();
    if (a.getResultNumber() != b.getResultNumber() || p->getName() != q->getName() ||
        x.getType() != y.getType() || p->getNumRegions() != 0 ||
        p->getNumOperands() != q->getNumOperands() ||
        p->getAttrDictionary() != q->getAttrDictionary())
      return false;
    if (!known_.insert({x.getAsOpaquePointer(), y.getAsOpaquePointer()}).second)
      return true; // found alike before, or one difference has ended all
    for (auto [m, n] : llvm::zip(p->getOperands(), q->getOperands()))
      if (!(*this)(m, n)) {
        known_.clear();
        return false;
      }
    return true;
  }

private:
  std::set<std::pair<const void*, const void*>> known_;
};

/// What a body does with the elements whose condition fails.
class Kept {
public:
  explicit Kept(const Going& going) : going_(going) {}

  bool keeps(mlir::Value next, unsigned state) {
    return once(next, static_cast<int>(state), [&] { return find_keeps(next, state); });
  }

private:
  static constexpr int kFails = -1, kHolds = -2; // beside the numbers of states

  /// Answers one question of a value once.
  bool once(mlir::Value value, int question, llvm::function_ref<bool()> find) {
    auto [known, is_new] = answers_.try_emplace({value.getAsOpaquePointer(), question}, false);
    return is_new ? known->second = find() : known->second;
  }

  bool find_keeps(mlir::Value next, unsigned state) {
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(next))
      return argument.getArgNumber() == state;
    if (auto own = llvm::dyn_cast<mlir::BlockArgument>(going_.elements);
        own && own.getArgNumber() == state)
      return going_.is_negated ? holds(next) : fails(next);
    std::optional<Fn> fn = function_of(next);
    if (fn == Fn::where)
      return (fails(operand(next, 0)) && keeps(operand(next, 2), state)) ||
             (holds(operand(next, 0)) && keeps(operand(next, 1), state)) ||
             (keeps(operand(next, 1), state) && keeps(operand(next, 2), state));
    if (is_float(dtype_of(next)))
      return false; // -0 + 0 is 0
    if (fn == Fn::add)
      return (keeps(operand(next, 0), state) && is_zero(operand(next, 1))) ||
             (keeps(operand(next, 1), state) && is_zero(operand(next, 0)));
    return fn == Fn::subtract && keeps(operand(next, 0), state) && is_zero(operand(next, 1));
  }

  bool is_condition(mlir::Value value) { return Alike()(going_.elements, value); }

  bool fails(mlir::Value value) {
    return once(value, kFails, [&] { return find_fails(value); });
  }
  bool holds(mlir::Value value) {
    return once(value, kHolds, [&] { return find_holds(value); });
  }

  bool find_fails(mlir::Value value) {
    if (!going_.is_negated && is_condition(value))
      return true;
    if (is_not(value))
      return holds(operand(value, 0));
    return is_and(value) && (fails(operand(value, 0)) || fails(operand(value, 1)));
  }

  bool find_holds(mlir::Value value) {
    if (going_.is_negated && is_condition(value))
      return true;
    if (is_not(value))
      return fails(operand(value, 0));
    return is_or(value) && (holds(operand(value, 0)) || holds(operand(value, 1)));
  }

  bool is_zero(mlir::Value value) {
    if (auto cast = value.getDefiningOp<CastOp>())
      return dtype_of(cast.getOperand()) == DType::boolean && fails(cast.getOperand());
    return function_of(value) == Fn::where && fails(operand(value, 0)) &&
           is_constant_zero(operand(value, 2));
  }

  static bool is_constant_zero(mlir::Value value) {
    if (auto broadcast = value.getDefiningOp<BroadcastOp>())
      value = broadcast.getOperand();
    auto constant = value.getDefiningOp<ConstantOp>();
    auto elements =
        constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue()) : nullptr;
    return elements && elements.isSplat() && elements.getSplatValue<llvm::APInt>().isZero();
  }

  const Going& going_;
  std::map<std::pair<const void*, int>, bool> answers_;
};

} // namespace

std::optional<Going> going(WhileOp loop) {
  Condition condition(loop);
  if (!condition.read(loop.getCondition().front().getTerminator()->getOperand(0)))
    return std::nullopt;
  Going found = condition.found;
  if (!found.elements)
    return found;
  mlir::ValueRange yields = loop.getBody().front().getTerminator()->getOperands();
  Kept kept(found);
  for (auto [state, next] : llvm::enumerate(yields)) {
    bool is_scalar = rank_of(next) == 0 && rank_of(found.elements) != 0;
    if (!is_scalar && (shape_of(next) != shape_of(found.elements) ||
                       !kept.keeps(next, static_cast<unsigned>(state))))
      return std::nullopt;
  }
  return found;
}

bool keeps_some(mlir::Block& body, unsigned first, size_t states) {
  mlir::ValueRange yields = body.getTerminator()->getOperands();
  for (size_t state = 0; state < states; ++state) {
    mlir::Value next = yields[state];
    mlir::Value own = body.getArgument(first + state);
    if (function_of(next) == Fn::where && (operand(next, 1) == own || operand(next, 2) == own))
      return true;
  }
  return false;
}

} // namespace kolam::ir
