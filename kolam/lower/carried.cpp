// Binds the arguments of bodies to elements.
#include "kolam/lower/carried.h"

#include "kolam/ir/facts.h"
#include "kolam/ir/ops.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/error.h"

#include "llvm/ADT/SetVector.h"

namespace kolam::lower {
namespace {

constexpr int64_t kFewTurns = 16; // size of code

/// Whether an op stands in a body on scalars of single elements.
bool is_inside_elements(mlir::Operation* op) {
  for (mlir::Operation* outer = op->getParentOp(); outer; outer = outer->getParentOp())
    if (ir::facts_of(outer).bodies == ir::Bodies::of_elements)
      return true;
  return false;
}

/// Whether a value of a block is computed from one for which `is_source` holds.
bool comes_from(mlir::Value value, mlir::Block& block,
                llvm::function_ref<bool(mlir::Value)> is_source) {
  llvm::SetVector<mlir::Value> seen;
  seen.insert(value);
  for (size_t next = 0; next < seen.size(); ++next) {
    mlir::Value at = seen[next];
    if (is_source(at))
      return true;
    if (mlir::Operation* op = at.getDefiningOp(); op && op->getBlock() == &block)
      seen.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// Whether a value is accumulated, which makes it a vector also where it is the same for all lanes.
bool is_accumulated(mlir::Value value) {
  mlir::Operation* op = value.getDefiningOp();
  return op && op->walk([](mlir::Operation* inner) {
                   return ir::facts_of(inner).again == ir::Again::dear &&
                                  ir::facts_of(inner).bodies != ir::Bodies::in_turn
                              ? mlir::WalkResult::interrupt()
                              : mlir::WalkResult::advance();
                 }).wasInterrupted();
}

} // namespace

Elements always(Value cell) {
  return [cell](IndexSpan) { return cell; };
}

std::vector<Elements> all_always(ValueSpan cells) {
  std::vector<Elements> result;
  for (Value cell : cells)
    result.push_back(always(cell));
  return result;
}

std::vector<Elements> joined(std::vector<Elements> first, llvm::ArrayRef<Elements> rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

Bodies::Bodies(mlir::Operation* op, IndexSpan index, Emission& e, bool lanes_differ)
    : op_(op), index_(index), pointwise_(ir::pointwise(op)), e_(e),
      lanes_differ_(lanes_differ || (e.lanes() > 1 && is_inside_elements(op))) {
  are_numbers_ = ir::carries_numbers(op);
  KOLAM_CHECK(pointwise_.why_not.empty() && index.size() == pointwise_.shape.size());
  if (e.lanes() > 1 && ir::facts_of(op).bodies == ir::Bodies::in_turn)
    find_vectors(op->getRegions().back().front(), op->getNumResults());
}

bool Bodies::gives_vectors(mlir::ValueRange captured, llvm::ArrayRef<Elements> captures) const {
  if (e_.lanes() == 1)
    return false;
  for (auto [value, elements] : llvm::zip_equal(captured, captures))
    if (ir::rank_of(value) == 0 && llvm::isa<mlir::VectorType>(elements({}).getType()))
      return true;
  return is_accumulated(op_->getResult(0));
}

void Bodies::find_vectors(mlir::Block& body, size_t results) {
  // The states are the arguments in front of what the loop captures, behind a counter.
  mlir::ValueRange yields = body.getTerminator()->getOperands();
  const unsigned counters = llvm::isa<ir::ForOp>(body.getParentOp()) ? 1 : 0;
  for (bool is_new = true; std::exchange(is_new, false);)
    for (size_t state = 0; state < results; ++state) {
      auto is_source = [&](mlir::Value value) {
        auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
        return is_accumulated(value) ||
               (argument && argument.getOwner() == &body && argument.getArgNumber() >= counters &&
                vector_states_.contains(argument.getArgNumber() - counters));
      };
      if (!vector_states_.contains(state) && comes_from(yields[state], body, is_source)) {
        vector_states_.insert(state);
        vectors_.insert(yields[state]);
        is_new = true;
      }
    }
}

Values Bodies::cells(mlir::ValueRange values) const {
  Values cells;
  auto emit = [&] {
    for (mlir::Value value : values)
      cells.push_back(e_.cell(value, ir::rank_of(value) == 0 ? IndexSpan() : IndexSpan(index_)));
  };
  // Of arrays of numbers that are carried each element is known where its place is.
  are_numbers_ ? e_.turn_by_turn(kFewTurns, emit) : emit();
  return cells;
}

Value Bodies::spread(mlir::Value value, Value cell) const {
  bool is_own = ir::rank_of(value) > 0 &&
                llvm::any_of(index_, [](const Coordinate& i) { return !i.is_uniform(); });
  if (lanes_differ_ || is_own || vectors_.contains(value))
    return e_.spread(cell);
  // A choice gives vectors, also of what is the same for all lanes.
  return llvm::isa<mlir::VectorType>(cell.getType()) ? e_.lanes_from(cell, 0, 1)[0] : cell;
}

Values Bodies::first(mlir::ValueRange inits) const {
  Values cells = next(inits);
  for (auto [number, cell] : llvm::enumerate(cells))
    if (vector_states_.contains(number))
      cell = e_.spread(cell);
  return cells;
}

Values Bodies::next(mlir::ValueRange yields) const {
  Values cells = this->cells(yields);
  for (auto [value, cell] : llvm::zip(yields, cells))
    cell = spread(value, cell);
  return cells;
}

std::vector<Elements> Bodies::captured(size_t first, mlir::ValueRange operands) const {
  std::vector<Elements> result;
  for (auto [number, value] : llvm::enumerate(operands)) {
    const std::vector<int>& reads = pointwise_.reads[first + number];
    if (llvm::is_contained(reads, ir::kAnywhere)) {
      result.push_back([value, &e = e_](IndexSpan index) { return e.cell(value, index); });
      continue;
    }
    Index own;
    for (int dim : reads)
      own.push_back(index_[dim]);
    result.push_back(always(e_.cell(value, own)));
  }
  return result;
}

void Bodies::enter(mlir::Block& body, llvm::ArrayRef<Elements> arguments) const {
  e_.enter();
  KOLAM_CHECK(body.getNumArguments() == arguments.size());
  for (auto [argument, elements] : llvm::zip(body.getArguments(), arguments))
    e_.bind_cells(argument, elements);
}

Value emit_count(Value lower, Value upper, Emission& e) {
  auto first = constant_of(lower), last = constant_of(upper);
  if (first && last && (*first >= 0) == (*last >= 0))
    return e.i64(std::max<int64_t>(0, *last - *first));
  ScalarBuilder s(e.b);
  Value difference = e.sub(upper, lower);
  Value fits = s.sge(difference, e.i64(0));
  Value count = s.select(fits, difference, e.i64(std::numeric_limits<int64_t>::max()));
  return s.select(s.slt(lower, upper), count, e.i64(0));
}

Values emit_counted(Value count, double step_flops, ValueSpan state,
                    llvm::function_ref<Values(Value, ValueSpan)> body, Emission& e) {
  // Between looks at the flag; a nest has many elements, so that each looks once.
  step_flops = std::max(1.0, step_flops);
  auto known = constant_of(count);
  if (known && static_cast<double>(*known) * step_flops <= kThreads.look_free_flops)
    return e.loop(e.i64(0), count, state, body);
  auto steps =
      static_cast<int64_t>(std::clamp(kThreads.look_flops / step_flops, 1.0, kThreads.look_steps));
  Values all(state.begin(), state.end());
  all.push_back(e.i64(0));
  Values last = e.repeat(
      all,
      [&](ValueSpan carried) {
        return mlir::arith::CmpIOp::create(e.b, mlir::arith::CmpIPredicate::slt, carried.back(),
                                           count);
      },
      [&](ValueSpan carried) {
        Value first = carried.back(), left = e.sub(count, first);
        Value end = e.add(first, mlir::arith::MinSIOp::create(e.b, left, e.i64(steps)));
        Values next = e.loop(first, end, carried.drop_back(), [&](Value k, ValueSpan own) {
          e.assume_below(k, count);
          return body(k, own);
        });
        next.push_back(end);
        return next;
      });
  last.pop_back();
  return last;
}

} // namespace kolam::lower
