// Attention: block by block, from what a row keeps; derivatives of that through the plain form.
#include "kolam/language/region.h"
#include "kolam/transform/derive/attention_blocks.h"
#include "kolam/transform/derive/attention_plain.h"
#include "kolam/transform/derive/attention_rules.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/rules.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::transform::derive {
namespace {

/// A composite of attention's operands, its result, lse and `given`. Its rule is the op.
ir::CompositeOp
composite_of(Builder& b, const char* name, const AttentionPoint& point,
             const std::vector<int64_t>& numbers, const Values& given, mlir::TypeRange results,
             llvm::function_ref<Values(const AttentionPoint&, const Values&)> make) {
  Values operands = point.operands;
  operands.push_back(point.result);
  operands.push_back(point.lse);
  const size_t own = point.operands.size();
  llvm::append_range(operands, given);
  auto made = ir::CompositeOp::create(b, results, name, operands, 1);
  made->setAttr("numbers", b.getDenseI64ArrayAttr(numbers));
  made->setAttr("operands", b.getI64IntegerAttr(static_cast<int64_t>(own)));
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(operands).getTypes());
  made.getBody().takeBody(*language::make_region(b, types, [&](const Values& all) {
    const auto first = all.begin(), end = first + static_cast<int64_t>(own);
    return make({point.op, Values(first, end), end[0], end[1]}, Values(end + 2, all.end()));
  }));
  made.getRules()[0].takeBody(*language::make_region(b, types, [&](const Values& all) {
    mlir::IRMapping map;
    map.map(point.op->getOperands(), mlir::ValueRange(all).take_front(own));
    auto op = llvm::cast<ir::AttentionOp>(b.clone(*point.op, map));
    return Values{op.getResult()};
  }));
  return made;
}

size_t operands_of(ir::CompositeOp op) {
  return static_cast<size_t>(op->getAttrOfType<mlir::IntegerAttr>("operands").getInt());
}

/// The rule of a composite with its attention written out.
std::unique_ptr<mlir::Region> plain_rule(Builder& b, ir::CompositeOp op) {
  auto region = language::copy_of(op.getRules()[0]);
  llvm::SmallVector<ir::AttentionOp> found;
  region->walk([&](ir::AttentionOp inner) { found.push_back(inner); });
  for (ir::AttentionOp inner : found) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(inner);
    Value plain = plain_attention(b, inner, Values(inner->operand_begin(), inner->operand_end()));
    inner.getResult().replaceAllUsesWith(plain);
    inner.erase();
  }
  return region;
}

/// The op, which keeps lse too.
ir::AttentionOp keeping(Builder& b, ir::AttentionOp op, const Values& operands, Value v) {
  Shape shape = ir::shape_of(op.getResult());
  shape.back() = ir::shape_of(v).back();
  mlir::Type result = language::tensor_type(b, ir::dtype_of(v), shape);
  shape.pop_back();
  mlir::Type lse = language::tensor_type(b, ir::dtype_of(op.getScale()), shape);
  auto made = ir::AttentionOp::create(b, mlir::TypeRange{result, lse}, operands, op->getAttrs());
  made.getVMutable().assign(v);
  mlir::IRMapping map;
  op.getVisible().cloneInto(&made.getVisible(), map);
  return made;
}

} // namespace

std::vector<int64_t> numbers_of(ir::CompositeOp op) {
  return op->getAttrOfType<mlir::DenseI64ArrayAttr>("numbers").asArrayRef().vec();
}

ir::AttentionOp attention_of(ir::CompositeOp op) {
  return *op.getRules()[0].getOps<ir::AttentionOp>().begin();
}

ir::CompositeOp make_attention_tangent(Builder& b, const AttentionPoint& point,
                                       const std::vector<int64_t>& numbers,
                                       const Values& tangents) {
  ir::CompositeOp made =
      composite_of(b, kAttentionTangent, point, numbers, tangents, {point.result.getType()},
                   [&](const AttentionPoint& inside, const Values& given) {
                     return Values{attention_tangent(b, inside, numbers, given)};
                   });
  made->setAttr("residuals", b.getI64IntegerAttr(static_cast<int64_t>(point.operands.size() + 2)));
  return made;
}

void linearise_whole(ir::AttentionOp op, Linearisation& at) {
  AttentionPoint point{op, at.primals(op->getOperands()), {}, {}};
  std::vector<int64_t> numbers;
  Values tangents;
  for (int64_t number : {kQueries, kKeys, kValues, kScale, kMask})
    if (number != kMask || op.getMask())
      if (Value tangent = at.tangent(op->getOperand(static_cast<unsigned>(number)))) {
        numbers.push_back(number);
        tangents.push_back(tangent);
      }
  if (numbers == std::vector<int64_t>{kValues}) {
    // It is linear in them: what its derivative reads must not depend on them.
    at.copy(op);
    Shape shape = ir::shape_of(op.getK());
    shape.back() = 1;
    Value v = zeros(at.b, language::tensor_type(at.b, ir::dtype_of(op.getK()), shape));
    point.result = zeros_like(at.b, at.primal(op.getResult()));
    point.lse = keeping(at.b, op, point.operands, v).getLse();
    point.operands[kValues] = zeros_like(at.b, at.primal(op.getV()));
  } else {
    ir::AttentionOp made = keeping(at.b, op, point.operands, at.primal(op.getV()));
    at.set(op.getResult(), point.result = made.getResult());
    point.lse = made.getLse();
    if (op.getLse()) // its tangent is never asked for: derivatives of derivatives make it anew
      at.set(op.getLse(), point.lse);
  }
  ir::CompositeOp linear = make_attention_tangent(at.linear, point, numbers, tangents);
  at.set_tangent(op.getResult(), linear.getResult(0));
}

void transpose_attention(ir::CompositeOp op, Transposition& at) {
  const std::vector<int64_t> numbers = numbers_of(op);
  const size_t own = operands_of(op), residuals = own + 2;
  AttentionPoint point{attention_of(op), {}, {}, {}};
  for (Value operand : op.getOperands().take_front(own))
    point.operands.push_back(at.coefficient(operand));
  point.result = at.coefficient(op.getOperands()[own]);
  point.lse = at.coefficient(op.getOperands()[own + 1]);
  mlir::ValueRange tangents = op.getOperands().drop_front(residuals);
  ir::CompositeOp made =
      composite_of(at.b, kAttentionGradient, point, numbers, {at.cotangent(op.getResult(0))},
                   tangents.getTypes(), [&](const AttentionPoint& inside, const Values& given) {
                     return attention_cotangents(at.b, inside, numbers, given[0]);
                   });
  for (size_t number = numbers.size(); number-- > 0;)
    at.add(tangents[number], made.getResult(number));
}

void attention_tangent_rule(ir::CompositeOp op, Linearisation& at) {
  at.copy(op);
  const size_t own = operands_of(op), residuals = own + 2;
  if (!at.any_active(op.getOperands().take_front(own))) { // it is its own derivative
    llvm::SmallVector<unsigned> linear;
    for (size_t number = residuals; number < op.getOperands().size(); ++number)
      linear.push_back(static_cast<unsigned>(number));
    at.set_linear(op, linear);
    return;
  }
  linearise_as(op, at, false, [&](Builder& b, const Values& operands) {
    std::unique_ptr<mlir::Region> plain = plain_rule(b, op);
    Values tangents(operands.size());
    for (auto [place, number] : llvm::enumerate(numbers_of(op)))
      tangents[static_cast<size_t>(number)] = operands[residuals + place];
    Value tangent = push_forward(b, *plain, operands, tangents, at.new_symbol).tangents[0];
    return Values{tangent ? tangent : zeros_like(b, op.getResult(0))};
  });
}

void attention_gradient_rule(ir::CompositeOp op, Linearisation& at) {
  at.copy(op);
  linearise_as(op, at, false, [&](Builder& b, const Values& operands) {
    std::unique_ptr<mlir::Region> plain = plain_rule(b, op);
    Flags active(operands.size(), false);
    for (int64_t number : numbers_of(op))
      active[static_cast<size_t>(number)] = true;
    Linearised made = transform::linearise(b, *plain, operands, active, at.new_symbol);
    Values found =
        transpose_linear(b, made.linear, made.residuals, {operands.back()}, at.new_symbol);
    for (auto [cotangent, result] : llvm::zip(found, op.getResults()))
      if (!cotangent)
        cotangent = zeros_like(b, result);
    return found;
  });
}

} // namespace kolam::transform::derive
