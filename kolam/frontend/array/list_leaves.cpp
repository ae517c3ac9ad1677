// Makes lists of leaves and offsets, and takes them apart.
#include "kolam/frontend/array/list_leaves.h"

#include "kolam/frontend/array/trace.h"
#include "kolam/ir/ops.h"
#include "kolam/language/lists.h"

namespace kolam::detail {

Lists::Depths Lists::depths_of(const Leaves& leaves) {
  Depths depths;
  for (size_t leaf = 0; leaf < leaves.size(); leaf += std::max<int64_t>(1, depths.back()))
    depths.push_back(leaves[leaf].list_depth());
  return depths;
}

size_t Lists::leaves_of(const Depths& depths) {
  size_t count = 0;
  for (int64_t depth : depths)
    count += static_cast<size_t>(std::max<int64_t>(1, depth));
  return count;
}

language::Values Lists::pack(language::Builder& b, const language::Values& parts,
                             const Depths& depths) {
  language::Values values;
  auto next = parts.begin();
  for (int64_t depth : depths) {
    auto leaves = next++;
    if (depth == 0) {
      values.push_back(*leaves);
      continue;
    }
    auto unpacked = leaves->getDefiningOp<ir::UnpackOp>();
    values.push_back(language::pack(b, *leaves, {next, next + depth - 1}));
    next += depth - 1;
    if (unpacked && unpacked.use_empty())
      unpacked.erase(); // it was made for the pytree
  }
  return values;
}

Leaves Lists::pack(Trace& trace, const Leaves& leaves) {
  language::Values parts;
  for (const Tensor& leaf : leaves)
    parts.push_back(trace.value_of(leaf));
  const Depths depths = depths_of(leaves);
  Leaves packed;
  size_t leaf = 0;
  for (auto [value, depth] : llvm::zip(pack(trace.builder(), parts, depths), depths)) {
    packed.push_back(depth == 0 ? leaves[leaf] : trace.wrap(value)); // a number stays one
    leaf += static_cast<size_t>(std::max<int64_t>(1, depth));
  }
  return packed;
}

language::Values Lists::unpack(Trace& trace, const language::Values& values) {
  language::Values parts;
  for (mlir::Value value : values)
    if (auto list = llvm::dyn_cast<ir::ListType>(value.getType()))
      llvm::append_range(parts,
                         language::unpack(trace.builder(), value, trace.new_symbols(list.depth())));
    else
      parts.push_back(value);
  return parts;
}

Leaves Lists::unpack(Trace& trace, const Leaves& arguments) {
  Leaves leaves;
  for (const Tensor& argument : arguments) {
    const TracedValue& traced = *argument.traced();
    if (traced.depth == 0) {
      leaves.push_back(argument);
      continue;
    }
    for (mlir::Value part : unpack(trace, language::Values{traced.value}))
      leaves.push_back(trace.wrap(part).counted());
    auto first = leaves.end() - traced.depth;
    *first = first->of_list(traced.depth);
  }
  return leaves;
}

Leaves Lists::marked(Leaves leaves, const Depths& depths) {
  auto next = leaves.begin();
  for (int64_t depth : depths) {
    if (depth > 0)
      *next = next->of_list(depth);
    for (int64_t part = 0; part < depth; ++part)
      next[part] = next[part].counted();
    next += std::max<int64_t>(1, depth);
  }
  return leaves;
}

void Lists::drop_unused(mlir::Block& block) {
  for (auto unpack : llvm::make_early_inc_range(block.getOps<ir::UnpackOp>()))
    if (unpack.use_empty())
      unpack.erase();
}

} // namespace kolam::detail
