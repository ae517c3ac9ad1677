// Says of every op that may be turned what becomes of its dims.
#include "kolam/ir/turned_ops.h"

#include "kolam/ir/reduction.h"
#include "kolam/ir/visit.h"

#include "mlir/IR/IRMapping.h"

#include <algorithm>
#include <numeric>

namespace kolam::ir {
namespace {

using mlir::Operation;
using mlir::Value;

std::vector<int> numbers_of(llvm::ArrayRef<int64_t> dims) { return {dims.begin(), dims.end()}; }

bool contains(const std::vector<int>& dims, int dim) { return llvm::is_contained(dims, dim); }

/// The order without some dims, those that are left numbered anew.
AxisOrder without(const AxisOrder& order, const std::vector<int>& dims) {
  AxisOrder left;
  for (int dim : order)
    if (!contains(dims, dim))
      left.push_back(dim - static_cast<int>(llvm::count_if(dims, [&](int x) { return x < dim; })));
  return left;
}

/// The order of `rank` dims of which `own` are in the order of `inner` (numbered among themselves)
/// at the places that they have, the others where they are.
AxisOrder with_own(int64_t rank, const std::vector<int>& own, const AxisOrder& inner) {
  AxisOrder order = row_major_order(rank);
  for (size_t i = 0; i < own.size(); ++i)
    order[own[i]] = own[inner[i]];
  return order;
}

std::vector<int> others(int64_t rank, const std::vector<int>& dims) {
  std::vector<int> left;
  for (int dim = 0; dim < rank; ++dim)
    if (!contains(dims, dim))
      left.push_back(dim);
  return left;
}

/// The places of some dims, increasing.
llvm::SmallVector<int64_t> sorted_places(llvm::ArrayRef<int64_t> dims, const AxisOrder& order) {
  AxisOrder at = places_of(order);
  llvm::SmallVector<int64_t> places;
  for (int64_t dim : dims)
    places.push_back(at[dim]);
  llvm::sort(places);
  return places;
}

template <class T> std::vector<T> permuted(llvm::ArrayRef<T> of, const AxisOrder& order) {
  std::vector<T> result;
  for (int dim : order)
    result.push_back(of[dim]);
  return result;
}

/// Whether the op's attributes are about the dims of its result, or about none.
bool keeps_dims(Operation* op) {
  return llvm::isa<ElementwiseOp, CastOp, MaterializeOp, PinOp, PadOp, SliceOp, ReverseOp, ConcatOp,
                   IotaOp, CumulativeOp>(op);
}

bool is_splat(Operation* op) {
  auto constant = llvm::dyn_cast<ConstantOp>(op);
  auto elements = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())
                           : mlir::DenseElementsAttr();
  return elements && elements.isSplat();
}

/// A reduction whose elements meet in the order that they had.
bool combines_alike(ReduceOp op, const AxisOrder& space) {
  Reduction before = reduction_of(op), after = before;
  AxisOrder at = places_of(space);
  for (int64_t& dim : after.dims)
    dim = at[dim];
  return llvm::is_sorted(after.dims) && before.run_length() == after.run_length();
}

/// The attributes of a turned op.
void turn_attributes(Operation* op, const AxisOrder& order) {
  mlir::Builder b(op->getContext());
  AxisOrder at = places_of(order);
  auto dims = [&](llvm::ArrayRef<int64_t> of) {
    return b.getDenseI64ArrayAttr(sorted_places(of, order));
  };
  visit<void>(
      op,
      [&](auto typed) {
        using Op = decltype(typed);
        if constexpr (std::is_same_v<Op, BroadcastOp> || std::is_same_v<Op, ExpandDimsOp> ||
                      std::is_same_v<Op, ReverseOp> || std::is_same_v<Op, ReduceOp>) {
          typed.setDimsAttr(dims(typed.getDims()));
        } else if constexpr (std::is_same_v<Op, ConcatOp> || std::is_same_v<Op, IotaOp> ||
                             std::is_same_v<Op, CumulativeOp>) {
          typed.setDimAttr(b.getI64IntegerAttr(at[typed.getDim()]));
        } else if constexpr (std::is_same_v<Op, PinOp>) {
          typed.setDimAttr(b.getI64IntegerAttr(at[typed.getDim()]));
          typed.removeNamesAttr();
        } else if constexpr (std::is_same_v<Op, PadOp>) {
          typed.setLowAttr(b.getDenseI64ArrayAttr(permuted(typed.getLow(), order)));
          typed.setHighAttr(b.getDenseI64ArrayAttr(permuted(typed.getHigh(), order)));
        } else if constexpr (std::is_same_v<Op, SliceOp>) {
          typed.setStepsAttr(b.getDenseI64ArrayAttr(permuted(typed.getSteps(), order)));
          typed.setStartsAttr(
              ExtentsAttr::of(op->getContext(), turned_shape(typed.getStarts().shape(), order)));
        }
      },
      [](Operation*) {});
}

} // namespace

AxisOrder row_major_order(int64_t rank) {
  AxisOrder order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

bool lie_alike(const Shape& shape, const AxisOrder& x, const AxisOrder& y) {
  auto moving = [&](AxisOrder order) {
    std::erase_if(order, [&](int dim) { return shape[dim] == Extent(1); });
    return order;
  };
  return moving(x) == moving(y);
}

Shape turned_shape(const Shape& shape, const AxisOrder& order) {
  return permuted(llvm::ArrayRef(shape), order);
}

AxisOrder places_of(const AxisOrder& order) {
  AxisOrder places(order.size());
  for (size_t place = 0; place < order.size(); ++place)
    places[order[place]] = static_cast<int>(place);
  return places;
}

std::optional<Shape> turned_space(Operation* op) {
  if (auto reduce = llvm::dyn_cast<ReduceOp>(op))
    return shape_of(reduce.getInputs()[0]);
  bool is_turned = keeps_dims(op) || is_splat(op) ||
                   llvm::isa<BroadcastOp, ExpandDimsOp, SqueezeOp, TransposeOp>(op);
  return is_turned ? std::optional(shape_of(op->getResult(0))) : std::nullopt;
}

std::optional<OpOrders> orders_of(Operation* op, const AxisOrder& space) {
  OpOrders orders{{}, space};
  auto rank = static_cast<int64_t>(space.size());
  if (auto reduce = llvm::dyn_cast<ReduceOp>(op)) {
    if (!combines_alike(reduce, space))
      return std::nullopt;
    orders.operands.assign(op->getNumOperands(), space);
    orders.results = without(space, numbers_of(reduce.getDims()));
  } else if (auto broadcast = llvm::dyn_cast<BroadcastOp>(op)) {
    orders.operands = {without(space, others(rank, numbers_of(broadcast.getDims())))};
  } else if (auto expand = llvm::dyn_cast<ExpandDimsOp>(op)) {
    orders.operands = {without(space, numbers_of(expand.getDims()))};
  } else if (auto squeeze = llvm::dyn_cast<SqueezeOp>(op)) {
    const int64_t all = rank_of(squeeze.getOperand());
    orders.operands = {with_own(all, others(all, numbers_of(squeeze.getDims())), space)};
  } else if (auto transpose = llvm::dyn_cast<TransposeOp>(op)) {
    orders.operands = {numbers_of(permuted(transpose.getPermutation(), space))};
  } else {
    for (Value operand : op->getOperands())
      orders.operands.push_back(rank_of(operand) == rank ? space : AxisOrder());
  }
  return orders;
}

std::vector<AxisOrder> spaces_giving(Operation* op, const AxisOrder& results) {
  auto reduce = llvm::dyn_cast<ReduceOp>(op);
  if (!reduce)
    return {results};
  std::vector<int> reduced = numbers_of(reduce.getDims()),
                   kept = others(static_cast<int64_t>(results.size() + reduced.size()), reduced);
  AxisOrder behind, in_front = reduced;
  for (int place : results) {
    behind.push_back(kept[place]);
    in_front.push_back(kept[place]);
  }
  llvm::append_range(behind, reduced);
  return {behind, in_front};
}

std::vector<AxisOrder> spaces_taking(Operation* op, unsigned operand, const AxisOrder& order) {
  if (order.empty())
    return {};
  const int64_t rank = rank_of(op->getResult(0));
  if (auto broadcast = llvm::dyn_cast<BroadcastOp>(op))
    return {with_own(rank, numbers_of(broadcast.getDims()), order)};
  if (auto expand = llvm::dyn_cast<ExpandDimsOp>(op))
    return {with_own(rank, others(rank, numbers_of(expand.getDims())), order)};
  if (auto squeeze = llvm::dyn_cast<SqueezeOp>(op))
    return {without(order, numbers_of(squeeze.getDims()))};
  if (auto transpose = llvm::dyn_cast<TransposeOp>(op)) {
    AxisOrder to = places_of(numbers_of(transpose.getPermutation())), space;
    for (int dim : order)
      space.push_back(to[dim]);
    return {space};
  }
  (void)operand;
  return {order};
}

llvm::SmallVector<Value> turned_op(Operation* op, const AxisOrder& space, mlir::ValueRange operands,
                                   mlir::OpBuilder& b) {
  if (llvm::isa<TransposeOp>(op))
    return {operands[0]};
  const OpOrders orders = *orders_of(op, space);
  mlir::IRMapping mapping;
  for (auto [from, to] : llvm::zip(op->getOperands(), operands))
    mapping.map(from, to);
  Operation* turned = b.clone(*op, mapping);
  for (auto [number, operand] : llvm::enumerate(operands)) // one value may come in two orders
    turned->setOperand(static_cast<unsigned>(number), operand);
  for (mlir::OpResult result : turned->getResults())
    result.setType(tensor_type(op->getContext(), dtype_of(result),
                               turned_shape(shape_of(result), orders.results)));
  if (auto constant = llvm::dyn_cast<ConstantOp>(turned)) {
    auto elements = llvm::cast<mlir::DenseElementsAttr>(constant.getValue());
    constant.setValueAttr(
        elements.resizeSplat(llvm::cast<mlir::ShapedType>(turned->getResult(0).getType())));
  } else if (auto squeeze = llvm::dyn_cast<SqueezeOp>(turned)) {
    squeeze.setDimsAttr(b.getDenseI64ArrayAttr(
        sorted_places(llvm::cast<SqueezeOp>(op).getDims(), orders.operands[0])));
  } else {
    turn_attributes(turned, space);
  }
  return llvm::SmallVector<Value>(turned->getResults());
}

} // namespace kolam::ir
