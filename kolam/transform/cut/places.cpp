// Cutting ops whose elements depend on where they are, or lie at places that data gives.
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/transform/cut/rules.h"

namespace kolam::transform::cut {
namespace {

bool is_cut(const OpPart& part, Value result, int dim) {
  return !(Extent(part.writes[0].extent(dim)) == ir::shape_of(result)[static_cast<size_t>(dim)]);
}

/// Where the part starts along dims that are cut.
std::vector<int64_t> starts_of(Value result, const OpPart& part) {
  std::vector<int64_t> starts;
  for (int dim = 0; dim < part.writes[0].rank(); ++dim)
    if (is_cut(part, result, dim))
      starts.push_back(part.writes[0].start()[static_cast<size_t>(dim)]);
  return starts;
}

Value zero(Builder& b) { return language::integer_constant(b, 0, DType::i64); }

} // namespace

/// The nest list computes only these elements of what is counted or drawn.
Values sliced(const Making& making, Value whole) {
  Values starts;
  for (int dim = 0; dim < making.part.writes[0].rank(); ++dim)
    starts.push_back(is_cut(making.part, whole, dim)
                         ? making.offset(making.part.writes[0].start()[static_cast<size_t>(dim)])
                         : zero(making.b));
  if (making.part.writes[0] == tensor_of(whole))
    return {whole};
  return {ir::DynamicSliceOp::create(making.b, making.result_type(), whole, starts)};
}

std::vector<int64_t> offsets(ir::IotaOp op, const OpPart& part) {
  return starts_of(op.getResult(), part);
}
std::vector<int64_t> offsets(ir::RandomBitsOp op, const OpPart& part) {
  return starts_of(op.getResult(), part);
}
std::vector<int64_t> offsets(ir::ConstantOp op, const OpPart& part) {
  return llvm::cast<mlir::DenseElementsAttr>(op.getValue()).isSplat()
             ? std::vector<int64_t>()
             : starts_of(op.getResult(), part);
}

Values make(ir::IotaOp op, const Making& making) {
  return sliced(making, making.b.insert(op->clone())->getResult(0));
}

/// Elements are drawn by their number in the whole result.
void set_reads(ir::RandomBitsOp op, OpPart& part) { part.reads[0] = tensor_of(op.getKey()); }

Values make(ir::RandomBitsOp, const Making& making) {
  mlir::Operation* whole = making.b.insert(making.op->clone());
  whole->setOperands(making.operands);
  return sliced(making, whole->getResult(0));
}

Values make(ir::ConstantOp op, const Making& making) {
  auto value = llvm::cast<mlir::DenseElementsAttr>(op.getValue());
  if (value.isSplat())
    return {language::make_constant(
        making.b, value.resizeSplat(llvm::cast<mlir::ShapedType>(making.result_type())))};
  return sliced(making, making.b.insert(op->clone())->getResult(0));
}

namespace {

/// Dims along which a slice at places of data is as long as its operand.
bool is_full(ir::DynamicSliceOp op, size_t dim) {
  return ir::shape_of(op.getOperand())[dim] == ir::shape_of(op.getResult())[dim];
}

} // namespace

std::vector<int64_t> offsets(ir::DynamicSliceOp op, const OpPart& part) {
  std::vector<int64_t> starts;
  for (int dim = 0; dim < part.writes[0].rank(); ++dim)
    if (!is_full(op, static_cast<size_t>(dim)) && is_cut(part, op.getResult(), dim))
      starts.push_back(part.writes[0].start()[static_cast<size_t>(dim)]);
  return starts;
}

/// Starts are clipped as those of the whole.
Values make(ir::DynamicSliceOp op, const Making& making) {
  Builder& b = making.b;
  const Shape operand = ir::shape_of(op.getOperand()), result = ir::shape_of(op.getResult());
  Values starts;
  for (size_t dim = 0; dim < result.size(); ++dim) {
    if (is_full(op, dim)) {
      starts.push_back(zero(b));
      continue;
    }
    const Value given = making.operands[dim + 1];
    const DType dtype = ir::dtype_of(given);
    // In the dtype that is given: a number above 2^63 is not one below 0.
    const int64_t greatest = *operand[dim].constant() - *result[dim].constant();
    Value start = given;
    if (language::fits(greatest, dtype))
      start = language::elementwise(b, Fn::minimum,
                                    {start, language::integer_constant(b, greatest, dtype)});
    start = language::elementwise(b, Fn::maximum, {start, language::integer_constant(b, 0, dtype)});
    start = language::cast(b, start, DType::i64);
    if (is_cut(making.part, op.getResult(), static_cast<int>(dim)))
      start = language::elementwise(b, Fn::add,
                                    {start, making.offset(making.part.writes[0].start()[dim])});
    starts.push_back(start);
  }
  return {ir::DynamicSliceOp::create(b, making.result_type(), making.operands[0], starts)};
}

/// The words of a block are one.
std::vector<int> whole_dims(ir::RandomBlockOp op) {
  return {static_cast<int>(ir::rank_of(op.getResult())) - 1};
}

/// Along dims whose windows are as long as the operand, starts are 0 whatever they say.
std::vector<int> whole_dims(ir::DynamicUpdateSliceOp op) {
  std::vector<int> dims;
  const Shape operand = ir::shape_of(op.getOperand()), update = ir::shape_of(op.getUpdate());
  for (size_t dim = 0; dim < operand.size(); ++dim)
    if (!(operand[dim] == update[dim]))
      dims.push_back(static_cast<int>(dim));
  return dims;
}

/// Windows along dims that data places.
std::vector<int> whole_dims(ir::GatherOp op) {
  std::vector<int> dims;
  const auto batches = static_cast<int>(ir::rank_of(op.getIndices())) - 1;
  for (int64_t dim : op.getDims())
    dims.push_back(batches + static_cast<int>(dim));
  return dims;
}

} // namespace kolam::transform::cut
