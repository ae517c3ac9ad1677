// kolam.scan: a loop over slices that carries a state and stacks what each step gives.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {
namespace {

mlir::Type slice_type(mlir::Value stacked) {
  Shape shape = shape_of(stacked);
  shape.erase(shape.begin());
  return tensor_type(stacked.getContext(), dtype_of(stacked), shape);
}

/// Step t owns slice t.
space::Projection slices(mlir::Value stacked) {
  std::vector<int> dims(rank_of(stacked), space::kWhole);
  dims[0] = 0;
  return space::axial(1, dims, shape_of(stacked));
}

llvm::LogicalResult expect_stacked(ScanOp op, mlir::Value value, const Extent& length,
                                   const llvm::Twine& what) {
  Shape shape = shape_of(value);
  if (!shape.empty() && shape[0] == length)
    return mlir::success();
  return op.emitOpError("expected ") << what << " to have leading extent " << length.to_string()
                                     << ", but got " << to_string(shape);
}

} // namespace

llvm::LogicalResult ScanOp::verify() {
  Shape length = getLength().shape();
  size_t states = getInits().size();
  if (failed(expect_count(*this, length.size(), 1, "length")) ||
      failed(expect_at_least(*this, getResults().size(), states, "results")))
    return mlir::failure();
  if (length[0].constant().value_or(0) < 0)
    return emitOpError("expected a length >= 0, but got ") << length[0].to_string();
  for (auto [number, x] : llvm::enumerate(getXs()))
    if (failed(expect_stacked(*this, x, length[0], "x " + llvm::Twine(number))))
      return mlir::failure();
  for (auto [number, result] : llvm::enumerate(getResults())) {
    llvm::LogicalResult fits =
        number < states
            ? expect_type_of(*this, result, getInits()[number], "result " + llvm::Twine(number))
            : expect_stacked(*this, result, length[0], "result " + llvm::Twine(number));
    if (failed(fits))
      return mlir::failure();
  }
  return mlir::success();
}

llvm::LogicalResult ScanOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> arguments(getInits().getTypes()), yields(arguments);
  for (mlir::Value x : getXs())
    arguments.push_back(slice_type(x));
  llvm::append_range(arguments, getCaptures().getTypes());
  for (mlir::Value stacked : getResults().drop_front(getInits().size()))
    yields.push_back(slice_type(stacked));
  if (failed(expect_arguments(*this, getBody(), arguments, "the body")))
    return mlir::failure();
  return expect_yields(*this, getBody(), yields, "the body");
}

/// Elements of states at each step, or where these need one another steps along a scan dim, each of
/// which reads and writes a state whole.
space::Signature ScanOp::signature() {
  if (Pointwise elements = pointwise(*this); elements.why_not.empty())
    return pointwise_signature(*this, elements);
  space::Signature signature{
      name_of(*this),
      {space::scan_dim("t", getLength().shape()[0],
                       getReverse() ? space::Direction::backward : space::Direction::forward)},
      {}};
  auto add = [&](std::string name, size_t number, mlir::Value value, space::Projection projection,
                 space::Role role) {
    signature.operands.push_back(
        {std::move(name) + std::to_string(number), role, shape_of(value), std::move(projection)});
  };
  for (auto [number, init] : llvm::enumerate(getInits()))
    add("init", number, init, whole(1, init), space::Role::in);
  for (auto [number, x] : llvm::enumerate(getXs()))
    add("x", number, x, slices(x), space::Role::in);
  for (auto [number, capture] : llvm::enumerate(getCaptures()))
    add("capture", number, capture, whole(1, capture), space::Role::in);
  for (auto [number, result] : llvm::enumerate(getResults())) {
    bool is_state = number < getInits().size();
    add("result", number, result, is_state ? whole(1, result) : slices(result),
        is_state ? space::Role::inout : space::Role::out);
  }
  return signature;
}

/// States agree as those of a `for`; of what is sliced and stacked D is behind the steps, or the
/// steps of what has no other dims.
std::vector<space::DataDimTable> ScanOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<space::DataDimTable> tables;
  size_t states = getInits().size(), slices = getXs().size();
  for (size_t state = 0; state < states; ++state)
    tables.push_back(tied(*this, {place_in(getInits(), state), argument_place(state),
                                  yield_place(state), result_place(state)}));
  for (size_t x = 0; x < slices; ++x)
    tables.push_back(stacked(*this, place_in(getXs(), x), argument_place(states + x)));
  for (size_t y = states; y < getResults().size(); ++y)
    tables.push_back(stacked(*this, result_place(y), yield_place(y)));
  add_captures(tables, *this, getCaptures(), states + slices);
  return tables;
}

} // namespace kolam::ir
