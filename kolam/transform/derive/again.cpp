// Linear composites of what is computed again.
#include "kolam/transform/derive/again.h"

#include "kolam/language/region.h"
#include "kolam/transform/dead_states.h"
#include "kolam/transform/derive/activity.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/policy.h"
#include "kolam/transform/lists/rename.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::transform::derive {

namespace {

/// The composite, which gives values of its body behind its results; what stands for these.
Values copy_with(ir::CompositeOp op, const Values& kept, Linearisation& at) {
  llvm::SmallVector<mlir::Type> types(op->getResultTypes());
  llvm::append_range(types, mlir::ValueRange(kept).getTypes());
  auto copied =
      ir::CompositeOp::create(at.b, types, op.getNameAttr(), at.primals(op->getOperands()), 0U);
  copied->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  mlir::IRMapping map;
  op.getBody().cloneInto(&copied.getBody(), map);
  mlir::Operation* yield = copied.getBody().front().getTerminator();
  Values yielded(yield->operand_begin(), yield->operand_end());
  for (Value value : kept)
    yielded.push_back(map.lookup(value));
  yield->setOperands(yielded);
  for (auto [result, value] : llvm::zip_first(op->getResults(), copied->getResults()))
    at.set(result, value);
  auto made = copied->getResults().drop_front(op->getNumResults());
  return Values(made.begin(), made.end());
}

/// Drops those of the first arguments that nothing reads, and their values in `given`.
void drop_unread(mlir::Block& block, size_t count, Values& given) {
  for (size_t number = count; number-- > 0;)
    if (block.getArgument(static_cast<unsigned>(number)).use_empty()) {
      block.eraseArgument(static_cast<unsigned>(number));
      given.erase(given.begin() + static_cast<int64_t>(number));
    }
}

} // namespace

void linearise_again(ir::CompositeOp op, Linearisation& at) {
  mlir::Region& body = op.getBody();
  if (at.is_joint())
    return linearise_as(op, at, true, [&](Builder& b, const Values& operands) {
      return language::inlined(b, body, operands);
    });
  drop_unused(body.front());
  const Values kept = kept_by_policy(op);
  const size_t operands = op->getNumOperands();
  Builder& b = at.linear;
  Values given = at.primals(op->getOperands());
  llvm::append_range(given, copy_with(op, kept, at));
  const size_t primals = given.size();
  Flags active;
  for (Value operand : op->getOperands()) {
    active.push_back(at.is_active(operand));
    if (active.back())
      given.push_back(at.tangent(operand));
  }
  Flags results = Activity().of_results(body, active);
  llvm::SmallVector<mlir::Type> types;
  std::vector<size_t> numbers;
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    if (results[number] && is_differentiable(result.getType())) {
      types.push_back(result.getType());
      numbers.push_back(number);
    }
  std::unique_ptr<mlir::Region> own_body = lists::renamed(body, at.new_symbol);
  mlir::IRMapping own_values;
  for (auto [theirs, own] : llvm::zip(body.front(), own_body->front()))
    for (auto [value, copied] : llvm::zip(theirs.getResults(), own.getResults()))
      own_values.map(value, copied);
  auto again =
      language::make_region(b, mlir::ValueRange(given).getTypes(), [&](const Values& arguments) {
        mlir::ValueRange all(arguments);
        std::vector<std::pair<Value, Value>> known;
        for (auto [value, stands] : llvm::zip_first(kept, all.drop_front(operands)))
          known.emplace_back(own_values.lookup(value), stands);
        Linearised made = transform::linearise(b, *own_body, all.take_front(operands), active,
                                               at.new_symbol, known);
        Values tangents =
            apply_linear(b, made.linear, made.residuals, all.drop_front(primals), at.new_symbol);
        Values yielded;
        for (size_t number : numbers) {
          Value tangent = result_of(made.linear, tangents, number);
          yielded.push_back(tangent ? tangent : zeros_like(b, made.results[number]));
        }
        return yielded;
      });
  drop_dead_states(again->front()); // results that the derivative does not read
  const size_t all = given.size();
  drop_unread(again->front(), primals, given);
  auto linear = ir::CompositeOp::create(b, types, "again", given, 0);
  linear->setAttr("residuals",
                  b.getI64IntegerAttr(static_cast<int64_t>(primals - (all - given.size()))));
  linear.getBody().takeBody(*again);
  for (auto [number, tangent] : llvm::zip(numbers, linear.getResults()))
    at.set_tangent(op->getResult(number), tangent);
}

/// What the ops that are computed again read: the value under another name, so that equal ops,
/// which ran before, are not taken in their place. See Note [Again].
static Value under_name(Builder& b, Value value, mlir::StringAttr name) {
  if (!llvm::isa<mlir::RankedTensorType>(value.getType()) || value.getDefiningOp<ir::ConstantOp>())
    return value;
  auto same = ir::ReshapeOp::create(b, value.getType(), value);
  same->setAttr("again", name);
  return same;
}

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
