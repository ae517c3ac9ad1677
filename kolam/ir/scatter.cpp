// kolam.scatter: the operands with windows combined in at places given by data.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/monoid.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/windows.h"

namespace kolam::ir {
namespace {

WindowPlaces places_of(ScatterOp op) {
  return {op.getDestinations()[0], op.getIndices(), op.getDims(),
          static_cast<int64_t>(op.getBatchedDims())};
}

/// The updates' extents along `dims`.
Shape lengths_of(ScatterOp op, const WindowPlaces& places) {
  Shape update = shape_of(op.getUpdates()[0]), lengths;
  for (int64_t dim : places.dims)
    lengths.push_back(update[places.batch_rank() + dim]);
  return lengths;
}

space::Policy policy_of(llvm::StringRef mode) {
  using Kind = space::Policy::Kind;
  return {mode == "drop" || mode == "element" ? Kind::drop : Kind::forbid};
}

} // namespace

llvm::LogicalResult ScatterOp::verify() {
  if (failed(expect_at_least(*this, getDestinations().size(), 1, "destination")) ||
      failed(expect_count(*this, getUpdates().size(), getDestinations().size(), "updates")) ||
      failed(expect_count(*this, getResults().size(), getDestinations().size(), "results")) ||
      failed(expect_one_of(*this, getMode(), {"drop", "element", "clip", "promise", "check"},
                           "mode")) ||
      failed(expect_one_of(*this, getCombiner(),
                           {"kUpdate", "kAdd", "kMul", "kMin", "kMax", "user"}, "combiner")))
    return mlir::failure();
  WindowPlaces places = places_of(*this);
  if (failed(expect_places(*this, places)) ||
      failed(expect_rank(*this, getUpdates()[0], places.batch_rank() + places.window_rank(),
                         "update 0")))
    return mlir::failure();
  return without_overflow(*this, [&]() -> llvm::LogicalResult {
    Shape lengths = lengths_of(*this, places);
    if (failed(expect_lengths(*this, places, lengths)))
      return mlir::failure();
    for (size_t i = 0; i < getDestinations().size(); ++i) {
      mlir::Value destination = getDestinations()[i], update = getUpdates()[i];
      if (failed(expect_shape(*this, destination, shape_of(places.operand),
                              "destination " + llvm::Twine(i))) ||
          failed(expect_shape(*this, update, windows_shape(places, lengths),
                              "update " + llvm::Twine(i))) ||
          failed(expect_dtype(*this, update, dtype_of(destination), "update " + llvm::Twine(i))) ||
          failed(expect_type_of(*this, getResults()[i], destination, "result " + llvm::Twine(i))))
        return mlir::failure();
    }
    return mlir::success();
  });
}

llvm::LogicalResult ScatterOp::verifyRegions() {
  if (getCombiner() == "user") {
    llvm::SmallVector<mlir::Type> state = scalar_types(getDestinations().getTypes());
    llvm::SmallVector<mlir::Type> both(state);
    both.append(state);
    llvm::append_range(both, getCaptures().getTypes());
    if (failed(expect_arguments(*this, getCombine(), both, "the combiner")))
      return mlir::failure();
    return expect_yields(*this, getCombine(), state, "the combiner");
  }
  if (!getCombine().empty())
    return emitOpError("expected no region with the combiner '") << getCombiner() << "'";
  bool needs_numbers = getCombiner() == "kAdd" || getCombiner() == "kMul";
  auto is_number = [](DType dtype) { return dtype != DType::boolean; };
  for (mlir::Value destination : getDestinations())
    if (needs_numbers && failed(expect_dtype(*this, destination, is_number, "a dtype of numbers",
                                             "every destination")))
      return mlir::failure();
  return mlir::success();
}

std::vector<SizePromise> ScatterOp::size_promises() {
  WindowPlaces places = places_of(*this);
  return length_promises(places, lengths_of(*this, places));
}

/// Over the elements of the updates. Batches act in order, one after the other, unless their places
/// are unique.
space::Signature ScatterOp::signature() {
  WindowPlaces places = places_of(*this);
  Shape update_shape = shape_of(getUpdates()[0]);
  space::Signature signature{name_of(*this), map_dims(update_shape), {}};
  if (!getUniqueIndices())
    for (int64_t dim = places.batched; dim < places.batch_rank(); ++dim)
      signature.dims[dim] = space::scan_dim(signature.dims[dim].name, update_shape[dim]);

  space::Projection touched = touched_cells(places);
  space::Projection own = space::identity(static_cast<int>(update_shape.size()));
  for (auto [number, destination] : llvm::enumerate(getDestinations()))
    signature.operands.push_back(
        read("destination" + std::to_string(number), destination, touched));
  for (auto [number, update] : llvm::enumerate(getUpdates()))
    signature.operands.push_back(read("update" + std::to_string(number), update, own));
  signature.operands.push_back(read("indices", getIndices(), row_of_indices(places)));
  for (auto [number, capture] : llvm::enumerate(getCaptures()))
    signature.operands.push_back(read("capture" + std::to_string(number), capture,
                                      whole(static_cast<int64_t>(update_shape.size()), capture)));
  // Without dims the batches combine in one place, which no point owns alone.
  space::Role role = places.dims.empty() ? space::Role::inout : space::Role::out;
  for (auto [number, result] : llvm::enumerate(getResults())) {
    signature.operands.push_back(write("result" + std::to_string(number), result, touched));
    signature.operands.back().role = role;
    if (role == space::Role::out)
      signature.operands.back().policy = policy_of(getMode());
  }
  for (size_t i = 0; i < getDestinations().size(); ++i)
    for (size_t number : {i, signature.operands.size() - 1 - i})
      signature.operands[number].indirect = !places.dims.empty();
  return signature;
}

double ScatterOp::flops_per_point() {
  return getCombine().empty() ? 1 : region_flops(getCombine());
}

/// Destinations, updates and results share D, which of updates is behind the batches. (R12)
std::vector<space::DataDimTable> ScatterOp::data_dim_rows(const space::DataDimQuestion&) {
  WindowPlaces places = places_of(*this);
  size_t rank = static_cast<size_t>(rank_of(getDestinations()[0]));
  WindowDims windows{rank, static_cast<size_t>(places.batch_rank()),
                     static_cast<size_t>(places.batched)};
  std::vector<space::DataDimPlace> touched;
  std::vector<DimChoice> choices(rank, {{}, space::DataDimCost::compute});
  auto add = [&](const space::DataDimPlace& place, bool is_window) {
    touched.push_back(place);
    for (size_t dim = 0; dim < rank; ++dim)
      choices[dim].dims.push_back(is_window ? windows.of(dim) : static_cast<int>(dim));
  };
  for (size_t number = 0; number < getDestinations().size(); ++number) {
    add(place_in(getDestinations(), number), false);
    add(place_in(getUpdates(), number), true);
    add(result_place(number), false);
  }
  return {table_of(std::move(touched), choices)};
}

} // namespace kolam::ir
