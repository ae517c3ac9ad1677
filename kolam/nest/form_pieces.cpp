// Slices that are a piece of memory: `W[l]` of a stacked array. The nest that reads one is told
// where the piece begins, so that its code does not say which piece it is, and layers that differ
// in nothing else are one nest.
#include "kolam/nest/form.h"

#include "kolam/analysis/views.h"
#include "kolam/nest/changes.h"

namespace kolam::nest {

/// The first element of a piece that follows one another in row-major memory: one place in each of
/// the first dims, and all others whole; nullopt where the op shows no such.
static std::optional<Extent> start_of_piece(mlir::Operation* op) {
  std::optional<space::AffineMap> map = analysis::view_of_operand(op);
  if (!map)
    return std::nullopt;
  const Shape from = ir::shape_of(op->getOperand(0)), to = ir::shape_of(op->getResult(0));
  size_t picked = 0;
  auto reads_one = [&](size_t dim) {
    return map->rows[dim].offset.is_constant() &&
           llvm::all_of(llvm::enumerate(map->rows[dim].coefficients),
                        [&](auto at) { return at.value() == 0 || to[at.index()] == Extent(1); });
  };
  while (picked < from.size() && reads_one(picked))
    ++picked;
  if (picked == 0)
    return std::nullopt;
  // The last dims of the result are those of the operand, one by one.
  const size_t whole = from.size() - picked;
  if (whole > to.size() || llvm::any_of(llvm::ArrayRef(to).drop_back(whole),
                                        [](const Extent& e) { return e != Extent(1); }))
    return std::nullopt;
  Extent start = 0;
  for (size_t dim = 0; dim < from.size(); ++dim) {
    const space::AffineRow& row = map->rows[dim];
    start = start * from[dim] + row.offset;
    if (dim < picked)
      continue;
    const size_t own = to.size() - from.size() + dim;
    auto is_own = [&](auto at) {
      return to[at.index()] == Extent(1) || at.value() == (at.index() == own ? 1 : 0);
    };
    if (row.offset != Extent(0) || from[dim] != to[own] ||
        !llvm::all_of(llvm::enumerate(row.coefficients), is_own))
      return std::nullopt;
  }
  return start;
}

/// Whether an op writes its results over the value, where nobody reads that later.
static bool is_changed(mlir::Value value) {
  return llvm::any_of(value.getUsers(), [&](mlir::Operation* user) {
    return llvm::is_contained(changed_by(user), value);
  });
}

/// Whether a piece is shorter than a line of the cache. Many of those stand in one loop, as
/// coefficients do: a pointer to each takes a register.
static bool is_short(mlir::Value piece) {
  std::optional<int64_t> count = element_count(ir::shape_of(piece)).constant();
  return count && *count * byte_width(ir::dtype_of(piece)) < Caches().line;
}

/// Makes the op's result a piece of an argument's or a constant's memory, where it is one: that
/// stays where it is while steps run. Results have memory of their own.
bool Former::is_piece(mlir::Operation* op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1 || is_changed(op->getOperand(0)) ||
      result_numbers_.contains(op->getResult(0)) || destinations_.contains(op->getResult(0)))
    return false;
  auto operand = buffers_.find(op->getOperand(0));
  if (operand == buffers_.end())
    return false;
  const BufferPlan plan = list_.program.buffers[operand->second];
  if ((plan.place != Place::argument && plan.place != Place::constant) || plan.is_late)
    return false;
  std::optional<Extent> start = start_of_piece(op);
  if (!start || is_short(op->getResult(0)))
    return false;
  int whole = operand->second;
  Extent offset = *start * Extent(byte_width(plan.dtype));
  if (auto part = parts_.find(whole); part != parts_.end()) {
    offset = offset + part->second.offset;
    whole = part->second.whole;
  }
  const int piece = make_buffer(op->getResult(0), plan.place, plan.number);
  parts_[piece] = {whole, offset};
  bind(op->getResult(0), piece);
  return true;
}

} // namespace kolam::nest
