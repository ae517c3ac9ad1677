// Reads reductions off ops.
#include "kolam/ir/reduction.h"

#include "kolam/ir/monoid.h"
#include "kolam/support/error.h"

namespace kolam::ir {
namespace {

std::vector<DType> dtypes_of(mlir::ValueRange values) {
  std::vector<DType> dtypes;
  for (mlir::Value value : values)
    dtypes.push_back(dtype_of(value));
  return dtypes;
}

std::vector<DType> yielded_dtypes(mlir::Region& region) {
  return dtypes_of(region.front().getTerminator()->getOperands());
}

/// What both ops name alike.
template <class Op>
Reduction read(Op op, llvm::StringRef monoid, std::vector<DType> elements,
               llvm::ArrayRef<int64_t> dims) {
  Reduction reduction;
  reduction.elements = std::move(elements);
  reduction.dims = dims.vec();
  reduction.accumulate = accumulate_of(op.getAccumulate());
  if (op.getMerge().empty()) {
    reduction.function = parse_monoid(monoid);
    KOLAM_CHECK(reduction.function);
    for (DType dtype : reduction.elements)
      reduction.states.push_back(named_state(*reduction.function, dtype));
    return reduction;
  }
  reduction.zero = &op.getZero();
  reduction.wrap = &op.getWrap();
  reduction.merge = &op.getMerge();
  reduction.unwrap = &op.getUnwrap();
  reduction.wrap_all = op.getWrapAll().empty() ? nullptr : &op.getWrapAll();
  reduction.states = yielded_dtypes(op.getZero());
  return reduction;
}

} // namespace

size_t Reduction::run_length() const {
  if (accumulate.order != Order::lanes)
    return dims.size();
  size_t length = dims.empty() ? 0 : 1;
  while (length < dims.size() && dims[dims.size() - length - 1] + 1 == dims[dims.size() - length])
    ++length;
  return length;
}

std::vector<int64_t> Reduction::kept_dims(int64_t rank) const {
  std::vector<int64_t> kept;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(dims, dim))
      kept.push_back(dim);
  return kept;
}

Reduction reduction_of(ReduceOp op) {
  return read(op, op.getMonoid(), dtypes_of(op.getInputs()), op.getDims());
}

Reduction reduction_of(SegmentReduceOp op) {
  return read(op, op.getMonoid(), dtypes_of(op.getInputs()), {rank_of(op.getInputs()[0])});
}

std::optional<Reduction> reduction_of(ZipMapReduceOp op) {
  if (!op.getMonoid())
    return std::nullopt;
  return read(op, *op.getMonoid(), yielded_dtypes(op.getBody()), op.getDims());
}

std::optional<Reduction> reduction_of(mlir::Operation* op) {
  if (auto reduce = llvm::dyn_cast<ReduceOp>(op))
    return reduction_of(reduce);
  auto pattern = llvm::dyn_cast<ZipMapReduceOp>(op);
  return pattern ? reduction_of(pattern) : std::nullopt;
}

std::optional<Fn> function_of(ListReduceOp op) {
  mlir::Block& body = op.getBody().front();
  auto combine = llvm::dyn_cast<ElementwiseOp>(body.front());
  mlir::Operation* end = body.getTerminator();
  if (op.getLists().size() != 1 || !op.getCaptures().empty() || !combine ||
      combine->getNextNode() != end || end->getOperand(0) != combine.getResult() ||
      combine.getOperands() != mlir::ValueRange(body.getArguments()))
    return std::nullopt;
  std::optional<Fn> fn = parse_monoid(combine.getFunction());
  const DType dtype = dtype_of(combine.getResult());
  return fn && named_state(*fn, dtype) == dtype ? fn : std::nullopt;
}

Accumulate order_of(ListReduceOp op) {
  const bool is_of_numbers =
      function_of(op) && element_count(shape_of(op.getResult(0))).constant() == 1;
  return is_of_numbers ? kReduceLast : kReduceKept;
}

bool binds_chunk(mlir::Region& region) {
  if (auto reduce = llvm::dyn_cast<ReduceOp>(region.getParentOp()))
    return &region == &reduce.getWrapAll();
  if (auto segments = llvm::dyn_cast<SegmentReduceOp>(region.getParentOp()))
    return &region == &segments.getWrapAll();
  if (auto pattern = llvm::dyn_cast<ZipMapReduceOp>(region.getParentOp()))
    return &region == &pattern.getWrapAll();
  return false;
}

} // namespace kolam::ir
