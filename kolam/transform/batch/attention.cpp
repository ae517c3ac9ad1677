// Attention: the instances are the first of its leading dims.
#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/transform/batch/rules.h"
#include "kolam/transform/derive/attention_rules.h"

namespace kolam::transform::batch {
namespace {

/// Extent 1 serves all instances.
Value leading(const Batched& operand, Instances& all) {
  return operand.is_each ? operand.value : language::expand_dims(all.b, operand.value, {0});
}

Value zero(Builder& b) { return language::weak_constant(b, int64_t{0}, DType::i64); }

/// What the batched op's first two places say of the op's own, and of the instance: all i64.
struct Places {
  Value batch, head, instance;
};

Places places_of(Builder& b, ir::AttentionOp op, Value batch, Value head) {
  int64_t leading_dims = ir::rank_of(op.getResult()) - 2;
  if (leading_dims == 0)
    return {zero(b), zero(b), head};
  if (leading_dims == 1)
    return {zero(b), head, batch};
  Shape shape = ir::shape_of(op.getResult());
  Extent batches = element_count(Shape(shape.begin(), shape.end() - 3));
  Value count = language::extent_value(b, batches);
  return {language::elementwise(b, Fn::remainder, {batch, count}), head,
          language::elementwise(b, Fn::floor_divide, {batch, count})};
}

/// `visible` over the places of the batched op, which i64 holds whatever dtype it asks for.
void copy_visible(ir::AttentionOp op, Operands captures, mlir::Region& to, Instances& all) {
  Builder& b = all.b;
  mlir::Block& own = op.getVisible().front();
  DType dtype = ir::dtype_of(own.getArgument(0));
  llvm::SmallVector<mlir::Type> types(4, language::tensor_type(b, DType::i64, {}));
  for (const Batched& capture : captures)
    types.push_back(capture.value.getType());
  auto region = language::make_region(b, types, [&](const Values& arguments) {
    Places places = places_of(b, op, arguments[0], arguments[1]);
    mlir::IRMapping map;
    for (auto [number, place] :
         llvm::enumerate(Values{places.batch, places.head, arguments[2], arguments[3]}))
      map.map(own.getArgument(number), language::cast(b, place, dtype));
    for (auto [number, capture] : llvm::enumerate(captures)) {
      Value value = arguments[4 + number];
      map.map(own.getArgument(4 + number),
              capture.is_each ? slice_of(b, value, places.instance) : value);
    }
    for (mlir::Operation& inner : own.without_terminator())
      b.clone(inner, map);
    return Values{map.lookup(own.getTerminator()->getOperand(0))};
  });
  to.takeBody(*region);
}

} // namespace

Results batch_rule(ir::AttentionOp op, Operands operands, Instances& all) {
  if (operands[derive::kScale].is_each) // the op has one
    return one_by_one(op, operands, all);
  Operands captures = operands.take_back(op.getCaptures().size());
  Values values;
  for (auto [number, operand] : llvm::enumerate(operands.drop_back(captures.size())))
    values.push_back(number == derive::kScale ? operand.value : leading(operand, all));
  for (const Batched& capture : captures)
    values.push_back(capture.value);
  ir::AttentionOp copied = copy(all, op, values);
  if (!op.getVisible().empty())
    copy_visible(op, captures, copied.getVisible(), all);
  return each(copied->getResults());
}

std::optional<Results> batch_attention_tangent(ir::CompositeOp op, Operands operands,
                                               Instances& all) {
  ir::AttentionOp inner = derive::attention_of(op);
  const size_t own = inner->getNumOperands();
  const std::vector<int64_t> numbers = derive::numbers_of(op);
  Results given(operands.begin(), operands.end());
  Values tangents;
  for (auto [place, number] : llvm::enumerate(numbers)) {
    Batched &operand = given[static_cast<size_t>(number)], &tangent = given[own + 2 + place];
    if (number == derive::kScale) { // the op has one
      if (tangent.is_each)
        return std::nullopt;
      tangents.push_back(tangent.value);
      continue;
    }
    if (operand.is_each != tangent.is_each) // the blocks of both lie alike
      for (Batched* shared : {&operand, &tangent})
        *shared = {as_each(all, *shared), true};
    tangents.push_back(leading(tangent, all));
  }
  if (given[derive::kScale].is_each)
    return std::nullopt;
  Results results = batch_rule(inner, Operands(given).take_front(own), all);
  auto made = results[0].value.getDefiningOp<ir::AttentionOp>();
  derive::AttentionPoint point{made, Values(made->operand_begin(), made->operand_end()),
                               as_each(all, given[own]), as_each(all, given[own + 1])};
  ir::CompositeOp tangent = derive::make_attention_tangent(all.b, point, numbers, tangents);
  made.erase(); // its rule has a copy
  return each(tangent->getResults());
}

} // namespace kolam::transform::batch
