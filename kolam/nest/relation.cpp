// Gives the ops of a nest as nodes of an access relation.
#include "kolam/nest/relation.h"

#include "kolam/ir/ops.h"
#include "kolam/nest/segments.h"
#include "kolam/support/error.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace kolam::nest {

static std::vector<mlir::Operation*> all_ops(mlir::Operation* root,
                                             llvm::ArrayRef<mlir::Operation*> fused) {
  std::vector<mlir::Operation*> ops{root};
  llvm::append_range(ops, fused);
  return ops;
}

static std::vector<analysis::RelationNode> nodes_of(const std::vector<mlir::Operation*>& ops,
                                                    analysis::Signatures& signatures) {
  llvm::DenseMap<mlir::Operation*, int> numbers;
  for (auto [number, op] : llvm::enumerate(ops))
    numbers[op] = static_cast<int>(number);
  std::vector<analysis::RelationNode> nodes;
  for (mlir::Operation* op : ops) {
    analysis::RelationNode& node = nodes.emplace_back();
    node.signature = &signatures.of(op);
    for (mlir::Value operand : op->getOperands()) {
      auto producer = numbers.find(operand.getDefiningOp());
      node.producers.push_back(producer == numbers.end() ? -1 : producer->second);
    }
    if (auto reduce = llvm::dyn_cast<ir::SegmentReduceOp>(op))
      node.goes_by = segments_in(reduce.getOffsets());
    else if (ir::SegmentIdsOp ids = ids_of_rows(op); ids && numbers.contains(ids))
      node.reads_by = segments_in(ids.getOffsets());
  }
  return nodes;
}

NestRelation::NestRelation(mlir::Operation* root, llvm::ArrayRef<mlir::Operation*> fused,
                           analysis::Signatures& signatures)
    : ops_(all_ops(root, fused)), relation_(nodes_of(ops_, signatures)) {}

mlir::Value NestRelation::value_of(const analysis::RelationUse& use) const {
  return ops_[use.reader]->getOperand(use.operand);
}

int NestRelation::node_of(mlir::Operation* op) const {
  auto found = llvm::find(ops_, op);
  KOLAM_CHECK(found != ops_.end());
  return static_cast<int>(found - ops_.begin());
}

bool NestRelation::is_at_own_index(mlir::Operation* op) const {
  return relation_.is_at_own_index(node_of(op));
}

bool NestRelation::is_at_own_places(mlir::Operation* op, int64_t rank) const {
  return relation_.is_at_own_places(node_of(op), static_cast<int>(rank));
}

std::optional<int64_t> NestRelation::own_rank(mlir::Operation* op) const {
  const auto& indices = relation_.indices(node_of(op));
  if (indices.size() != 1)
    return std::nullopt;
  auto rank = static_cast<int64_t>(indices[0].size());
  return is_at_own_places(op, rank) ? std::optional(rank) : std::nullopt;
}

bool NestRelation::varies(mlir::Operation* op, int64_t first) const {
  return relation_.varies(node_of(op), static_cast<int>(first));
}

bool NestRelation::lies_across(mlir::Operation* op) const {
  const int last = relation_.rank() - 1, node = node_of(op);
  std::vector<int> own; // the loops that the op walks over
  for (auto [number, loop] : llvm::enumerate(relation_.loops()))
    if (loop.node == node && static_cast<int>(number) > last)
      own.push_back(static_cast<int>(number));
  bool has_across = false;
  for (const analysis::RelationUse& read : relation_.reads()) {
    auto is_own = [&](const analysis::RelationCoordinate& at) {
      return llvm::any_of(own, [&](int loop) { return at.depends_on(loop); });
    };
    auto differs = [&](const analysis::RelationCoordinate& at) { return at.depends_on(last); };
    if (llvm::none_of(read.at, differs) || llvm::none_of(read.at, is_own))
      continue;
    Shape shape = ir::shape_of(value_of(read));
    llvm::ArrayRef<analysis::RelationCoordinate> outer = read.at;
    while (outer.size() > 1 && shape[outer.size() - 1] == Extent(1))
      outer = outer.drop_back();
    if (!outer.back().steps_by_one(last) || llvm::any_of(outer.drop_back(), differs))
      return false;
    has_across = true;
  }
  return has_across;
}

bool NestRelation::always_varies(mlir::Operation* op, int64_t dim) const {
  return llvm::all_of(relation_.indices(node_of(op)), [&](const analysis::RelationIndex& index) {
    return llvm::any_of(index, [&](const analysis::RelationCoordinate& at) {
      return at.depends_on(static_cast<int>(dim));
    });
  });
}

} // namespace kolam::nest
