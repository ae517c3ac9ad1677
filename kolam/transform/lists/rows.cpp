// A map whose function computes a row of a tensor by itself: one of all rows of the tensor.
#include "kolam/transform/lists/convert.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/region.h"
#include "kolam/transform/kernels/at_once.h"
#include "kolam/transform/kernels/widen.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::transform::lists {
namespace {

/// The shape with an extent of 1 in front.
Shape as_row(Shape shape) {
  shape.insert(shape.begin(), Extent(1));
  return shape;
}

/// Whether an op makes a row of an element, or an element of a row.
bool is_row_of(mlir::Operation* op, Value element) {
  auto reshape = llvm::dyn_cast_if_present<ir::ReshapeOp>(op);
  return reshape && reshape.getOperand() == element &&
         ir::shape_of(reshape) == as_row(ir::shape_of(element));
}

/// The body between rows of elements, the arguments, and rows of results; null where it is none.
std::unique_ptr<mlir::Region> between_rows(Builder& b, mlir::Block& body, size_t elements) {
  llvm::SmallVector<mlir::Type> types;
  for (auto [number, argument] : llvm::enumerate(body.getArguments())) {
    types.push_back(argument.getType());
    if (number >= elements)
      continue;
    if (!llvm::isa<mlir::RankedTensorType>(argument.getType()) ||
        !llvm::all_of(argument.getUsers(),
                      [&](mlir::Operation* user) { return is_row_of(user, argument); }))
      return nullptr;
    types.back() = language::tensor_type(b, ir::dtype_of(argument), as_row(ir::shape_of(argument)));
  }
  // What only has an effect stands between no rows.
  for (mlir::Operation& op : body.without_terminator())
    if (op.getNumResults() == 0 || holds_lists(&op))
      return nullptr;
  if (!kernels::computes_values(*body.getParent()))
    return nullptr;
  for (Value result : body.getTerminator()->getOperands()) {
    auto reshape = result.getDefiningOp<ir::ReshapeOp>();
    if (!reshape || ir::shape_of(reshape.getOperand()) != as_row(ir::shape_of(result)) ||
        !reshape->hasOneUse())
      return nullptr;
  }
  return language::make_region(b, types, [&](const Values& given) {
    mlir::IRMapping mapping;
    for (auto [argument, value] : llvm::zip(body.getArguments(), given))
      mapping.map(argument, value);
    for (mlir::Operation& op : body.without_terminator())
      if (op.getNumOperands() == 1 &&
          llvm::is_contained(body.getArguments().take_front(elements), op.getOperand(0)))
        mapping.map(op.getResult(0), mapping.lookup(op.getOperand(0)));
      else
        b.clone(op, mapping);
    Values rows;
    for (Value result : body.getTerminator()->getOperands())
      rows.push_back(mapping.lookup(result.getDefiningOp<ir::ReshapeOp>().getOperand()));
    return rows;
  });
}

} // namespace

std::optional<FlatValues> Conversion::convert_rows(ir::ListMapOp op, const FlatValues& arguments,
                                                   const Frame* inner) {
  const size_t elements = op.getLists().size();
  for (auto [number, argument] : llvm::enumerate(arguments))
    if (!std::holds_alternative<FlatTensor>(argument) ||
        (number >= elements && !frame_of(argument)->is_single))
      return std::nullopt;
  auto rows = between_rows(b, op.getBody().front(), elements);
  if (!rows)
    return std::nullopt;
  kernels::WideDims dims{std::vector<std::optional<int64_t>>(arguments.size()),
                         std::vector<std::optional<int64_t>>(op.getResults().size(), 0),
                         inner->count - Extent(1)};
  std::fill_n(dims.arguments.begin(), elements, 0);
  auto wide = kernels::widened(b, *rows, dims);
  if (!wide)
    return std::nullopt;
  mlir::IRMapping mapping;
  for (auto [argument, given] : llvm::zip(wide->front().getArguments(), arguments))
    mapping.map(argument,
                language::with_shape(b, std::get<FlatTensor>(given).value, ir::shape_of(argument)));
  for (mlir::Operation& made : wide->front().without_terminator())
    b.clone(made, mapping);
  FlatValues results;
  for (Value result : wide->front().getTerminator()->getOperands())
    results.push_back(FlatTensor{inner, mapping.lookup(result)});
  return results;
}

} // namespace kolam::transform::lists
