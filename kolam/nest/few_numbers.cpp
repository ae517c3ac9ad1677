// Takes small states apart into their elements, and puts them together again where they are read.
#include "kolam/nest/few_numbers.h"

#include "kolam/analysis/cost.h"
#include "kolam/ir/element_loop.h"
#include "kolam/ir/independent.h"
#include "kolam/ir/late.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"
#include "kolam/nest/lanes.h"
#include "kolam/support/machine.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::nest {
namespace {

/// Size of code: numbers that a loop carries, and that its steps stack; operations of a step.
constexpr int64_t kMostNumbers = 32;
constexpr double kMostFlops = 512;
/// Assumed, of a function that is a long chain: as a vector a step computes it once for many
/// elements.
constexpr double kLongChain = 4;

using Values = llvm::SmallVector<mlir::Value>;

/// Writes ops that take arrays apart and put them together.
class Pieces {
public:
  Pieces(mlir::OpBuilder& b, mlir::Location loc) : b_(b), loc_(loc) {}

  /// The elements, row-major.
  void add_numbers(mlir::Value array, Values& numbers) {
    const Shape shape = ir::shape_of(array);
    if (shape.empty())
      return numbers.push_back(array);
    const int64_t count = *element_count(shape).constant();
    for (int64_t number = 0; number < count; ++number) {
      Shape starts(shape.size());
      int64_t left = number;
      for (size_t dim = shape.size(); dim-- > 0;) {
        starts[dim] = left % *shape[dim].constant();
        left /= *shape[dim].constant();
      }
      numbers.push_back(ir::ViewOp::create(b_, loc_, type_of(array, {}), array,
                                           ir::ExtentsAttr::of(b_.getContext(), starts),
                                           llvm::ArrayRef<int64_t>{}));
    }
  }

  /// An array of this shape of the next numbers: of scalars, or of rows [n] the array [n,
  /// shape...].
  mlir::Value array_of(mlir::ValueRange& numbers, const Shape& shape, const Shape& front) {
    if (shape.empty())
      return take(numbers);
    return joined(numbers, shape, 0, front);
  }

private:
  static mlir::Value take(mlir::ValueRange& numbers) {
    mlir::Value first = numbers.front();
    numbers = numbers.drop_front();
    return first;
  }

  /// All elements along the dims from `dim` on, as an array in which the dims before have extent 1.
  mlir::Value joined(mlir::ValueRange& numbers, const Shape& shape, size_t dim,
                     const Shape& front) {
    if (dim == shape.size()) {
      mlir::Value number = take(numbers);
      Shape ones = front;
      llvm::SmallVector<int64_t> dims;
      for (size_t d = 0; d < front.size(); ++d)
        dims.push_back(static_cast<int64_t>(d));
      ones.resize(front.size() + shape.size(), Extent(1));
      return ir::BroadcastOp::create(b_, loc_, type_of(number, ones), number, dims);
    }
    Values parts;
    for (int64_t i = 0; i < *shape[dim].constant(); ++i)
      parts.push_back(joined(numbers, shape, dim + 1, front));
    if (parts.size() == 1)
      return parts[0];
    Shape all = ir::shape_of(parts[0]);
    all[front.size() + dim] = shape[dim];
    return ir::ConcatOp::create(b_, loc_, type_of(parts[0], all), parts,
                                static_cast<int64_t>(front.size() + dim));
  }

  mlir::Type type_of(mlir::Value like, const Shape& shape) {
    return ir::tensor_type(b_.getContext(), ir::dtype_of(like), shape);
  }

  mlir::OpBuilder& b_;
  mlir::Location loc_;
};

/// How many numbers values have, all shapes known and none empty; nullopt where not, or too many.
std::optional<int64_t> count_of(mlir::ValueRange values) {
  int64_t all = 0;
  for (mlir::Value value : values) {
    auto count = element_count(ir::shape_of(value)).constant();
    if (!count || *count < 1 || *count > kMostNumbers)
      return std::nullopt;
    all += *count;
  }
  return all <= kMostNumbers ? std::optional(all) : std::nullopt;
}

/// Whether a step asks for elements of what it computes at places that data says, checks something,
/// or has loops of its own.
bool is_straight(mlir::Block& body, size_t first_capture) {
  return llvm::all_of(body.without_terminator(), [&](mlir::Operation& op) {
    auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
    if (!signed_op || !llvm::all_of(op.getRegions(), [](mlir::Region& r) { return r.empty(); }) ||
        ir::facts_of(&op).effect != ir::Effect::none)
      return false;
    space::Signature signature = signed_op.signature();
    return llvm::none_of(op.getOpOperands(), [&](mlir::OpOperand& operand) {
      auto argument = llvm::dyn_cast<mlir::BlockArgument>(operand.get());
      bool is_computed = !argument || argument.getArgNumber() < first_capture;
      return is_computed &&
             (signature.opaque || signature.operands[operand.getOperandNumber()].indirect);
    });
  });
}

/// A body over numbers in place of arrays: `first` arguments in front of `states`.
void rewrite_body(mlir::Block& from, mlir::Region& to, unsigned first, unsigned states,
                  bool is_condition) {
  mlir::Block& block = to.emplaceBlock();
  mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(&block);
  const mlir::Location loc = from.getTerminator()->getLoc();
  Pieces pieces(b, loc);
  mlir::IRMapping mapping;
  for (mlir::BlockArgument argument : from.getArguments()) {
    const unsigned number = argument.getArgNumber();
    if (number < first || number >= first + states) {
      mapping.map(argument, block.addArgument(argument.getType(), argument.getLoc()));
      continue;
    }
    const Shape shape = ir::shape_of(argument);
    Values numbers;
    mlir::Type type = ir::tensor_type(b.getContext(), ir::dtype_of(argument), {});
    for (int64_t i = 0; i < *element_count(shape).constant(); ++i)
      numbers.push_back(block.addArgument(type, argument.getLoc()));
    mlir::ValueRange left(numbers);
    mapping.map(argument, pieces.array_of(left, shape, {}));
  }
  for (mlir::Operation& op : from.without_terminator())
    b.clone(op, mapping);
  Values yields;
  for (mlir::Value value : from.getTerminator()->getOperands()) {
    mlir::Value mapped = mapping.lookupOrDefault(value);
    is_condition ? yields.push_back(mapped) : pieces.add_numbers(mapped, yields);
  }
  ir::YieldOp::create(b, loc, yields);
}

llvm::SmallVector<mlir::Type> number_types(mlir::ValueRange values, const Shape& front = {}) {
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value value : values)
    for (int64_t i = 0; i < *element_count(ir::shape_of(value)).constant(); ++i)
      types.push_back(ir::tensor_type(value.getContext(), ir::dtype_of(value), front));
  return types;
}

mlir::Operation* rewritten(ir::ForOp op, mlir::OpBuilder& b, mlir::ValueRange inits) {
  auto loop = ir::ForOp::create(b, op.getLoc(), number_types(op.getInits()), op.getLower(),
                                op.getUpper(), inits, op.getCaptures());
  rewrite_body(op.getBody().front(), loop.getBody(), 1, op.getInits().size(), false);
  return loop;
}

mlir::Operation* rewritten(ir::WhileOp op, mlir::OpBuilder& b, mlir::ValueRange inits) {
  auto loop =
      ir::WhileOp::create(b, op.getLoc(), number_types(op.getInits()), inits, op.getCaptures());
  unsigned states = op.getInits().size();
  rewrite_body(op.getCondition().front(), loop.getCondition(), 0, states, true);
  rewrite_body(op.getBody().front(), loop.getBody(), 0, states, false);
  return loop;
}

mlir::Operation* rewritten(ir::ScanOp op, mlir::OpBuilder& b, mlir::ValueRange inits) {
  const unsigned states = op.getInits().size();
  llvm::SmallVector<mlir::Type> types = number_types(op.getInits());
  llvm::append_range(
      types, number_types(op.getBody().front().getTerminator()->getOperands().drop_front(states),
                          {op.getLength().shape()[0]}));
  auto loop = ir::ScanOp::create(b, op.getLoc(), types, inits, op.getXs(), op.getCaptures(),
                                 op.getLength(), op.getReverse());
  rewrite_body(op.getBody().front(), loop.getBody(), 0, states, false);
  return loop;
}

mlir::ValueRange stacked_by(ir::ScanOp op) {
  return op.getBody().front().getTerminator()->getOperands().drop_front(op.getInits().size());
}
mlir::ValueRange stacked_by(mlir::Operation*) { return {}; }

bool is_straight(ir::WhileOp op) {
  const size_t states = op.getInits().size();
  return is_straight(op.getCondition().front(), states) &&
         is_straight(op.getBody().front(), states);
}
bool is_straight(ir::ForOp op) {
  return !ir::is_independent(op) && is_straight(op.getBody().front(), 1 + op.getInits().size());
}
bool is_straight(ir::ScanOp op) { return is_straight(op.getBody().front(), op.getInits().size()); }

/// Operations of a step, those of long chains counted as what they cost one by one.
double step_flops(mlir::Block& body) {
  double flops = 0;
  for (mlir::Operation& op : body.without_terminator()) {
    const bool is_chain = ir::flops_per_point(&op) >= kArithmetic.polynomial;
    const bool is_number = ir::rank_of(op.getResult(0)) == 0;
    flops += analysis::flops_of(&op) * (is_chain && !is_number ? kLongChain : 1);
  }
  return flops;
}

/// Whether a step has sums that vectors of a loop op by op (ir/element_loop.h) compute side by
/// side.
bool sums_side_by_side(mlir::Operation* loop, int64_t numbers) {
  return numbers > ir::kFewElements &&
         llvm::any_of(loop->getRegions().back().front().without_terminator(),
                      [](mlir::Operation& op) { return has_loop(&op); }) &&
         ir::why_not_by_elements(loop).empty();
}

template <class Op> mlir::Operation* carry(Op op) {
  auto is_tensor = [](mlir::Value value) {
    return llvm::isa<mlir::RankedTensorType>(value.getType());
  };
  if (!llvm::all_of(op->getOperands(), is_tensor) || !llvm::all_of(op->getResults(), is_tensor) ||
      !ir::late_symbols(op).empty() || op.getInits().empty())
    return nullptr;
  mlir::ValueRange stacked = stacked_by(op);
  auto is_number = [](mlir::Value value) { return ir::rank_of(value) == 0; };
  auto numbers_of_states = count_of(op.getInits());
  if (!numbers_of_states || !count_of(stacked) || !is_straight(op) ||
      sums_side_by_side(op, *numbers_of_states) ||
      (llvm::all_of(op.getInits(), is_number) && llvm::all_of(stacked, is_number)) ||
      step_flops(op->getRegions().back().front()) > kMostFlops || ir::pointwise(op).why_not.empty())
    return nullptr;
  mlir::OpBuilder b(op);
  Pieces pieces(b, op.getLoc());
  Values inits;
  mlir::Operation* before = op->getPrevNode();
  for (mlir::Value init : op.getInits())
    pieces.add_numbers(init, inits);
  mlir::Operation* loop = rewritten(op, b, inits);
  if (!ir::pointwise(loop).why_not.empty()) {
    // Takes back all that was written.
    while (op->getPrevNode() != before)
      op->getPrevNode()->erase();
    return nullptr;
  }
  mlir::ValueRange numbers = loop->getResults();
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    Shape shape = ir::shape_of(result), front;
    if (number >= op.getInits().size()) {
      front = {shape.front()};
      shape.erase(shape.begin());
    }
    result.replaceAllUsesWith(pieces.array_of(numbers, shape, front));
  }
  op->erase();
  return loop;
}

} // namespace

mlir::Operation* carry_numbers(mlir::Operation* loop) {
  if (auto op = llvm::dyn_cast<ir::ForOp>(loop))
    return carry(op);
  if (auto op = llvm::dyn_cast<ir::WhileOp>(loop))
    return carry(op);
  auto scan = llvm::dyn_cast<ir::ScanOp>(loop);
  return scan ? carry(scan) : nullptr;
}

} // namespace kolam::nest
