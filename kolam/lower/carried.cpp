// Binds the arguments of bodies to elements.
#include "kolam/lower/carried.h"

#include "kolam/ir/facts.h"
#include "kolam/support/error.h"

namespace kolam::lower {
namespace {

/// Whether an op stands in a body on scalars of single elements.
bool is_inside_elements(mlir::Operation* op) {
  for (mlir::Operation* outer = op->getParentOp(); outer; outer = outer->getParentOp())
    if (ir::facts_of(outer).bodies == ir::Bodies::of_elements)
      return true;
  return false;
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

Bodies::Bodies(mlir::Operation* op, IndexSpan index, Emission& e)
    : index_(index), pointwise_(ir::pointwise(op)), e_(e),
      lanes_differ_(e.lanes() > 1 && is_inside_elements(op)) {
  KOLAM_CHECK(pointwise_.why_not.empty() && index.size() == pointwise_.shape.size());
}

Values Bodies::cells(mlir::ValueRange values) const {
  Values cells;
  for (mlir::Value value : values)
    cells.push_back(e_.cell(value, ir::rank_of(value) == 0 ? IndexSpan() : IndexSpan(index_)));
  return cells;
}

Value Bodies::spread(mlir::Value value, Value cell) const {
  bool is_own = ir::rank_of(value) > 0 &&
                llvm::any_of(index_, [](const Coordinate& i) { return !i.is_uniform(); });
  if (lanes_differ_ || is_own)
    return e_.spread(cell);
  // What a reduction gives is a vector also where its elements are the same for all lanes.
  return llvm::isa<mlir::VectorType>(cell.getType()) ? e_.lanes_from(cell, 0, 1)[0] : cell;
}

Values Bodies::first(mlir::ValueRange inits) const { return next(inits); }

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
        Values next = e.loop(first, end, carried.drop_back(), body);
        next.push_back(end);
        return next;
      });
  last.pop_back();
  return last;
}

} // namespace kolam::lower
