// Cutting kernels: along the axes of their grids whose points have blocks of results of their own.
#include "kolam/ir/kernels.h"
#include "kolam/ir/index_row.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/transform/cut/rules.h"
#include "kolam/transform/kernels/axes.h"

namespace kolam::transform::cut {
namespace {

using space::AffineRow;

int64_t number_of(const Extent& extent) { return *extent.constant(); }

/// How many elements the points of other axes own along a row, beside one another or on one
/// another.
int64_t span_of_others(const AffineRow& row, const Extent& size, size_t axis, const Shape& grid) {
  int64_t span = number_of(size);
  for (size_t other = 0; other < grid.size(); ++other)
    if (other != axis)
      span += std::abs(row.coefficients[other]) * (number_of(grid[other]) - 1);
  return span;
}

/// Whether points along an axis own neighbouring runs of a result, all of it together.
bool parts_are_runs(const space::Operand& result, size_t axis, const Shape& grid) {
  int rows = 0;
  for (auto [row, size, extent] :
       llvm::zip(result.projection.map.rows, result.projection.size, result.shape)) {
    const bool is_plain = space::is_affine(row) && row.offset == Extent(0) &&
                          llvm::all_of(row.coefficients, [](int64_t step) { return step >= 0; });
    const int64_t step = row.coefficients[axis], span = span_of_others(row, size, axis, grid);
    if (!is_plain || (step != 0 && step != span) ||
        step * (number_of(grid[axis]) - 1) + span < number_of(extent))
      return false;
    rows += step != 0 ? 1 : 0;
  }
  return rows == 1;
}

/// The axes along which the call can be cut.
std::vector<size_t> cut_axes(ir::KernelCallOp call, const space::Signature& signature) {
  const size_t inputs = call.getInputs().size(), first_result = inputs + call.getCaptures().size();
  for (auto [result, input] : llvm::enumerate(call.getAliases()))
    if (input >= 0 && !(signature.operands[static_cast<size_t>(input)].projection ==
                        signature.operands[first_result + result].projection))
      return {};
  const Shape grid = call.getGrid().shape();
  const kernels::Axes facts = kernels::axes_of(call);
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < grid.size(); ++axis)
    if (number_of(grid[axis]) > 1 && facts.is_parallel[axis] &&
        llvm::all_of(llvm::ArrayRef(signature.operands).drop_front(first_result),
                     [&](const auto& result) { return parts_are_runs(result, axis, grid); }))
      axes.push_back(axis);
  return axes;
}

/// The axes that the dims of a call's index space are, as it is cut: `i2` is the third one.
std::vector<size_t> axes_in(const space::Signature& signature) {
  std::vector<size_t> axes;
  for (const space::IndexDim& dim : signature.dims)
    axes.push_back(std::stoul(dim.name.substr(1)));
  return axes;
}

/// What points along some axes own, whatever those of the others are.
space::Operand over_axes(space::Operand operand, llvm::ArrayRef<size_t> axes, const Shape& grid) {
  const auto rank = static_cast<int>(axes.size());
  space::Projection own{{rank, {}}, operand.projection.adjustment, {}};
  for (auto [row, size, extent] :
       llvm::zip(operand.projection.map.rows, operand.projection.size, operand.shape)) {
    AffineRow kept{{}, row.offset, row.divisor, row.modulus};
    Extent all = size;
    bool has_others = false;
    for (size_t axis = 0; axis < grid.size(); ++axis) {
      const int64_t step = row.coefficients[axis], reach = step * (number_of(grid[axis]) - 1);
      if (llvm::is_contained(axes, axis)) {
        kept.coefficients.push_back(step);
        continue;
      }
      has_others |= reach != 0;
      kept.offset = kept.offset + Extent(std::min<int64_t>(0, reach));
      all = all + Extent(std::abs(reach));
    }
    if (has_others && !space::is_affine(row)) {
      kept = {std::vector<int64_t>(axes.size(), 0), 0};
      all = extent;
    }
    own.map.rows.push_back(std::move(kept));
    own.size.push_back(all);
  }
  operand.projection = std::move(own);
  if (space::writes(operand.role)) {
    operand.role = space::Role::out;
    operand.policy = {space::Policy::Kind::drop};
  }
  return operand;
}

/// Where a part's points begin along each axis of the grid.
std::vector<int64_t> starts_of(ir::KernelCallOp call, const OpPart& part,
                               llvm::ArrayRef<size_t> axes) {
  std::vector<int64_t> starts(call.getGrid().shape().size(), 0);
  for (auto [dim, axis] : llvm::enumerate(axes))
    starts[axis] = part.index.start()[dim];
  return starts;
}

bool is_cut(ir::KernelCallOp call, const OpPart& part, size_t dim, size_t axis) {
  return part.index.extent(static_cast<int>(dim)) != number_of(call.getGrid().shape()[axis]);
}

/// A number that a map gives, over the part's points and in the part's array:
///
///     (coefficients . i + offset) floordiv divisor mod modulus - shift
struct BlockNumber {
  AffineRow row;
  int64_t shift = 0;
};

/// What box of its array a block is part of.
const Box& box_of_block(ir::KernelCallOp call, const OpPart& part, size_t block) {
  const size_t number = call.getPrefetch() + block, inputs = call.getInputs().size();
  return number < inputs ? part.reads[number] : part.writes[number - inputs];
}

/// None where data decide, or what is no such function: the array is then whole.
std::optional<BlockNumber> number_in_part(ir::KernelCallOp call, const OpPart& part, size_t block,
                                          size_t dim, llvm::ArrayRef<int64_t> starts) {
  const ir::BlockDim spec = ir::block_specs(call)[block].dims[dim];
  Value number =
      call.getMaps()[block].front().getTerminator()->getOperand(static_cast<unsigned>(dim));
  std::optional<AffineRow> row = ir::index_row(number, starts.size());
  if (!row || !row->offset.constant())
    return std::nullopt;
  for (size_t axis = 0; axis < starts.size(); ++axis)
    row->offset = row->offset + Extent(row->coefficients[axis] * starts[axis]);
  const int64_t first = box_of_block(call, part, block).start()[dim];
  BlockNumber own{*row, spec.kind == ir::BlockKind::element ? first : first / number_of(spec.size)};
  if (space::is_affine(own.row)) {
    own.row.offset = own.row.offset - Extent(own.shift);
    own.shift = 0;
  }
  return own;
}

/// Emits a block's number at the end of its map.
Value emit(Builder& b, const BlockNumber& number, mlir::Block& map, DType dtype) {
  auto constant = [&](int64_t value) { return language::integer_constant(b, value, dtype); };
  auto apply = [&](Fn fn, Value x, int64_t y) {
    return language::elementwise(b, fn, {x, constant(y)});
  };
  Value sum;
  for (auto [axis, step] : llvm::enumerate(number.row.coefficients)) {
    if (step == 0)
      continue;
    Value term = language::cast(b, map.getArgument(static_cast<unsigned>(axis)), dtype);
    if (step != 1)
      term = apply(Fn::multiply, term, step);
    sum = sum ? language::elementwise(b, Fn::add, {sum, term}) : term;
  }
  const int64_t offset = number_of(number.row.offset);
  if (!sum)
    sum = constant(offset);
  else if (offset != 0)
    sum = apply(Fn::add, sum, offset);
  if (number.row.divisor != 1)
    sum = apply(Fn::floor_divide, sum, number.row.divisor);
  if (number.row.modulus != 0)
    sum = apply(Fn::remainder, sum, number.row.modulus);
  return number.shift != 0 ? apply(Fn::subtract, sum, number.shift) : sum;
}

/// Coordinates of a part's points become those of the whole.
void move_coordinates(Builder& b, mlir::Block& block, const llvm::MapVector<size_t, Value>& moved) {
  for (const auto& [axis, offset] : moved) {
    b.setInsertionPointToStart(&block);
    replace_argument(block.getArgument(static_cast<unsigned>(axis)), [&](Value coordinate) {
      return language::elementwise(b, Fn::add, {coordinate, offset});
    });
  }
}

} // namespace

space::Signature signature_of(ir::KernelCallOp call) {
  const Shape grid = call.getGrid().shape();
  if (calls_host(call) ||
      !llvm::all_of(grid, [](const Extent& extent) { return extent.is_constant(); }))
    return whole_signature(call);
  const space::Signature all = space::instantiate(call.signature(), {});
  const std::vector<size_t> axes = cut_axes(call, all);
  if (axes.empty())
    return whole_signature(call);
  space::Signature signature{all.op, {}, {}};
  for (size_t axis : axes)
    signature.dims.push_back(space::map_dim(all.dims[axis].name, grid[axis]));
  for (const space::Operand& operand : all.operands)
    signature.operands.push_back(over_axes(operand, axes, grid));
  return signature;
}

/// Of an input whose blocks all lie outside something must be there to lie outside of.
void set_reads(ir::KernelCallOp call, OpPart& part) {
  for (auto [input, box] : llvm::zip(call.getInputs(), part.reads))
    if (space::is_empty(box))
      box = tensor_of(input);
}

std::vector<int64_t> borders(ir::KernelCallOp call, const OpPart& part,
                             const space::Signature& signature) {
  std::vector<int64_t> all;
  const std::vector<int64_t> starts = starts_of(call, part, axes_in(signature));
  for (size_t block = 0; block < call.getMaps().size(); ++block)
    for (size_t dim = 0; dim < ir::block_specs(call)[block].dims.size(); ++dim)
      if (auto number = number_in_part(call, part, block, dim, starts)) {
        all.push_back(number_of(number->row.offset));
        all.push_back(number->shift);
      }
  return all;
}

std::vector<int64_t> offsets(ir::KernelCallOp call, const OpPart& part,
                             const space::Signature& signature) {
  std::vector<int64_t> all;
  for (auto [dim, axis] : llvm::enumerate(axes_in(signature)))
    if (is_cut(call, part, dim, axis))
      all.push_back(part.index.start()[dim]);
  return all;
}

Values make(ir::KernelCallOp call, const Making& making) {
  const std::vector<size_t> axes = axes_in(making.signature);
  const std::vector<int64_t> starts = starts_of(call, making.part, axes);
  Shape grid = call.getGrid().shape();
  llvm::MapVector<size_t, Value> offsets;
  for (auto [dim, axis] : llvm::enumerate(axes)) {
    if (is_cut(call, making.part, dim, axis))
      offsets[axis] =
          language::cast(making.b, making.offset(making.part.index.start()[dim]), DType::i32);
    grid[axis] = making.part.index.extent(static_cast<int>(dim));
  }
  Values results = clone(making);
  auto made = llvm::cast<ir::KernelCallOp>(results[0].getDefiningOp());
  made.setGridAttr(ir::ExtentsAttr::of(making.b.getContext(), grid));
  auto captured = [&](mlir::Block& block) { // what the body and the maps all see
    llvm::MapVector<size_t, Value> own;
    for (const auto& [axis, offset] : offsets)
      own[axis] = block.addArgument(offset.getType(), call.getLoc());
    return own;
  };
  Builder b(call.getLoc(), making.b.getContext());
  move_coordinates(b, made.getBody().front(), captured(made.getBody().front()));
  for (auto [block, region] : llvm::enumerate(made.getMaps())) {
    mlir::Block& map = region.front();
    const llvm::MapVector<size_t, Value> own = captured(map);
    move_coordinates(b, map, own);
    mlir::Operation* end = map.getTerminator();
    b.setInsertionPoint(end);
    for (auto [dim, number] : llvm::enumerate(end->getOpOperands()))
      if (auto in_part = number_in_part(call, making.part, block, dim, starts))
        number.set(emit(b, *in_part, map, ir::dtype_of(number.get())));
    for (mlir::Operation* op = end->getPrevNode(); op;) {
      mlir::Operation* before = op->getPrevNode();
      if (mlir::isOpTriviallyDead(op))
        op->erase();
      op = before;
    }
  }
  for (const auto& [axis, offset] : offsets)
    made.getCapturesMutable().append(offset);
  return results;
}

} // namespace kolam::transform::cut
