// Repeats, masks and copies for the instances of a batch.
#include "kolam/transform/batch/instances.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/control.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/language/zip_map_reduce.h"

#include <numeric>

namespace kolam::transform::batch {

void refuse(std::string why) { throw Refusal{std::move(why)}; }

Shape each_shape(const Instances& all, Shape shape) {
  shape.insert(shape.begin(), all.count);
  return shape;
}

mlir::RankedTensorType each_type(const Instances& all, mlir::Type type) {
  return language::tensor_type(all.b, ir::dtype_of(type), each_shape(all, ir::shape_of(type)));
}

Value as_each(Instances& all, const Batched& operand) {
  if (operand.is_each)
    return operand.value;
  std::vector<int64_t> dims(ir::rank_of(operand.value));
  std::iota(dims.begin(), dims.end(), 1);
  return ir::BroadcastOp::create(all.b, each_type(all, operand.value.getType()), operand.value,
                                 dims);
}

Values as_each(Instances& all, Operands operands) {
  Values values;
  for (const Batched& operand : operands)
    values.push_back(as_each(all, operand));
  return values;
}

Results each(mlir::ValueRange values) {
  Results results;
  for (Value value : values)
    results.push_back({value, true});
  return results;
}

Value spread(Instances& all, Value mask, Value like) {
  if (ir::rank_of(like) == 1)
    return mask;
  auto type = language::tensor_type(all.b, DType::boolean, ir::shape_of(like));
  return ir::BroadcastOp::create(all.b, type, mask, llvm::ArrayRef<int64_t>{0});
}

Value select(Instances& all, Value mask, Value x, Value y) {
  return language::elementwise(all.b, Fn::where, {spread(all, mask, x), x, y});
}

Results zero_unless_active(Instances& all, Operands operands) {
  Results results(operands.begin(), operands.end());
  for (Batched& operand : results)
    if (all.active && operand.is_each && is_float(ir::dtype_of(operand.value))) {
      Value zero = language::weak_constant(all.b, 0.0, ir::dtype_of(operand.value));
      operand.value = select(all, all.active, operand.value, zero);
    }
  return results;
}

Value both(Instances& all, Value x, Value y) {
  return x && y ? language::elementwise(all.b, Fn::logical_and, {x, y}) : x ? x : y;
}

Value any(Instances& all, Value mask) {
  return language::reduce(all.b, {mask}, language::named_monoid(Fn::logical_or), {0})[0];
}

Value slice_of(Builder& b, Value value, Value instance) {
  Shape shape = ir::shape_of(value);
  if (shape[0] == Extent(0)) // whoever asks never runs
    return language::broadcast_to(b, language::weak_constant(b, int64_t{0}, ir::dtype_of(value)),
                                  Shape(shape.begin() + 1, shape.end()));
  shape[0] = Extent(1);
  Values starts(shape.size(), language::weak_constant(b, int64_t{0}, DType::i64));
  starts[0] = instance;
  Value slice = ir::DynamicSliceOp::create(b, language::tensor_type(b, ir::dtype_of(value), shape),
                                           value, starts);
  return language::squeeze(b, slice, language::Axes{0});
}

std::vector<int64_t> behind(llvm::ArrayRef<int64_t> dims) {
  std::vector<int64_t> shifted(dims);
  for (int64_t& dim : shifted)
    ++dim;
  return shifted;
}

std::vector<int64_t> with_leading(int64_t number, llvm::ArrayRef<int64_t> numbers) {
  std::vector<int64_t> result{number};
  result.insert(result.end(), numbers.begin(), numbers.end());
  return result;
}

Results one_by_one(mlir::Operation* op, Operands operands, Instances& all) {
  Values xs;
  llvm::SmallVector<mlir::Type> slices;
  for (const Batched& operand : operands)
    if (operand.is_each) {
      xs.push_back(operand.value);
      slices.push_back(language::slice_type(all.b, operand.value));
    }
  language::Body body = language::make_body(all.b, slices, [&](const Values& own) {
    Values values;
    auto slice = own.begin();
    for (const Batched& operand : operands)
      values.push_back(operand.is_each ? *slice++ : operand.value);
    mlir::Operation* copied = all.b.insert(op->clone());
    copied->setOperands(values);
    return Values(copied->result_begin(), copied->result_end());
  });
  return each(
      language::scan(all.b, {}, xs, all.count, language::Direction::forward, std::move(body)));
}

} // namespace kolam::transform::batch
