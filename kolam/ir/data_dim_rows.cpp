// Makes rows of the data dimension: the default of all ops, and what those with rows of their own
// share.
#include "kolam/ir/data_dim_rows.h"

#include "kolam/ir/ops.h"
#include "kolam/ir/types.h"

namespace kolam::ir {

using space::DataDimCost;
using space::DataDimPlace;
using space::DataDimTable;
using space::kAnyDim;

Shape data_shape(mlir::Type type) {
  if (auto list = llvm::dyn_cast<ListType>(type))
    return shape_of(list.leaf());
  if (auto ref = llvm::dyn_cast<RefType>(type))
    return shape_of(ref.getValue());
  return shape_of(type);
}

DataDimPlace operand_place(size_t number) {
  return {DataDimPlace::Kind::operand, static_cast<int>(number)};
}
DataDimPlace result_place(size_t number) {
  return {DataDimPlace::Kind::result, static_cast<int>(number)};
}
DataDimPlace argument_place(size_t number, size_t region) {
  return {DataDimPlace::Kind::argument, static_cast<int>(number), static_cast<int>(region)};
}
DataDimPlace yield_place(size_t number, size_t region) {
  return {DataDimPlace::Kind::yield, static_cast<int>(number), static_cast<int>(region)};
}

DataDimPlace place_in(mlir::OperandRange range, size_t number) {
  return operand_place(range.getBeginOperandIndex() + number);
}

mlir::Value value_at(mlir::Operation* op, const DataDimPlace& place) {
  switch (place.kind) {
  case DataDimPlace::Kind::operand:
    return op->getOperand(place.number);
  case DataDimPlace::Kind::result:
    return op->getResult(place.number);
  case DataDimPlace::Kind::argument:
    return op->getRegion(place.region).getArgument(place.number);
  default:
    return op->getRegion(place.region).front().getTerminator()->getOperand(place.number);
  }
}

DataDimTable table_of(std::vector<DataDimPlace> places, const std::vector<DimChoice>& choices) {
  DataDimTable table{std::move(places), {}};
  for (const DimChoice& choice : choices)
    table.rows.push_back({choice.dims, choice.cost});
  return table;
}

DataDimTable tied(mlir::Operation* op, std::vector<DataDimPlace> places, DataDimCost cost) {
  size_t rank = data_shape(value_at(op, places.front())).size();
  std::vector<DimChoice> choices;
  for (size_t dim = 0; dim < rank; ++dim)
    choices.push_back({std::vector<int>(places.size(), static_cast<int>(dim)), cost});
  return table_of(std::move(places), choices);
}

DataDimTable row_major(mlir::Operation* op) {
  std::vector<DataDimPlace> places;
  DimChoice last{{}, DataDimCost::compute};
  auto add = [&](DataDimPlace place, mlir::Value value) {
    int rank = static_cast<int>(data_shape(value).size());
    places.push_back(place);
    last.dims.push_back(rank == 0 ? kAnyDim : rank - 1);
  };
  for (auto [number, value] : llvm::enumerate(op->getOperands()))
    add(operand_place(number), value);
  for (auto [number, value] : llvm::enumerate(op->getResults()))
    add(result_place(number), value);
  return table_of(std::move(places), {last});
}

DataDimTable reshaped(mlir::Operation* op) {
  Shape from = data_shape(op->getOperand(0)), to = data_shape(op->getResult(0));
  std::vector<DimChoice> choices;
  for (size_t dim = 0; dim < from.size(); ++dim)
    if (std::optional<int> kept = space::reshaped_dim(from, to, static_cast<int>(dim)))
      choices.push_back(
          {{static_cast<int>(dim), *kept},
           from[dim] == to[static_cast<size_t>(*kept)] ? DataDimCost::free : DataDimCost::compute});
  if (from.empty()) // the one element may stand anywhere
    for (size_t dim = 0; dim < to.size(); ++dim)
      choices.push_back({{kAnyDim, static_cast<int>(dim)}});
  if (to.empty())
    for (size_t dim = 0; dim < from.size(); ++dim)
      choices.push_back({{static_cast<int>(dim), kAnyDim}, DataDimCost::compute});
  return table_of({operand_place(0), result_place(0)}, choices);
}

DataDimTable stacked(mlir::Operation* op, const DataDimPlace& stack, const DataDimPlace& slice) {
  Shape rest = data_shape(value_at(op, slice)), unit = rest;
  unit.insert(unit.begin(), Extent(1));
  std::vector<DimChoice> choices;
  for (size_t dim = 0; dim < rest.size(); ++dim)
    choices.push_back({{static_cast<int>(dim) + 1, static_cast<int>(dim)}});
  const bool is_read = slice.kind == DataDimPlace::Kind::argument;
  if (rest.empty())
    choices.push_back({{0, kAnyDim}, DataDimCost::compute});
  else if (auto kept = space::reshaped_dim(unit, rest, 0); kept && is_read)
    choices.push_back({{0, *kept}, DataDimCost::compute});
  return table_of({stack, slice}, choices);
}

void add_captures(std::vector<DataDimTable>& tables, mlir::Operation* op,
                  mlir::OperandRange captures, size_t first_argument, size_t regions) {
  for (size_t number = 0; number < captures.size(); ++number) {
    std::vector<DataDimPlace> places{place_in(captures, number)};
    for (size_t region = 0; region < regions; ++region)
      places.push_back(argument_place(first_argument + number, region));
    tables.push_back(tied(op, std::move(places)));
  }
}

std::vector<DataDimTable> data_dim_rows_by_signature(mlir::Operation* op,
                                                     const space::DataDimQuestion& question) {
  auto signed_op = llvm::cast<SignedOp>(op);
  space::Signature signature = signed_op.signature();
  if (signature.opaque)
    return {row_major(op)};
  std::vector<space::SignedPlace> places;
  auto add = [&](DataDimPlace place, mlir::Value value, bool is_constant) {
    places.push_back({place, !is_constant && !data_shape(value).empty()});
  };
  for (auto [number, value] : llvm::enumerate(op->getOperands()))
    add(operand_place(number), value,
        number < question.constants.size() && question.constants[number]);
  for (auto [number, value] : llvm::enumerate(op->getResults()))
    add(result_place(number), value, false);
  KOLAM_CHECK(places.size() == signature.operands.size());
  space::Work work = signed_op.flops_per_point() == 0 ? space::Work::moves : space::Work::computes;
  return {space::rows_of_signature(signature, places, question.profile, work)};
}

} // namespace kolam::ir
