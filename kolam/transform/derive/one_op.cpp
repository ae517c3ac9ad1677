// Finds contractions, sums and scatters in reversed bodies, and makes them over all steps.
#include "kolam/transform/derive/one_op.h"

#include "kolam/ir/contract_spec.h"
#include "kolam/ir/facts.h"
#include "kolam/language/contract.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/transpose.h"
#include "kolam/transform/kernels/sums.h"
#include "kolam/transform/lists/rename.h"

namespace kolam::transform::derive {
namespace {

/// Whether an op moves or converts the elements of its one operand: of a sum what it gives is the
/// sum of what it gives of each term.
bool keeps_sums(mlir::Operation* op) {
  return op->getNumOperands() == 1 &&
         (ir::facts_of(op).view == ir::View::by_map || llvm::isa<ir::CastOp>(op));
}

/// Whether a value is what `zeros` makes.
bool is_zeros(Value value) {
  if (auto broadcast = value.getDefiningOp<ir::BroadcastOp>())
    value = broadcast.getOperand();
  if (auto cast = value.getDefiningOp<ir::CastOp>())
    value = cast.getOperand();
  return kernels::is_zero(value);
}

bool is_core(mlir::Operation* op) {
  if (auto contract = llvm::dyn_cast<ir::ContractOp>(op))
    return !contract.getWhere();
  if (auto scatter = llvm::dyn_cast<ir::ScatterOp>(op))
    return scatter.getCombiner() == "kAdd" && scatter.getDestinations().size() == 1 &&
           is_zeros(scatter.getDestinations()[0]);
  auto reduce = llvm::dyn_cast<ir::ReduceOp>(op);
  return reduce && reduce.getMonoid() == "add" && reduce.getMerge().empty() &&
         reduce.getInputs().size() == 1;
}

/// Whether the block binds extents of a value, which then has another shape at each step.
bool has_own_extents(Value value, mlir::Block& block) {
  const Shape shape = ir::shape_of(value);
  return llvm::any_of(shape, [&](const Extent& extent) {
    return llvm::any_of(extent.symbols(), [&](const std::string& symbol) {
      return lists::binds(*block.getParent(), symbol);
    });
  });
}

/// The list of a loop inside whose elements, the last first, an operand stacks; null for others.
Value list_inside(Value operand, mlir::Block& block) {
  auto reverse = operand.getDefiningOp<ir::ReverseOp>();
  Value stacked = reverse ? reverse.getOperand() : operand;
  if (auto renamed = stacked.getDefiningOp<ir::ReshapeOp>()) // under the extent of another list
    stacked = renamed.getOperand();
  auto unpack = stacked.getDefiningOp<ir::UnpackOp>();
  return unpack && unpack->getBlock() == &block ? unpack.getList() : Value();
}

} // namespace

Values factors_of(mlir::Operation* core) {
  auto scatter = llvm::dyn_cast<ir::ScatterOp>(core);
  if (!scatter)
    return Values(core->operand_begin(), core->operand_end());
  Value update = scatter.getUpdates()[0];
  if (auto cast = update.getDefiningOp<ir::CastOp>()) // narrow floats take half the memory
    update = cast.getOperand();
  return {update, scatter.getIndices()};
}

std::optional<OneOp> as_one_op(Value contribution, mlir::Block& block, bool takes_lists) {
  OneOp found{contribution.getDefiningOp(), {}, false, {}};
  while (found.core && found.core->getBlock() == &block && keeps_sums(found.core)) {
    found.after.push_back(found.core);
    found.core = found.core->getOperand(0).getDefiningOp();
  }
  if (!found.core || found.core->getBlock() != &block || !is_core(found.core))
    return std::nullopt;
  bool any_row = false;
  for (Value operand : factors_of(found.core)) {
    if (operand.getParentBlock() != &block) {
      found.changing.emplace_back();
      continue;
    }
    if (Value list = list_inside(operand, block)) {
      found.is_nested = true;
      found.changing.push_back(list);
    } else if (has_own_extents(operand, block)) {
      return std::nullopt;
    } else {
      any_row = true;
      found.changing.push_back(operand);
    }
  }
  if (found.is_nested && (any_row || !takes_lists))
    return std::nullopt;
  return found;
}

/// The chunks of a sum over `first`, the extent of the first of its summed dims, and `others`; 0
/// where its last chunk is not whole or chunks are not merged pairwise.
static int64_t whole_chunks(const Accumulate& accumulate, const Extent& first,
                            const Extent& others) {
  const Extent count = first * others;
  const auto elements = count.constant();
  return elements && *elements % accumulate.chunk == 0 ? *elements / accumulate.chunk : 0;
}

static int64_t chunks_of(ir::ContractOp op, char step) {
  const auto [lhs, rhs, where, result] = ir::contract_letters(op.getSpec());
  const Shape shape = ir::shape_of(op.getLhs());
  Extent others(1);
  for (auto [letter, extent] : llvm::zip(lhs, shape))
    if (letter != step && !llvm::is_contained(result, letter))
      others = others * extent;
  if (!llvm::is_contained(lhs, step) || !llvm::is_contained(rhs, step))
    return 0;
  return whole_chunks(ir::accumulate_of(op.getAccumulate()), shape[lhs.find(step)], others);
}

/// Where the last dim is reduced chunks lie within the trailing dims that are.
static int64_t chunks_of(ir::ReduceOp op) {
  const Shape shape = ir::shape_of(op.getInputs()[0]);
  const auto is_reduced = [&](size_t dim) {
    return llvm::is_contained(op.getDims(), static_cast<int64_t>(dim));
  };
  const Accumulate accumulate = ir::accumulate_of(op.getAccumulate());
  size_t run = shape.size(); // where the trailing dims begin
  while (run > 0 && is_reduced(run - 1))
    --run;
  Extent outer(1), inner(1);
  for (size_t dim = 1; dim < shape.size(); ++dim)
    if (is_reduced(dim))
      (dim >= run && run < shape.size() ? inner : outer) =
          (dim >= run && run < shape.size() ? inner : outer) * shape[dim];
  if (run == 0 || run == shape.size())
    return whole_chunks(accumulate, shape[0], outer * inner);
  const auto steps = shape[0].constant(), rows = outer.constant(), run_length = inner.constant();
  if (!steps || !rows || !run_length || accumulate.in_order)
    return 0;
  return *steps * *rows * ((*run_length + accumulate.chunk - 1) / accumulate.chunk);
}

/// `x` again and again along a new dim.
static Value repeated(Builder& b, Value x, int64_t dim, const Extent& count) {
  Shape shape = ir::shape_of(x);
  llvm::SmallVector<int64_t> dims;
  for (int64_t own = 0; own < static_cast<int64_t>(shape.size()); ++own)
    dims.push_back(own < dim ? own : own + 1);
  shape.insert(shape.begin() + dim, count);
  return ir::BroadcastOp::create(b, language::tensor_type(b, ir::dtype_of(x), shape), x, dims);
}

/// The scatter of all steps' updates: the steps are the first of the dims that say which update is
/// the next, behind batched dims.
static StepSum scattered(Builder& b, const OneOp& one, Value update, Value indices) {
  auto like = llvm::cast<ir::ScatterOp>(one.core);
  const auto batched = static_cast<int64_t>(like.getBatchedDims());
  mlir::Type type = like.getResult(0).getType();
  update = language::cast(b, update, ir::dtype_of(type));
  if (!one.is_nested) {
    const Extent steps = ir::shape_of(update)[0];
    update = language::moveaxis(b, update, {0}, {batched});
    indices = one.changing[1] ? language::moveaxis(b, indices, {0}, {batched})
                              : repeated(b, indices, batched, steps);
  }
  Value nothing = zeros(b, type);
  auto op =
      ir::ScatterOp::create(b, mlir::TypeRange{type}, mlir::ValueRange{nothing},
                            mlir::ValueRange{update}, indices, mlir::ValueRange{}, like.getDims(),
                            like.getBatchedDims(), like.getCombiner(), false, like.getMode());
  return {op.getResult(0), one.after, {}, 0, nothing};
}

StepSum over_steps(Builder& b, const OneOp& one, const Values& operands) {
  if (llvm::isa<ir::ScatterOp>(one.core))
    return scattered(b, one, operands[0], operands[1]);
  StepSum made{{}, one.after, {}};
  for (Value changing : one.changing)
    made.is_stacked.push_back(bool(changing));
  Value& sum = made.value;
  if (auto contract = llvm::dyn_cast<ir::ContractOp>(one.core)) {
    const auto [lhs, rhs, where, result] = ir::contract_letters(contract.getSpec());
    std::string step;
    for (char letter : std::string("stuvwxyzabcdefghijklmnopqrSTUVWXYZABCDEFGHIJKLMNOPQR"))
      if (!one.is_nested && step.empty() && !llvm::is_contained(lhs + rhs, letter))
        step = letter;
    std::string spec = (one.changing[0] ? step : "") + lhs + "," + (one.changing[1] ? step : "") +
                       rhs + "->" + result;
    sum = language::contract(b, operands[0], operands[1], spec, ir::dtype_of(contract.getResult()));
    if (auto op = sum.getDefiningOp<ir::ContractOp>(); op && !step.empty())
      made.chunks = chunks_of(op, step[0]);
  } else {
    auto reduce = llvm::cast<ir::ReduceOp>(one.core);
    language::Axes dims;
    if (!one.is_nested)
      dims.push_back(0);
    for (int64_t dim : reduce.getDims())
      dims.push_back(one.is_nested ? dim : dim + 1);
    sum = language::combine(b, operands[0], Fn::add, dims);
    if (auto op = sum.getDefiningOp<ir::ReduceOp>(); op && !one.is_nested)
      made.chunks = chunks_of(op);
  }
  return made;
}

Value finished(Builder& b, const StepSum& sum, Value value) {
  for (mlir::Operation* op : llvm::reverse(sum.after)) {
    mlir::Operation* copied = b.clone(*op);
    copied->setOperand(0, value);
    value = copied->getResult(0);
  }
  return value;
}

// Note [One op]
// The gradient of a weight that T steps share is a sum of T products of few rows. Stacked, it is
// one product over all steps and rows, which reads and writes the weight once. The order is
// binding: the steps are the first of the summed dims, the last step first, whatever cuts the loop
// into segments.

} // namespace kolam::transform::derive
