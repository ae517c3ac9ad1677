// kolam.gather: windows of the operand at places given by data.
#include <limits>

#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/windows.h"

namespace kolam::ir {
namespace {

WindowPlaces places_of(GatherOp op) {
  return {op.getOperand(), op.getIndices(), op.getDims(),
          static_cast<int64_t>(op.getBatchedDims())};
}

Shape lengths_of(GatherOp op) { return Shape(op.getLengths().begin(), op.getLengths().end()); }

/// What `fill` gives; the program converts it to the dtype, so -1 is the highest unsigned number
/// and true.
space::Policy fill_policy(DType dtype) {
  if (is_float(dtype))
    return space::Policy::pad(std::numeric_limits<double>::quiet_NaN());
  if (!is_signed_integer(dtype))
    return space::Policy::pad(int64_t{-1});
  return space::Policy::pad(INT64_MIN >> (64 - 8 * byte_width(dtype)));
}

space::Policy policy_of(llvm::StringRef mode, DType dtype) {
  using Kind = space::Policy::Kind;
  if (mode == "fill")
    return fill_policy(dtype);
  if (mode == "wrap")
    return {Kind::wrap};
  return {mode == "check" ? Kind::forbid : Kind::clamp};
}

} // namespace

llvm::LogicalResult GatherOp::verify() {
  WindowPlaces places = places_of(*this);
  if (failed(
          expect_one_of(*this, getMode(), {"clip", "fill", "wrap", "promise", "check"}, "mode")) ||
      failed(expect_places(*this, places)) ||
      failed(expect_count(*this, getLengths().size(), getDims().size(), "lengths")) ||
      failed(expect_dtype(*this, getResult(), dtype_of(getOperand()), "the result")))
    return mlir::failure();
  return without_overflow(*this, [&]() -> llvm::LogicalResult {
    if (failed(expect_lengths(*this, places, lengths_of(*this))))
      return mlir::failure();
    return expect_shape(*this, getResult(), windows_shape(places, lengths_of(*this)), "the result");
  });
}

std::vector<SizePromise> GatherOp::size_promises() {
  // Where there are no windows, none has to fit.
  Shape batches = shape_of(getIndices());
  batches.pop_back();
  Shape lengths = lengths_of(*this);
  for (Extent& length : lengths)
    length = length * min(element_count(batches), 1);
  return length_promises(places_of(*this), lengths);
}

space::Signature GatherOp::signature() {
  WindowPlaces places = places_of(*this);
  space::Policy policy = policy_of(getMode(), dtype_of(getOperand()));
  space::Projection touched = touched_cells(places);
  return over_result(*this,
                     {getDims().empty() ? read("operand", getOperand(), touched, policy)
                                        : read_anywhere("operand", getOperand(), touched, policy),
                      read("indices", getIndices(), row_of_indices(places))});
}

/// D is preserved, behind the batches; of a constant it may be a dim of the places. (R12)
std::vector<space::DataDimTable> GatherOp::data_dim_rows(const space::DataDimQuestion& question) {
  WindowPlaces places = places_of(*this);
  size_t rank = static_cast<size_t>(rank_of(getOperand()));
  WindowDims windows{rank, static_cast<size_t>(places.batch_rank()),
                     static_cast<size_t>(places.batched)};
  std::vector<DimChoice> choices;
  auto add = [&](int operand, int indices, int result, space::DataDimCost cost) {
    choices.push_back({{operand, indices, result}, cost});
  };
  for (size_t dim = 0; dim < rank; ++dim)
    add(static_cast<int>(dim), dim < windows.batched ? static_cast<int>(dim) : space::kAnyDim,
        windows.of(dim), space::DataDimCost::compute);
  if (!question.constants.empty() && question.constants[0])
    for (int dim = 0; dim < static_cast<int>(windows.first); ++dim)
      add(space::kAnyDim, dim, dim, space::DataDimCost::slower);
  return {table_of({operand_place(0), operand_place(1), result_place(0)}, choices)};
}

} // namespace kolam::ir
