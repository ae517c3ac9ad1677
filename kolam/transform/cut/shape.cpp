// Cutting ops that move elements.
#include "kolam/ir/reduced_dims.h"
#include "kolam/ir/reshape_groups.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/language/creation.h"
#include "kolam/space/projection_forms.h"
#include "kolam/space/region.h"
#include "kolam/transform/cut/rules.h"

namespace kolam::transform::cut {
namespace {

space::Point numbers(const Shape& shape) {
  space::Point result;
  for (const Extent& extent : shape)
    result.push_back(*extent.constant());
  return result;
}

Shape shape_from(const space::Point& extents) { return {extents.begin(), extents.end()}; }

/// The region that a signature names, elements outside the tensor too.
Box unclipped(const space::Signature& signature, size_t operand, const Box& index) {
  return space::region(signature.operands[operand].projection, index);
}

/// How many elements of `region` lie before and behind the tensor, dim by dim.
std::vector<int64_t> outside(const Box& region, const Box& inside) {
  std::vector<int64_t> low, high;
  for (int dim = 0; dim < region.rank(); ++dim) {
    low.push_back(inside.start()[dim] - region.start()[dim]);
    high.push_back(region.end()[dim] - inside.end()[dim]);
  }
  low.insert(low.end(), high.begin(), high.end());
  return low;
}

/// A run of elements in row-major order under a group of dims.
struct Run {
  int64_t first, last;
  friend bool operator==(const Run&, const Run&) = default;
};

/// The least run around `run` whose elements are a box of these extents.
Run boxed(Run run, const space::Point& extents) {
  int64_t inner = 1; // elements of a point along `dim`
  for (size_t dim = extents.size(); dim-- > 0;) {
    const int64_t outer = inner * extents[dim];
    const Run wide{run.first / inner * inner, (run.last + inner - 1) / inner * inner};
    if (outer > 0 && wide.first / outer == (wide.last - 1) / outer)
      return wide;
    inner = outer;
  }
  return {0, inner};
}

/// The box whose elements a run is.
void place(Run run, const space::Point& extents, space::Point& first, space::Point& last) {
  int64_t inner = 1; // elements of a point along `dim`
  for (int64_t extent : extents)
    inner *= extent;
  for (int64_t extent : extents) {
    inner /= extent;
    first.push_back(run.first / inner % extent);
    last.push_back(first.back() + std::clamp<int64_t>((run.last - run.first) / inner, 1, extent));
  }
}

space::Point dims_of(const space::Point& extents, const ir::DimRange& range) {
  auto first = extents.begin() + static_cast<std::ptrdiff_t>(range.first);
  return {first, first + static_cast<std::ptrdiff_t>(range.count)};
}

/// The run of a group's elements that a box takes, whole dims behind the first that has several.
Run run_of(const Box& box, const space::Point& extents, const ir::DimRange& range) {
  int64_t first = 0, count = 1, inner = 1;
  for (size_t dim = range.first + range.count; dim-- > range.first;)
    inner *= extents[dim];
  for (size_t dim = range.first; dim < range.first + range.count; ++dim) {
    inner = extents[dim] > 0 ? inner / extents[dim] : 0;
    first += box.start()[dim] * inner;
    count = box.extent(static_cast<int>(dim)) * inner;
    if (box.extent(static_cast<int>(dim)) != 1)
      break;
  }
  return {first, first + count};
}

/// The runs of a reshape's groups, wide enough to be boxes on both sides.
std::vector<std::pair<ir::ReshapeGroup, Run>> runs_of(ir::ReshapeOp op, const Box& index) {
  const Shape from = ir::shape_of(op.getOperand()), to = ir::shape_of(op.getResult());
  std::vector<std::pair<ir::ReshapeGroup, Run>> runs;
  for (const ir::ReshapeGroup& group : ir::reshape_groups(from, to)) {
    const space::Point outer = dims_of(numbers(from), group.from),
                       inner = dims_of(numbers(to), group.to);
    Run run = run_of(index, numbers(to), group.to);
    for (Run before{-1, -1}; !(before == run);) {
      before = run;
      run = boxed(boxed(run, outer), inner);
    }
    runs.emplace_back(group, run);
  }
  return runs;
}

} // namespace

Box tensor_of(Value value) {
  return has_numbers(value) ? Box::of_shape(numbers(ir::shape_of(value))) : Box();
}

space::Signature whole_signature(mlir::Operation* op) {
  space::Signature signature{ir::name_of(op), {}, {}};
  signature.opaque = true;
  auto add = [&](const std::string& name, Value value, space::Role role) {
    const Shape shape = has_numbers(value) ? ir::shape_of(value) : Shape();
    signature.operands.push_back({name + std::to_string(signature.operands.size()), role, shape,
                                  space::fixed(0, Shape(shape.size()), shape)});
  };
  for (Value operand : op->getOperands())
    add("operand", operand, space::Role::in);
  for (Value result : op->getResults())
    add("result", result, space::Role::out);
  return signature;
}
Shape extents_of(const Box& box) { return shape_from(space::shape(box)); }

Shape Making::result_shape(unsigned number) const { return extents_of(part.writes[number]); }
mlir::Type Making::result_type(unsigned number) const {
  return language::tensor_type(b, ir::dtype_of(op->getResult(number)), result_shape(number));
}

Values clone(const Making& making) {
  mlir::Operation* copied = making.b.insert(making.op->clone());
  copied->setOperands(making.operands);
  for (unsigned number = 0; number < copied->getNumResults(); ++number)
    if (has_numbers(making.op->getResult(number)))
      copied->getResult(number).setType(making.result_type(number));
  return {copied->getResults().begin(), copied->getResults().end()};
}

void replace_argument(Value argument, llvm::function_ref<Value(Value)> f) {
  llvm::SmallVector<mlir::OpOperand*> uses;
  for (mlir::OpOperand& use : argument.getUses())
    uses.push_back(&use);
  if (uses.empty())
    return;
  const Value made = f(argument);
  for (mlir::OpOperand* use : uses)
    use->set(made);
}

Box widened(ir::ReshapeOp op, Box index) {
  if (space::is_empty(tensor_of(op.getResult())))
    return tensor_of(op.getResult());
  space::Point first, last;
  const space::Point to = numbers(ir::shape_of(op.getResult()));
  for (const auto& [group, run] : runs_of(op, index))
    place(run, dims_of(to, group.to), first, last);
  return {std::move(first), std::move(last)};
}

void set_reads(ir::ReshapeOp op, OpPart& part) {
  if (space::is_empty(tensor_of(op.getResult())))
    return;
  space::Point first, last;
  const space::Point from = numbers(ir::shape_of(op.getOperand()));
  for (const auto& [group, run] : runs_of(op, part.index))
    place(run, dims_of(from, group.from), first, last);
  part.reads[0] = Box(std::move(first), std::move(last));
}

Values make(ir::SliceOp op, const Making& making) {
  Shape starts(static_cast<size_t>(making.part.reads[0].rank()), Extent(0));
  return {ir::SliceOp::create(making.b, making.result_type(), making.operands[0],
                              ir::ExtentsAttr::of(making.b.getContext(), starts), op.getSteps())};
}

std::vector<int64_t> borders(ir::ViewOp, const OpPart& part, const space::Signature& signature) {
  std::vector<int64_t> starts;
  const space::AffineMap& map = signature.operands[0].projection.map;
  const space::Point first = space::image(map, part.index.start());
  for (size_t dim = 0; dim < first.size(); ++dim)
    starts.push_back(first[dim] - part.reads[0].start()[dim]);
  return starts;
}

Values make(ir::ViewOp op, const Making& making) {
  std::vector<int64_t> starts = borders(op, making.part, making.signature);
  return {ir::ViewOp::create(
      making.b, making.result_type(), making.operands[0],
      ir::ExtentsAttr::of(making.b.getContext(), Shape(starts.begin(), starts.end())),
      op.getCoefficients())};
}

Values make(ir::ConcatOp op, const Making& making) {
  Values parts;
  for (auto [operand, box] : llvm::zip(making.operands, making.part.reads))
    if (operand && !space::is_empty(box))
      parts.push_back(operand);
  if (parts.size() == 1)
    return {parts[0]};
  return {ir::ConcatOp::create(making.b, making.result_type(), parts, op.getDim())};
}

std::vector<int> whole_dims(ir::PadOp op) {
  std::vector<int> dims;
  if (op.getMode() != "constant")
    for (auto [dim, low] : llvm::enumerate(op.getLow()))
      if (low > 0 || op.getHigh()[dim] > 0)
        dims.push_back(static_cast<int>(dim));
  return dims;
}

std::vector<int64_t> borders(ir::PadOp op, const OpPart& part, const space::Signature& signature) {
  if (space::is_empty(part.reads[0]))
    return {};
  const Box region = unclipped(signature, 0, part.index);
  std::vector<int64_t> all = outside(region, part.reads[0]);
  for (int dim : whole_dims(op)) {
    all[static_cast<size_t>(dim)] = op.getLow()[static_cast<size_t>(dim)];
    all[static_cast<size_t>(region.rank() + dim)] = op.getHigh()[static_cast<size_t>(dim)];
  }
  return all;
}

Values make(ir::PadOp op, const Making& making) {
  if (space::is_empty(making.part.reads[0]))
    return {language::full(making.b, making.result_shape(), making.operands[1])};
  std::vector<int64_t> all = borders(op, making.part, making.signature);
  llvm::ArrayRef<int64_t> widths(all);
  const size_t rank = widths.size() / 2;
  return {ir::PadOp::create(making.b, making.result_type(), making.operands[0], making.operands[1],
                            widths.take_front(rank), widths.drop_front(rank), op.getMode())};
}

std::vector<int> whole_dims(ir::ZipMapReduceOp op) {
  std::vector<int> dims,
      places = ir::index_of_dims(static_cast<int64_t>(op.getSpace().shape().size()), op.getDims());
  op.getBody().walk(
      [&](ir::IterIndexOp index) { dims.push_back(places[static_cast<size_t>(index.getDim())]); });
  return dims;
}

Values make(ir::ZipMapReduceOp op, const Making& making) {
  const Shape space = op.getSpace().shape();
  std::vector<int> places = ir::index_of_dims(static_cast<int64_t>(space.size()), op.getDims());
  Shape part(space.size());
  for (size_t dim = 0; dim < space.size(); ++dim)
    part[dim] = making.part.index.extent(places[dim]);
  Values results = clone(making);
  llvm::cast<ir::ZipMapReduceOp>(results[0].getDefiningOp())
      .setSpaceAttr(ir::ExtentsAttr::of(making.b.getContext(), part));
  return results;
}

} // namespace kolam::transform::cut
