// Linear composites of what is computed again.
#include "kolam/transform/derive/again.h"

#include "kolam/language/region.h"
#include "kolam/transform/derive/activity.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/copies.h"
#include "kolam/transform/derive/policy.h"
#include "kolam/transform/derive/through_bodies.h"
#include "kolam/transform/lists/rename.h"
#include "kolam/transform/unread.h"

#include "mlir/IR/IRMapping.h"

#include <set>

namespace kolam::transform::derive {

namespace {

/// The primal ops of a checkpoint's body, then its linear ones; yields the results, then the
/// tangents of `numbers`.
struct Whole {
  std::unique_ptr<mlir::Region> region;
  std::vector<size_t> numbers;
  mlir::Operation* first_linear = nullptr;
  mlir::Block& block() const { return region->front(); }
  mlir::Operation* yield() const { return region->front().getTerminator(); }
};

Whole linearised_whole(ir::CompositeOp op, Builder& b, const Flags& active,
                       const NewSymbol& new_symbol) {
  const size_t operands = op->getNumOperands();
  llvm::SmallVector<mlir::Type> types(op->getOperandTypes());
  for (auto [operand, is_active] : llvm::zip(op->getOperands(), active))
    if (is_active)
      types.push_back(operand.getType());
  Whole whole;
  whole.region = language::make_region(b, types, [&](const Values& arguments) {
    mlir::ValueRange all(arguments);
    Linearised made =
        transform::linearise(b, op.getBody(), all.take_front(operands), active, new_symbol);
    mlir::Block& block = *b.getInsertionBlock();
    mlir::Operation* last = block.empty() ? nullptr : &block.back();
    Values yielded = made.results;
    whole.numbers = made.linear.results;
    llvm::append_range(yielded, apply_linear(b, made.linear, made.residuals,
                                             all.drop_front(operands), new_symbol));
    if (block.empty())
      return yielded;
    whole.first_linear = last ? last->getNextNode() : &block.front();
    return yielded;
  });
  if (!whole.first_linear)
    whole.first_linear = whole.yield();
  return whole;
}

/// The composite with its primal ops, those among them that only the linear ones read, and `kept`
/// of them as results behind its own.
ir::CompositeOp primal_of(ir::CompositeOp op, const Whole& whole, const Values& kept,
                          Linearisation& at) {
  llvm::SmallVector<mlir::Type> types(op->getResultTypes());
  llvm::append_range(types, mlir::ValueRange(kept).getTypes());
  auto made =
      ir::CompositeOp::create(at.b, types, op.getNameAttr(), at.primals(op->getOperands()), 0U);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  mlir::IRMapping map;
  whole.region->cloneInto(&made.getBody(), map);
  mlir::Block& block = made.getBody().front();
  mlir::Operation* yield = block.getTerminator();
  Values yielded(yield->operand_begin(), yield->operand_begin() + op->getNumResults());
  for (Value value : kept)
    yielded.push_back(map.lookup(value));
  yield->setOperands(yielded);
  if (whole.first_linear != whole.yield()) {
    mlir::Operation* first = map.lookup(whole.first_linear);
    while (yield->getPrevNode() && first != yield) {
      mlir::Operation* last = yield->getPrevNode();
      const bool is_first = last == first;
      last->erase();
      if (is_first)
        break;
    }
  }
  block.eraseArguments(op->getNumOperands(), block.getNumArguments() - op->getNumOperands());
  return made;
}

/// Drops those of the first arguments that nothing reads, and their values in `given`.
void drop_unread_arguments(mlir::Block& block, size_t count, Values& given) {
  for (size_t number = count; number-- > 0;)
    if (block.getArgument(static_cast<unsigned>(number)).use_empty()) {
      block.eraseArgument(static_cast<unsigned>(number));
      given.erase(given.begin() + static_cast<int64_t>(number));
    }
}

/// The extents of what is kept are known: the copies do not bind their symbols again.
void drop_binds_of(const Values& kept, mlir::Block& copies) {
  std::set<std::string> known;
  for (Value value : kept)
    for (const Extent& extent : ir::shape_of(value))
      known.merge(extent.symbols());
  for (auto bind : llvm::make_early_inc_range(copies.getOps<ir::BindExtentOp>()))
    if (known.contains(bind.getSymbol().str()))
      bind.erase();
  drop_unused(copies);
}

} // namespace

void linearise_again(ir::CompositeOp op, Linearisation& at) {
  mlir::Region& body = op.getBody();
  if (at.is_joint())
    return linearise_as(op, at, true, [&](Builder& b, const Values& operands) {
      return language::inlined(b, body, operands);
    });
  hand_policies_on(op);
  const auto operands = static_cast<unsigned>(op->getNumOperands());
  Flags active;
  for (Value operand : op->getOperands())
    active.push_back(at.is_active(operand));
  Builder& b = at.linear;
  Whole whole = linearised_whole(op, b, active, at.new_symbol);
  mlir::Block& block = whole.block();
  Values kept;
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&block);
    kept = kept_by_policy(b, op, block, whole.first_linear);
  }
  for (mlir::Operation& primal : block) {
    if (&primal == whole.first_linear)
      break;
    name_originals(&primal, at.new_symbol);
  }
  mlir::IRMapping map;
  auto again = std::make_unique<mlir::Region>();
  whole.region->cloneInto(again.get(), map);
  mlir::Block& copies = again->front();
  for (mlir::Operation& copy : copies)
    make_copies(&copy);
  mlir::Operation* yield = copies.getTerminator();
  yield->eraseOperands(0, op->getNumResults());
  for (auto [number, value] : llvm::enumerate(kept)) {
    Value copy = map.lookup(value);
    Value stands = copies.insertArgument(operands + static_cast<unsigned>(number), copy.getType(),
                                         copy.getLoc());
    replace_within(b, copy, stands);
  }
  drop_unread(copies); // results that the derivative does not read
  Values read;         // of what is kept
  for (Value value : kept) {
    const unsigned place = operands + static_cast<unsigned>(read.size());
    if (copies.getArgument(place).use_empty())
      copies.eraseArgument(place);
    else
      read.push_back(value);
  }
  drop_binds_of(read, copies);
  ir::CompositeOp primal = primal_of(op, whole, read, at);
  for (auto [result, value] : llvm::zip_first(op->getResults(), primal->getResults()))
    at.set(result, value);
  lists::rename_bound(*again, at.new_symbol);
  Values given = at.primals(op->getOperands());
  llvm::append_range(given, primal->getResults().drop_front(op->getNumResults()));
  drop_unread_arguments(copies, given.size(), given);
  const auto primals = static_cast<int64_t>(given.size());
  for (auto [operand, is_active] : llvm::zip(op->getOperands(), active))
    if (is_active)
      given.push_back(at.tangent(operand));
  auto linear = ir::CompositeOp::create(b, yield->getOperandTypes(), "again", given, 0);
  linear->setAttr("residuals", b.getI64IntegerAttr(primals));
  linear.getBody().takeBody(*again);
  for (auto [number, tangent] : llvm::zip(whole.numbers, linear.getResults()))
    at.set_tangent(op->getResult(static_cast<unsigned>(number)), tangent);
}

/// What the ops that are computed again read: the value under another name, so that equal ops,
/// which ran before, are not taken in their place. See Note [Again].
static constexpr llvm::StringLiteral kUnderName = "again";
static Value under_name(Builder& b, Value value, mlir::StringAttr name) {
  if (!llvm::isa<mlir::RankedTensorType>(value.getType()) || value.getDefiningOp<ir::ConstantOp>())
    return value;
  auto same = ir::ReshapeOp::create(b, value.getType(), value);
  same->setAttr(kUnderName, name);
  return same;
}

bool is_under_name(ir::ReshapeOp op) { return op->hasAttr(kUnderName); }

void transpose_again(ir::CompositeOp op, Transposition& at) {
  auto region = language::copy_of(op.getBody());
  mlir::Block& block = region->front();
  mlir::StringAttr name = at.b.getStringAttr(at.new_symbol());
  for (auto [argument, operand] : llvm::zip(block.getArguments(), op.getOperands()))
    if (at.is_linear(operand))
      argument.replaceAllUsesWith(operand);
    else
      at.set_coefficient(argument, under_name(at.b, at.coefficient(operand), name));
  prepare(block, at);
  mlir::ValueRange yielded = block.getTerminator()->getOperands();
  for (size_t number = yielded.size(); number-- > 0;)
    at.add(yielded[number], at.sum(op.getResult(number)));
  transpose_block(block, at);
  at.keep(std::move(region));
}

// Note [Again]
// Equal ops of equal operands are one op (rewrite/simplify.h), so that what is computed again would
// be kept after all. It reads reshapes to the same shape, each composite its own: they go when
// equal ops have been found.

} // namespace kolam::transform::derive
