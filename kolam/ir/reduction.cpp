// Reads reductions off ops.
#include "kolam/ir/reduction.h"

#include "kolam/ir/monoid.h"
#include "kolam/support/error.h"

namespace kolam::ir {
namespace {

std::vector<DType> yielded_dtypes(mlir::Region& region) {
  std::vector<DType> dtypes;
  for (mlir::Value value : region.front().getTerminator()->getOperands())
    dtypes.push_back(dtype_of(value));
  return dtypes;
}

/// What both ops name alike.
template <class Op> Reduction read(Op op, llvm::StringRef monoid, std::vector<DType> elements) {
  Reduction reduction;
  reduction.elements = std::move(elements);
  reduction.dims.assign(op.getDims().begin(), op.getDims().end());
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
  std::vector<DType> elements;
  for (mlir::Value input : op.getInputs())
    elements.push_back(dtype_of(input));
  return read(op, op.getMonoid(), std::move(elements));
}

std::optional<Reduction> reduction_of(ZipMapReduceOp op) {
  if (!op.getMonoid())
    return std::nullopt;
  return read(op, *op.getMonoid(), yielded_dtypes(op.getBody()));
}

std::optional<Reduction> reduction_of(mlir::Operation* op) {
  if (auto reduce = llvm::dyn_cast<ReduceOp>(op))
    return reduction_of(reduce);
  auto pattern = llvm::dyn_cast<ZipMapReduceOp>(op);
  return pattern ? reduction_of(pattern) : std::nullopt;
}

bool binds_chunk(mlir::Region& region) {
  if (auto reduce = llvm::dyn_cast<ReduceOp>(region.getParentOp()))
    return &region == &reduce.getWrapAll();
  if (auto pattern = llvm::dyn_cast<ZipMapReduceOp>(region.getParentOp()))
    return &region == &pattern.getWrapAll();
  return false;
}

} // namespace kolam::ir
