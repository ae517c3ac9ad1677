// Ops that move the elements of lists: the same op on the numbers of leaves says where each came
// from, so cotangents are added there, in the order of the result's leaves.
#include "kolam/language/lists.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/language/scatter.h"
#include "kolam/transform/derive/placing.h"
#include "kolam/transform/derive/rules.h"

namespace kolam::transform::derive {
namespace {

/// A type of values of the same structure, whose leaves are i64 scalars.
mlir::Type of_numbers(Builder& b, mlir::Type type) {
  if (auto list = llvm::dyn_cast<ir::ListType>(type))
    return ir::ListType::get(b.getContext(), of_numbers(b, list.getElement()));
  return language::tensor_type(b, DType::i64, {});
}

/// A list like `list`, of 1, 2, ... for its leaves, or of 0 alone.
Value leaf_numbers(Builder& b, Value list, bool counts, const NewSymbol& new_symbol) {
  Values parts = unpacked(b, list, new_symbol);
  const Extent count = ir::shape_of(parts[0])[0];
  Value numbers = zeros(b, language::tensor_type(b, DType::i64, {count}));
  if (counts) {
    Value one = language::integer_constant(b, 1, DType::i64);
    numbers = language::elementwise(b, Fn::add, {language::iota(b, {count}, 0, DType::i64), one});
  }
  return language::pack(b, numbers, Values(parts.begin() + 1, parts.end()));
}

/// The numbers, from 1, of the leaves of operand `number` that the result's leaves are; 0: of no
/// one.
Value sources_of(mlir::Operation* op, unsigned number, Linearisation& at) {
  Builder& b = at.b;
  mlir::Operation* copied = op->clone();
  for (auto [place, operand] : llvm::enumerate(op->getOperands())) {
    const auto own = static_cast<unsigned>(place);
    Value primal = at.primal(operand);
    if (is_differentiable(operand.getType()))
      primal = llvm::isa<ir::ListType>(operand.getType())
                   ? leaf_numbers(b, primal, own == number, at.new_symbol)
                   : language::integer_constant(b, 0, DType::i64); // what lies outside
    copied->setOperand(own, primal);
  }
  for (Value result : copied->getResults())
    result.setType(of_numbers(b, result.getType()));
  b.insert(copied);
  return copied->getResult(0);
}

/// The op on the tangents of its lists, as a composite that knows where leaves came from:
/// (operands..., sources..., tangents...).
void move_leaves(mlir::Operation* op, Linearisation& at) {
  std::vector<int64_t> active;
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    if (at.is_active(operand)) {
      if (!llvm::isa<ir::ListType>(operand.getType()))
        refuse(op, "expected what lies outside a list not to be differentiated");
      active.push_back(static_cast<int64_t>(number));
    }
  Values operands = at.primals(op->getOperands());
  for (int64_t number : active)
    operands.push_back(sources_of(op, static_cast<unsigned>(number), at));
  const size_t residuals = operands.size();
  for (int64_t number : active)
    operands.push_back(at.tangent(op->getOperand(static_cast<unsigned>(number))));
  Builder& b = at.linear;
  auto made = ir::CompositeOp::create(b, op->getResultTypes(), "leaves", operands, 0);
  made->setAttr("residuals", b.getI64IntegerAttr(static_cast<int64_t>(residuals)));
  made->setAttr("active", b.getDenseI64ArrayAttr(active));
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(operands).getTypes());
  made.getBody().takeBody(*language::make_region(b, types, [&](const Values& arguments) {
    mlir::Operation* copied = op->clone();
    for (unsigned number = 0; number < op->getNumOperands(); ++number) {
      auto own = llvm::find(active, static_cast<int64_t>(number));
      Value given =
          own == active.end() ? arguments[number] : arguments[residuals + (own - active.begin())];
      if (own == active.end() && is_differentiable(given.getType()))
        given = zeros_like(b, given);
      copied->setOperand(number, given);
    }
    return Values{b.insert(copied)->getResult(0)};
  }));
  at.set_tangent(op->getResult(0), made.getResult(0));
}

} // namespace

Values unpacked(Builder& b, Value list, const NewSymbol& new_symbol) {
  if (auto pack = list.getDefiningOp<ir::PackOp>(); pack && pack->getBlock() == b.getBlock())
    return Values(pack->operand_begin(), pack->operand_end());
  std::vector<std::string> symbols;
  for (int64_t level = 0; level < llvm::cast<ir::ListType>(list.getType()).depth(); ++level)
    symbols.push_back(new_symbol());
  return language::unpack(b, list, symbols);
}

Values captured_parts(Builder& b, Value value, const NewSymbol& new_symbol) {
  return llvm::isa<ir::ListType>(value.getType()) ? unpacked(b, value, new_symbol) : Values{value};
}

Value from_parts(Builder& b, mlir::Type type, mlir::ValueRange parts) {
  if (!llvm::isa<ir::ListType>(type))
    return parts[0];
  return ir::PackOp::create(b, type, parts[0], parts.drop_front()); // not the list outside
}

void linearise_rule(ir::AccessOp op, Linearisation& at) { move_leaves(op, at); }
void linearise_rule(ir::FlattenOp op, Linearisation& at) { move_leaves(op, at); }
void linearise_rule(ir::JoinOp op, Linearisation& at) { move_leaves(op, at); }
void linearise_rule(ir::ListFilterOp op, Linearisation& at) { move_leaves(op, at); }
void linearise_rule(ir::ListIndexOp op, Linearisation& at) { move_leaves(op, at); }

void transpose_leaves(ir::CompositeOp op, Transposition& at) {
  Builder& b = at.b;
  Value v = at.cotangent(op.getResult(0));
  Value leaves;
  if (llvm::isa<ir::ListType>(v.getType())) {
    leaves = unpacked(b, v, at.new_symbol)[0];
  } else {
    Shape shape = ir::shape_of(v);
    shape.insert(shape.begin(), 1);
    leaves = language::reshape(b, v, shape);
  }
  auto active = op->getAttrOfType<mlir::DenseI64ArrayAttr>("active").asArrayRef();
  const auto residuals =
      static_cast<size_t>(op->getAttrOfType<mlir::IntegerAttr>("residuals").getInt());
  const size_t sources = residuals - active.size();
  for (size_t place = active.size(); place-- > 0;) {
    Value list = at.coefficient(op.getOperands()[static_cast<size_t>(active[place])]);
    Value numbers = at.coefficient(op.getOperands()[sources + place]);
    numbers = llvm::isa<ir::ListType>(numbers.getType()) ? unpacked(b, numbers, at.new_symbol)[0]
                                                         : language::reshape(b, numbers, {1});
    Values parts = unpacked(b, list, at.new_symbol);
    Shape shape = ir::shape_of(leaves);
    shape[0] = ir::shape_of(numbers)[0];
    Value given = language::with_shape(b, leaves, shape);
    // One row of the list's leaves each; 0 is none.
    shape.insert(shape.begin() + 1, 1);
    Value one = language::integer_constant(b, 1, DType::i64);
    Value rows = language::elementwise(b, Fn::subtract, {numbers, one});
    language::ScatterSpec spec{.dims = {0}, .combiner = "kAdd", .mode = "drop", .drops_each = true};
    Value sum = sum_at(b, reshaped(b, given, shape), parts[0].getType(),
                       language::expand_dims(b, rows, {1}), spec);
    at.add(op.getOperands()[residuals + place],
           language::pack(b, sum, Values(parts.begin() + 1, parts.end())));
  }
}

void linearise_rule(ir::PackOp op, Linearisation& at) {
  if (at.is_active(op.getLeaves()))
    at.set_linear(op, {0});
}

void transpose_rule(ir::PackOp op, Transposition& at) {
  Value leaves = unpacked(at.b, at.cotangent(op.getResult()), at.new_symbol)[0];
  at.add(op.getLeaves(), language::with_shape(at.b, leaves, ir::shape_of(op.getLeaves())));
}

/// The leaves of the tangents, as a composite that knows the offsets: (offsets..., tangents).
void linearise_rule(ir::UnpackOp op, Linearisation& at) {
  Builder& b = at.linear;
  Values operands = at.primals(op.getOffsets());
  const size_t residuals = operands.size();
  operands.push_back(at.tangent(op.getList()));
  Value primal = at.primal(op.getLeaves());
  auto made =
      ir::CompositeOp::create(b, mlir::TypeRange{primal.getType()}, "unpacked", operands, 0);
  made->setAttr("residuals", b.getI64IntegerAttr(static_cast<int64_t>(residuals)));
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(operands).getTypes());
  made.getBody().takeBody(*language::make_region(b, types, [&](const Values& arguments) {
    Value leaves = unpacked(b, arguments.back(), at.new_symbol)[0];
    return Values{language::with_shape(b, leaves, ir::shape_of(primal))};
  }));
  at.set_tangent(op.getLeaves(), made.getResult(0));
}

void transpose_unpacked(ir::CompositeOp op, Transposition& at) {
  mlir::OperandRange operands = op.getOperands();
  at.add(operands.back(), language::pack(at.b, at.cotangent(op.getResult(0)),
                                         at.coefficients(operands.drop_back())));
}

} // namespace kolam::transform::derive
