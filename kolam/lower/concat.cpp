// Elements of kolam.concat: a search among the operands, halving them.
#include "kolam/lower/ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kolam::lower {

Values emit_cells(ir::ConcatOp op, IndexSpan index, Emission& e) {
  int64_t dim = op.getDim();
  std::vector<Extent> begins; // where each operand starts along the dim
  Extent before = 0;
  for (mlir::Value operand : op.getOperands()) {
    begins.push_back(before);
    before = before + ir::shape_of(operand)[dim];
  }
  // No vector holds elements from both sides of a multiple of the lanes: what is dear is computed
  // for one side. Of memory both are loaded, without a branch.
  const bool is_memory = llvm::all_of(
      op.getOperands(), [&](mlir::Value operand) { return e.buffer_of(operand) != nullptr; });
  auto lies_in_one = [&](const Extent& begin) {
    auto known = begin.constant();
    return !is_memory && index[dim].is_aligned && index[dim].stride == 1 && known &&
           *known % e.lanes() == 0;
  };
  std::function<Values(size_t, size_t)> search = [&](size_t first, size_t last) -> Values {
    if (last - first == 1) {
      Index source(index.begin(), index.end());
      source[dim] = e.sub(index[dim], e.extent(begins[first]));
      source[dim].is_aligned = lies_in_one(begins[first]);
      return {e.cell(op.getOperands()[first], source)};
    }
    size_t middle = (first + last) / 2;
    Coordinate place = lies_in_one(begins[middle]) ? Coordinate(index[dim].base) : index[dim];
    if (auto known = e.is_less(place, e.extent(begins[middle])))
      return *known ? search(first, middle) : search(middle, last);
    Value is_before = e.compare(mlir::arith::CmpIPredicate::slt, place, e.extent(begins[middle]));
    return e.choose(
        is_before, [&] { return search(first, middle); }, [&] { return search(middle, last); });
  };
  return search(0, begins.size());
}

} // namespace kolam::lower
