// Makes scans of loops that fill arrays: where the boxes of steps lie, and the scan that stacks
// them.
#include "kolam/nest/stacked_rows.h"

#include "kolam/analysis/ranges.h"
#include "kolam/ir/independent.h"
#include "kolam/ir/pointwise.h"
#include "kolam/support/elementwise.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::nest {
namespace {

/// What an argument of the loop's body stands for outside, where it is a capture.
mlir::Value outside(mlir::Value value) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
  auto loop = argument ? llvm::dyn_cast<ir::ForOp>(argument.getOwner()->getParentOp()) : nullptr;
  if (!loop)
    return value;
  size_t first = 1 + loop.getInits().size();
  return argument.getArgNumber() < first ? value
                                         : loop.getCaptures()[argument.getArgNumber() - first];
}

/// The first element of integers that are known, through what only moves elements.
std::optional<int64_t> integer_of(mlir::Value value) {
  value = outside(value);
  mlir::Operation* op = value.getDefiningOp();
  if (!op || is_float(ir::dtype_of(value)))
    return std::nullopt;
  if (auto constant = llvm::dyn_cast<ir::ConstantOp>(op)) {
    auto elements = llvm::cast<mlir::DenseElementsAttr>(constant.getValue());
    if (elements.empty())
      return std::nullopt;
    return (*elements.value_begin<llvm::APInt>()).getSExtValue();
  }
  auto slice = llvm::dyn_cast<ir::SliceOp>(op);
  bool is_from_first = slice && llvm::all_of(slice.getStarts().shape(), [](const Extent& start) {
                         return start == Extent(0);
                       });
  auto concat = llvm::dyn_cast<ir::ConcatOp>(op);
  bool has_first = concat && ir::shape_of(op->getOperand(0))[concat.getDim()] == Extent(1);
  if (ir::facts_of(op).keeps_order || llvm::isa<ir::CastOp, ir::BroadcastOp>(op) || is_from_first ||
      has_first)
    return integer_of(op->getOperand(0));
  return std::nullopt;
}

std::optional<Fn> function_of(mlir::Value value) {
  auto elementwise = value.getDefiningOp<ir::ElementwiseOp>();
  return elementwise ? parse_fn(elementwise.getFunction()) : std::nullopt;
}

bool is_arithmetic(std::optional<Fn> fn) {
  return fn == Fn::add || fn == Fn::subtract || fn == Fn::multiply;
}

/// An integer as factor * counter + offset + base, where the loop does not change the base.
struct Linear {
  int64_t factor = 0, offset = 0;
  mlir::Value base; ///< null for 0
  friend bool operator==(const Linear&, const Linear&) = default;
};

std::optional<Linear> linear_of(mlir::Value value, ir::ForOp loop) {
  if (auto number = integer_of(value))
    return Linear{0, *number, {}};
  if (value == loop.getBody().getArgument(0))
    return Linear{1, 0, {}};
  if (outside(value) != value)
    return analysis::Ranges().of(value) ? std::optional(Linear{0, 0, value}) : std::nullopt;
  mlir::Operation* op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  std::optional<Fn> fn = function_of(value);
  if (fn == Fn::where) { // a place counted from the end where it is negative
    auto less = op->getOperand(0).getDefiningOp<ir::ElementwiseOp>();
    auto bounds = analysis::Ranges().of(op->getOperand(2));
    bool is_itself = less && parse_fn(less.getFunction()) == Fn::less &&
                     integer_of(less->getOperand(1)) == 0 && bounds && bounds->least >= 0;
    if (!is_itself)
      return std::nullopt;
    auto index = linear_of(op->getOperand(2), loop);
    return index == linear_of(less->getOperand(0), loop) ? index : std::nullopt;
  }
  if (!analysis::Ranges().of(value)) // what may wrap is not linear
    return std::nullopt;
  if (llvm::isa<ir::CastOp, ir::BroadcastOp>(op) || ir::facts_of(op).keeps_order)
    return linear_of(op->getOperand(0), loop);
  if (!is_arithmetic(fn))
    return std::nullopt;
  auto left = linear_of(op->getOperand(0), loop), right = linear_of(op->getOperand(1), loop);
  if (!left || !right || (left->base && right->base))
    return std::nullopt;
  if (fn == Fn::multiply) {
    if (right->factor == 0 && !right->base)
      std::swap(left, right);
    if (left->factor != 0 || left->base || right->base)
      return std::nullopt;
    return Linear{right->factor * left->offset, right->offset * left->offset, {}};
  }
  if (fn == Fn::subtract && right->base)
    return std::nullopt;
  const int64_t sign = fn == Fn::subtract ? -1 : 1;
  return Linear{left->factor + sign * right->factor, left->offset + sign * right->offset,
                left->base ? left->base : right->base};
}

/// What steps write into a state: boxes one behind the other along a dim.
struct Boxes {
  mlir::Operation* writer;
  mlir::Value box;
  int64_t dim;
  Extent size;      ///< of a box along that dim
  int64_t first;    ///< where the first one starts, and
  mlir::Value base; ///< what is to be added to that, or null
  bool is_all;      ///< that the state has
};

/// The number of steps.
std::optional<Extent> step_count(ir::ForOp loop) {
  auto lower = integer_of(loop.getLower());
  if (!lower)
    return std::nullopt;
  if (auto upper = integer_of(loop.getUpper()))
    return *upper > *lower ? std::optional(Extent(*upper - *lower)) : std::nullopt;
  auto extent = loop.getUpper().getDefiningOp<ir::ExtentOp>();
  return extent && lower == 0 ? Extent::parse(extent.getExpression()) : std::nullopt;
}

/// Of a box, with the rank of the state.
Shape box_shape(const Boxes& boxes) {
  Shape shape = ir::shape_of(boxes.writer->getResult(0));
  shape[static_cast<size_t>(boxes.dim)] = boxes.size;
  return shape;
}

/// The extents of a box as a step of the scan gives it: those of the states, where they only lack
/// or add dims of one element.
Shape step_shape(const Boxes& boxes, const Shape& states) {
  auto long_dims = [](Shape shape) {
    llvm::erase(shape, Extent(1));
    return shape;
  };
  Shape own = box_shape(boxes);
  return long_dims(own) == long_dims(states) ? states : own;
}

/// Whether extents are the same but for leading ones.
bool is_row_of(Shape row, llvm::ArrayRef<Extent> shape) {
  while (row.size() > shape.size() && row.front() == Extent(1))
    row.erase(row.begin());
  return llvm::ArrayRef<Extent>(row) == shape;
}

/// The row of a step's number, all rows, that a scatter writes.
std::optional<Boxes> row_written(ir::ScatterOp scatter, ir::ForOp loop, const Extent& steps) {
  if (scatter.getResults().size() != 1 || scatter.getCombiner() != "kUpdate" ||
      scatter.getDims() != llvm::ArrayRef<int64_t>{0} || scatter.getBatchedDims() != 0 ||
      element_count(ir::shape_of(scatter.getIndices())) != Extent(1))
    return std::nullopt;
  mlir::Value row = scatter.getUpdates()[0];
  Shape whole = ir::shape_of(scatter.getResult(0));
  auto at = linear_of(scatter.getIndices(), loop);
  if (!at || at->factor != 1 || at->offset != 0 || at->base || integer_of(loop.getLower()) != 0 ||
      whole[0] != steps ||
      !is_row_of(ir::shape_of(row), llvm::ArrayRef<Extent>(whole).drop_front()))
    return std::nullopt;
  return Boxes{scatter, row, 0, 1, 0, {}, true};
}

std::optional<Boxes> box_written(ir::DynamicUpdateSliceOp update, ir::ForOp loop,
                                 const Extent& steps) {
  const Shape whole = ir::shape_of(update.getOperand()), size = ir::shape_of(update.getUpdate());
  std::optional<Boxes> found;
  for (size_t dim = 0; dim < whole.size(); ++dim) {
    if (whole[dim] == size[dim] && !(whole[dim] == Extent(1) && steps == Extent(1)))
      continue; // its start is 0
    auto at = linear_of(update.getStarts()[static_cast<unsigned>(dim)], loop);
    if (found || !at || at->factor < 1 || Extent(at->factor) != size[dim])
      return std::nullopt;
    const int64_t first = at->offset + at->factor * *integer_of(loop.getLower());
    found = Boxes{update,
                  update.getUpdate(),
                  static_cast<int64_t>(dim),
                  size[dim],
                  first,
                  at->base,
                  first == 0 && !at->base && size[dim] * steps == whole[dim]};
    if (found->is_all)
      continue;
    auto base = at->base ? analysis::Ranges().of(at->base) : analysis::Range{0, 0};
    auto extent = whole[dim].constant(), count = steps.constant();
    if (!base || !extent || !count || base->least + first < 0 ||
        base->most + first + at->factor * *count > *extent)
      return std::nullopt;
  }
  return found;
}

/// What writes a state that nothing else reads.
std::optional<Boxes> boxes_of(ir::ForOp loop, size_t state, const Extent& steps) {
  mlir::Block& body = loop.getBody().front();
  mlir::Value own = body.getArgument(1 + state), next = body.getTerminator()->getOperand(state);
  mlir::Operation* op = next.getDefiningOp();
  if (!op || op->getNumOperands() == 0 || op->getOperand(0) != own || !own.hasOneUse() ||
      !next.hasOneUse() || ir::rank_of(own) == 0)
    return std::nullopt;
  if (auto update = llvm::dyn_cast<ir::DynamicUpdateSliceOp>(op))
    return box_written(update, loop, steps);
  auto scatter = llvm::dyn_cast<ir::ScatterOp>(op);
  return scatter ? row_written(scatter, loop, steps) : std::nullopt;
}

mlir::Value reshaped(mlir::OpBuilder& b, mlir::Location loc, mlir::Value value,
                     const Shape& shape) {
  if (ir::shape_of(value) == shape)
    return value;
  return ir::ReshapeOp::create(b, loc, ir::tensor_type(b.getContext(), ir::dtype_of(value), shape),
                               value);
}

/// The state, with the stacked boxes [steps, box...] in it.
mlir::Value written(mlir::OpBuilder& b, ir::ForOp loop, mlir::Value stacked, const Boxes& boxes,
                    mlir::Value state) {
  mlir::Location loc = loop.getLoc();
  const Shape all = ir::shape_of(state);
  const Extent steps = ir::shape_of(stacked).front();
  const auto dim = static_cast<size_t>(boxes.dim);
  if (llvm::any_of(llvm::ArrayRef(all).take_front(dim),
                   [](const Extent& extent) { return extent != Extent(1); })) {
    Shape shape = box_shape(boxes), moved;
    if (boxes.size == Extent(1))
      shape.erase(shape.begin() + static_cast<int64_t>(dim));
    shape.insert(shape.begin(), steps);
    stacked = reshaped(b, loc, stacked, shape);
    llvm::SmallVector<int64_t> order;
    for (size_t other = 0; other < shape.size(); ++other) {
      order.push_back(static_cast<int64_t>(other < dim ? other + 1 : other == dim ? 0 : other));
      moved.push_back(shape[static_cast<size_t>(order.back())]);
    }
    stacked = ir::TransposeOp::create(
        b, loc, ir::tensor_type(b.getContext(), ir::dtype_of(stacked), moved), stacked, order);
  }
  Shape together = all;
  together[dim] = boxes.size * steps;
  stacked = reshaped(b, loc, stacked, together);
  if (boxes.is_all)
    return stacked;
  mlir::Type type = ir::tensor_type(b.getContext(), DType::i64, {});
  auto number = [&](int64_t value) -> mlir::Value {
    return ir::ConstantOp::create(
        b, loc, type,
        mlir::DenseElementsAttr::get(mlir::RankedTensorType::get({}, b.getI64Type()), value));
  };
  llvm::SmallVector<mlir::Value> starts(all.size(), number(0));
  starts[dim] = number(boxes.first);
  if (boxes.base) {
    mlir::Value base = outside(boxes.base);
    if (ir::dtype_of(base) != DType::i64)
      base = ir::CastOp::create(b, loc, type, base);
    starts[dim] = ir::ElementwiseOp::create(b, loc, type, "add", {base, starts[dim]});
  }
  return ir::DynamicUpdateSliceOp::create(b, loc, state.getType(), state, stacked, starts);
}

} // namespace

ir::ScanOp stack_rows(ir::ForOp loop) {
  std::optional<Extent> steps = step_count(loop);
  if (!steps || loop->hasAttr("late") || ir::is_independent(loop))
    return {};
  llvm::SmallVector<unsigned> carried, written_states;
  llvm::DenseMap<unsigned, Boxes> boxes;
  for (unsigned state = 0; state < loop.getInits().size(); ++state) {
    auto found = boxes_of(loop, state, *steps);
    (found ? written_states : carried).push_back(state);
    if (found)
      boxes.try_emplace(state, *found);
  }
  if (written_states.empty() || carried.empty())
    return {};

  mlir::OpBuilder b(loop);
  mlir::Location loc = loop.getLoc();
  mlir::Block& old = loop.getBody().front();
  auto type_of = [&](mlir::Value like, Shape shape) {
    return ir::tensor_type(b.getContext(), ir::dtype_of(like), shape);
  };
  mlir::Value numbers = ir::IotaOp::create(b, loc, type_of(loop.getLower(), {*steps}), 0);
  if (integer_of(loop.getLower()) != 0)
    numbers = ir::ElementwiseOp::create(
        b, loc, numbers.getType(), "add",
        {numbers, ir::BroadcastOp::create(b, loc, numbers.getType(), loop.getLower(),
                                          llvm::ArrayRef<int64_t>{})});
  llvm::SmallVector<mlir::Value> inits;
  llvm::SmallVector<mlir::Type> types;
  for (unsigned state : carried) {
    inits.push_back(loop.getInits()[state]);
    types.push_back(loop.getResult(state).getType());
  }
  const Shape shape_of_states = ir::shape_of(inits[0]);
  for (unsigned state : written_states) {
    Shape shape = step_shape(boxes.find(state)->second, shape_of_states);
    shape.insert(shape.begin(), *steps);
    types.push_back(type_of(loop.getResult(state), shape));
  }
  auto scan =
      ir::ScanOp::create(b, loc, types, inits, mlir::ValueRange{numbers}, loop.getCaptures(),
                         ir::ExtentsAttr::of(b.getContext(), {*steps}), false);
  mlir::Block& body = scan.getBody().emplaceBlock();
  mlir::IRMapping mapping;
  auto add = [&](mlir::Value argument) {
    mapping.map(argument, body.addArgument(argument.getType(), argument.getLoc()));
  };
  for (unsigned state : carried)
    add(old.getArgument(1 + state));
  add(old.getArgument(0));
  for (mlir::BlockArgument argument : old.getArguments().drop_front(1 + loop.getInits().size()))
    add(argument);
  mlir::OpBuilder inner = mlir::OpBuilder::atBlockEnd(&body);
  for (mlir::Operation& op : old.without_terminator())
    if (llvm::none_of(boxes, [&](const auto& entry) { return entry.second.writer == &op; }))
      inner.clone(op, mapping);
  llvm::SmallVector<mlir::Value> yields;
  for (unsigned state : carried)
    yields.push_back(mapping.lookupOrDefault(old.getTerminator()->getOperand(state)));
  for (unsigned state : written_states) {
    const Boxes& own = boxes.find(state)->second;
    yields.push_back(
        reshaped(inner, loc, mapping.lookupOrDefault(own.box), step_shape(own, shape_of_states)));
  }
  ir::YieldOp::create(inner, loc, yields);

  // Step by step a scan puts what lies in one piece where it is to lie.
  const bool are_rows = llvm::all_of(boxes, [](const auto& entry) {
    const Shape shape = ir::shape_of(entry.second.writer->getResult(0));
    auto before = llvm::ArrayRef(shape).take_front(static_cast<size_t>(entry.second.dim));
    return entry.second.is_all &&
           llvm::all_of(before, [](const Extent& extent) { return extent == Extent(1); });
  });
  if (!are_rows && !ir::pointwise(scan).why_not.empty()) {
    scan.erase();
    if (auto sum = numbers.getDefiningOp<ir::ElementwiseOp>()) {
      auto parts = llvm::to_vector(sum->getOperands());
      sum.erase();
      for (mlir::Value part : parts)
        part.getDefiningOp()->erase();
    } else {
      numbers.getDefiningOp()->erase();
    }
    return {};
  }
  size_t result = 0;
  for (unsigned state : carried)
    loop.getResult(state).replaceAllUsesWith(scan.getResult(result++));
  for (unsigned state : written_states)
    loop.getResult(state).replaceAllUsesWith(written(
        b, loop, scan.getResult(result++), boxes.find(state)->second, loop.getInits()[state]));
  loop.erase();
  return scan;
}

} // namespace kolam::nest
