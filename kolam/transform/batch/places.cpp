// Ops whose windows lie where data says: the instances are one more batched dim.
#include "kolam/ir/op_name.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/cumulative.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/scatter.h"
#include "kolam/language/transpose.h"
#include "kolam/transform/batch/rules.h"

#include <limits>

namespace kolam::transform::batch {
namespace {

/// Where a box lies in a tensor: its starts [count, column], one for each dim that it does not
/// fill. Along the others it can only start at 0.
struct Box {
  std::vector<int64_t> dims;
  std::vector<Extent> lengths;
  Value starts; ///< null where it fills the tensor
};

/// A start as i64: what is larger clips to the same place.
Value wide(Builder& b, Value start) {
  if (ir::dtype_of(start) == DType::u64) {
    Value most = language::weak_constant(b, std::numeric_limits<int64_t>::max(), DType::u64);
    start = language::elementwise(b, Fn::minimum, {start, most});
  }
  return language::cast(b, start, DType::i64);
}

/// That a start along a dim which the box fills is 0: nothing reads it but checks of bounds.
void note_start(mlir::Operation* op, Value start, Instances& all) {
  std::string words = language::note_of(op);
  if (words.empty())
    words = ir::user_name(op) + ": expected a start from 0 to 0, but got one outside";
  Value zero = language::weak_constant(all.b, int64_t{0}, ir::dtype_of(start));
  zero = language::broadcast_to(all.b, zero, ir::shape_of(start));
  language::LocationNote must_hold(all.b, std::string(language::kMustHold) + words);
  language::elementwise(all.b, Fn::equal, {start, zero});
}

Box box_of(mlir::Operation* op, Value operand, Value box, Operands starts, Instances& all) {
  Box result;
  Values columns;
  Shape extents = ir::shape_of(operand), lengths = ir::shape_of(box);
  for (size_t dim = 0; dim < extents.size(); ++dim) {
    if (extents[dim] == lengths[dim]) {
      note_start(op, starts[dim].value, all);
      continue;
    }
    result.dims.push_back(static_cast<int64_t>(dim));
    result.lengths.push_back(lengths[dim]);
    columns.push_back(wide(all.b, as_each(all, starts[dim])));
  }
  if (!columns.empty())
    result.starts = language::stack(all.b, columns, -1);
  return result;
}

bool has_each(Operands operands) {
  return llvm::any_of(operands, [](const Batched& operand) { return operand.is_each; });
}

/// Starts that are the same for all, with one for the leading dim.
Values starts_behind(Operands starts, Instances& all) {
  Values values{language::weak_constant(all.b, int64_t{0}, DType::i64)};
  for (const Batched& start : starts)
    values.push_back(start.value);
  return values;
}

} // namespace

Results batch_rule(ir::DynamicSliceOp op, Operands operands, Instances& all) {
  Operands starts = operands.drop_front();
  if (!has_each(starts))
    return each(ir::DynamicSliceOp::create(all.b, each_type(all, op.getType()), operands[0].value,
                                           starts_behind(starts, all))
                    ->getResults());
  Box box = box_of(op, op.getOperand(), op.getResult(), starts, all);
  if (!box.starts)
    return {operands[0]};
  std::vector<int64_t> lengths;
  for (const Extent& length : box.lengths) {
    if (!length.is_constant()) // which the windows of a gather must be
      return one_by_one(op, operands, all);
    lengths.push_back(*length.constant());
  }
  int64_t batched = operands[0].is_each ? 1 : 0;
  return each(ir::GatherOp::create(all.b, each_type(all, op.getType()), operands[0].value,
                                   box.starts, box.dims, lengths, batched, "clip")
                  ->getResults());
}

Results batch_rule(ir::DynamicUpdateSliceOp op, Operands operands, Instances& all) {
  Operands starts = operands.drop_front(2);
  Box box;
  if (has_each(starts)) {
    box = box_of(op, op.getOperand(), op.getUpdate(), starts, all);
    if (!box.starts)
      return {operands[1]};
  }
  auto type = each_type(all, op.getType());
  Value operand = as_each(all, operands[0]), update = as_each(all, operands[1]);
  if (!box.starts)
    return each(
        ir::DynamicUpdateSliceOp::create(all.b, type, operand, update, starts_behind(starts, all))
            ->getResults());
  return each(ir::ScatterOp::create(all.b, mlir::TypeRange(type), operand, update, box.starts,
                                    mlir::ValueRange(), box.dims, 1, "kUpdate", false, "clip")
                  ->getResults());
}

Results batch_rule(ir::GatherOp op, Operands operands, Instances& all) {
  auto batched = static_cast<int64_t>(op.getBatchedDims());
  if (operands[0].is_each) {
    ir::GatherOp copied = copy(all, op, as_each(all, operands));
    copied.setBatchedDims(batched + 1);
    return each(copied->getResults());
  }
  // The instances stand behind the batched dims, among those that number windows.
  Value indices = language::moveaxis(all.b, operands[1].value, {0}, {batched});
  ir::GatherOp copied = copy(all, op, {operands[0].value, indices});
  Shape shape = ir::shape_of(op.getResult());
  shape.insert(shape.begin() + batched, all.count);
  copied.getResult().setType(language::tensor_type(all.b, ir::dtype_of(op.getResult()), shape));
  return each({language::moveaxis(all.b, copied.getResult(), {batched}, {0})});
}

Results batch_rule(ir::ScatterOp op, Operands operands, Instances& all) {
  Operands captures = operands.take_back(op.getCaptures().size());
  if (has_each(captures)) // which the combiner would have to tell apart
    return one_by_one(op, operands, all);
  Values values = as_each(all, operands.drop_back(captures.size()));
  for (const Batched& capture : captures)
    values.push_back(capture.value);
  ir::ScatterOp copied = copy(all, op, values);
  copied.setBatchedDims(op.getBatchedDims() + 1);
  return each(copied->getResults());
}

/// What is kept is numbered by a running sum, and scattered to its number.
Results batch_rule(ir::CompressOp op, Operands operands, Instances& all) {
  Builder& b = all.b;
  Value mask = as_each(all, operands[0]), x = as_each(all, operands[1]);
  Value number = language::cumulative(b, language::cast(b, mask, DType::i64), Fn::add, 1, false);
  Value one = language::integer_constant(b, 1, DType::i64),
        none = language::integer_constant(b, -1, DType::i64);
  Value slot = language::elementwise(
      b, Fn::where, {mask, language::elementwise(b, Fn::subtract, {number, one}), none});
  Value zero = language::cast(b, language::integer_constant(b, 0, DType::i32), ir::dtype_of(x));
  language::ScatterSpec spec{.dims = {0}, .unique_indices = true, .batched_dims = 1};
  language::LocationNote note(b, std::string(language::kLeavesOut));
  Shape shape{all.count, ir::shape_of(op.getResult())[0]};
  return each(language::scatter(b, {language::broadcast_to(b, zero, shape)},
                                {language::expand_dims(b, x, language::Axes{2})},
                                language::expand_dims(b, slot, language::Axes{2}), spec));
}

} // namespace kolam::transform::batch
