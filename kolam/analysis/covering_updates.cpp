// Follows updates of one value from the last one back.
#include "kolam/analysis/covering_updates.h"

#include "kolam/analysis/data_dim/turns.h"

#include <algorithm>

namespace kolam::analysis {
namespace {

/// What one update writes.
struct Box {
  int64_t dim, start, size;
};

/// The box of an update that is a part along one dim; nullopt for others.
std::optional<Box> box_of(ir::DynamicUpdateSliceOp update) {
  const Shape shape = ir::shape_of(update.getResult()), sizes = ir::shape_of(update.getUpdate());
  std::optional<Box> box;
  for (auto [dim, start] : llvm::enumerate(update.getStarts())) {
    const std::optional<int64_t> place = number_of(start), extent = shape[dim].constant(),
                                 size = sizes[dim].constant();
    if (sizes[dim] == shape[dim])
      continue; // moved to lie inside, it is all
    if (box || !place || !extent || !size || *place < 0 || *place > *extent - *size)
      return std::nullopt;
    box = {static_cast<int64_t>(dim), *place, *size};
  }
  return box;
}

ir::DynamicUpdateSliceOp next_of(ir::DynamicUpdateSliceOp update) {
  if (!update.getResult().hasOneUse())
    return {};
  auto next = llvm::dyn_cast<ir::DynamicUpdateSliceOp>(*update.getResult().user_begin());
  return next && next.getOperand() == update.getResult() ? next : ir::DynamicUpdateSliceOp();
}

} // namespace

std::optional<CoveringUpdates> covering_updates(ir::DynamicUpdateSliceOp last) {
  std::optional<Box> box = box_of(last);
  if (!box)
    return std::nullopt;
  const int64_t dim = box->dim, extent = *ir::shape_of(last.getResult())[dim].constant();
  std::vector<std::pair<Box, mlir::Value>> found;
  int64_t covered = 0;
  for (ir::DynamicUpdateSliceOp update = last; update && box && box->dim == dim;) {
    for (const auto& [other, value] : found)
      if (box->start < other.start + other.size && other.start < box->start + box->size)
        return std::nullopt;
    found.emplace_back(*box, update.getUpdate());
    covered += box->size;
    if (covered == extent) {
      std::sort(found.begin(), found.end(),
                [](const auto& x, const auto& y) { return x.first.start < y.first.start; });
      CoveringUpdates updates{dim, {}};
      for (const auto& [each, value] : found)
        updates.parts.push_back(value);
      return updates;
    }
    auto before = update.getOperand().getDefiningOp<ir::DynamicUpdateSliceOp>();
    update = before && next_of(before) ? before : ir::DynamicUpdateSliceOp();
    box = update ? box_of(update) : std::nullopt;
  }
  return std::nullopt;
}

bool is_covered_with_others(ir::DynamicUpdateSliceOp update) {
  for (ir::DynamicUpdateSliceOp last = update; last; last = next_of(last))
    if (std::optional<CoveringUpdates> all = covering_updates(last))
      return llvm::is_contained(all->parts, update.getUpdate());
  return false;
}

} // namespace kolam::analysis
