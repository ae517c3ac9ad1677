// Composes the projections of a nest's ops.
#include "kolam/analysis/access_relation.h"

#include "kolam/analysis/access.h"

#include <algorithm>

namespace kolam::analysis {

AccessRelation::AccessRelation(std::vector<RelationNode> nodes)
    : nodes_(std::move(nodes)), indices_(nodes_.size()) {
  const space::Operand& result = first_result(*nodes_[0].signature);
  rank_ = static_cast<int>(result.shape.size());
  RelationIndex own;
  for (int dim = 0; dim < rank_; ++dim) {
    int index_dim = copied_dim(result.projection.map.rows[dim]);
    space::DimKind kind =
        index_dim < 0 ? space::DimKind::map : nodes_[0].signature->dims[index_dim].kind;
    own.push_back(RelationCoordinate::of_loop(
        composer_.add_loop({0, index_dim, result.shape[dim], kind, {}})));
  }
  if (nodes_[0].goes_by)
    composer_.set_segments(nodes_[0].goes_by, 0);
  follow(0, own);
}

void AccessRelation::follow(int node, const RelationIndex& result) {
  if (std::find(indices_[node].begin(), indices_[node].end(), result) != indices_[node].end())
    return;
  indices_[node].push_back(result);
  const space::Signature& signature = *nodes_[node].signature;
  RelationIndex index = composer_.own_index(node, signature, result);
  for (size_t operand = 0; operand < nodes_[node].producers.size(); ++operand) {
    RelationUse use{node, static_cast<int>(operand),
                    composer_.read_index(node, signature.operands[operand], index)};
    if (operand == 0 && nodes_[node].reads_by)
      use.at[0] = composer_.segment_of(nodes_[node].reads_by, signature.operands[operand].shape[0]);
    uses_.push_back(use);
    if (int producer = nodes_[node].producers[operand]; producer >= 0)
      follow(producer, use.at);
    else if (std::find(reads_.begin(), reads_.end(), use) == reads_.end())
      reads_.push_back(std::move(use));
  }
}

bool AccessRelation::is_at_own_index(int node) const {
  return std::all_of(indices_[node].begin(), indices_[node].end(),
                     [&](const RelationIndex& index) { return index == indices_[0][0]; });
}

bool AccessRelation::is_at_own_places(int node, int rank) const {
  return std::any_of(indices_[node].begin(), indices_[node].end(), [&](const RelationIndex& index) {
    return rank <= rank_ && static_cast<int>(index.size()) == rank &&
           std::equal(index.begin(), index.end(), indices_[0][0].begin());
  });
}

bool AccessRelation::varies(int node, int first) const {
  return std::any_of(indices_[node].begin(), indices_[node].end(), [&](const RelationIndex& index) {
    std::vector<int> loops = loops_of(index);
    return std::any_of(loops.begin(), loops.end(),
                       [&](int loop) { return loop >= first && loop < rank_; });
  });
}

} // namespace kolam::analysis
