// Composes the projections of a nest's ops.
#include "kolam/analysis/access_relation.h"

#include "kolam/analysis/access.h"

#include <algorithm>

namespace kolam::analysis {
namespace {

using space::AffineRow;

void trim(AffineRow& row) {
  while (!row.coefficients.empty() && row.coefficients.back() == 0)
    row.coefficients.pop_back();
}

std::vector<int> loops_of(const AffineRow& row) {
  std::vector<int> loops;
  for (size_t loop = 0; loop < row.coefficients.size(); ++loop)
    if (row.coefficients[loop] != 0)
      loops.push_back(static_cast<int>(loop));
  return loops;
}

std::vector<int> merged(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

std::vector<int> loops_of(const RelationIndex& index) {
  std::vector<int> loops;
  for (const RelationCoordinate& coordinate : index)
    loops = merged(loops, coordinate.loops);
  return loops;
}

RelationCoordinate known(AffineRow row) {
  trim(row);
  std::vector<int> loops = loops_of(row);
  return {std::move(row), std::move(loops)};
}

RelationCoordinate loop_itself(int loop) {
  AffineRow row{std::vector<int64_t>(loop + 1), 0};
  row.coefficients[loop] = 1;
  return known(std::move(row));
}

} // namespace

int RelationCoordinate::copied_loop() const { return row ? copied_dim(*row) : -1; }

bool RelationCoordinate::depends_on(int loop) const {
  return std::find(loops.begin(), loops.end(), loop) != loops.end();
}

bool RelationCoordinate::steps_by_one(int loop) const {
  return depends_on(loop) && row && space::is_affine(*row) && row->coefficients[loop] == 1;
}

AccessRelation::AccessRelation(std::vector<RelationNode> nodes)
    : nodes_(std::move(nodes)), indices_(nodes_.size()) {
  const space::Operand& result = first_result(*nodes_[0].signature);
  rank_ = static_cast<int>(result.shape.size());
  RelationIndex own;
  for (int dim = 0; dim < rank_; ++dim) {
    int index_dim = copied_dim(result.projection.map.rows[dim]);
    space::DimKind kind =
        index_dim < 0 ? space::DimKind::map : nodes_[0].signature->dims[index_dim].kind;
    own.push_back(loop_itself(add_loop({0, index_dim, result.shape[dim], kind, {}})));
  }
  follow(0, own);
}

int AccessRelation::add_loop(RelationLoop loop) {
  loops_.push_back(std::move(loop));
  return static_cast<int>(loops_.size()) - 1;
}

RelationCoordinate AccessRelation::unknown_of(std::vector<int> loops) {
  return {std::nullopt, std::move(loops), unknowns_++};
}

/// The index of a node over the dims of its signature, whose result is asked for at `result`.
RelationIndex AccessRelation::own_index(int node, const RelationIndex& result) {
  const space::Signature& signature = *nodes_[node].signature;
  RelationIndex index(signature.dims.size());
  std::vector<bool> is_set(index.size());
  const auto& rows = first_result(signature).projection.map.rows;
  std::vector<int> around = loops_of(result);
  for (size_t dim = 0; dim < rows.size() && dim < result.size(); ++dim)
    if (int copied = copied_dim(rows[dim]); copied >= 0) {
      index[copied] = result[dim];
      is_set[copied] = true;
    } else {
      for (int used : loops_of(rows[dim])) // places that data or strides decide
        if (!is_set[used]) {
          index[used] = unknown_of(result[dim].loops);
          is_set[used] = true;
        }
    }
  for (size_t dim = 0; dim < index.size(); ++dim)
    if (!is_set[dim]) {
      const space::IndexDim& own = signature.dims[dim];
      index[dim] =
          loop_itself(add_loop({node, static_cast<int>(dim), own.extent, own.kind, around}));
    }
  return index;
}

/// Where a node at `index` reads an operand.
RelationIndex AccessRelation::read_index(int node, int number, const RelationIndex& index) {
  const space::Operand& operand = nodes_[node].signature->operands[number];
  int rank = static_cast<int>(loops_.size());
  space::AffineMap inner{rank, {}};
  for (const RelationCoordinate& coordinate : index) {
    AffineRow row = coordinate.row.value_or(AffineRow{{}, 0});
    row.coefficients.resize(rank);
    inner.rows.push_back(std::move(row));
  }
  RelationIndex at;
  for (size_t dim = 0; dim < operand.shape.size(); ++dim) {
    const AffineRow& row = operand.projection.map.rows[dim];
    std::vector<int> used = loops_of(row), loops;
    bool by_data = operand.indirect && used.empty(), has_map = !by_data;
    for (size_t i = 0; i < index.size(); ++i)
      if (by_data || std::find(used.begin(), used.end(), i) != used.end()) {
        loops = merged(loops, index[i].loops);
        has_map &= index[i].row.has_value();
      }
    std::optional<AffineRow> composed;
    if (int copied = copied_dim(row); copied >= 0 && !index[copied].row) {
      at.push_back(index[copied]); // the same unknown
      continue;
    }
    if (has_map)
      composed = space::compose_row(row, inner);
    at.push_back(composed ? known(space::simplify(*composed)) : unknown_of(std::move(loops)));
    const Extent& size = operand.projection.size[dim];
    if (by_data || size == Extent(1))
      continue;
    // A window: any of its elements.
    int window = add_loop({node, -1, size, space::DimKind::reduce, loops_of(index)});
    RelationCoordinate& last = at.back();
    if (last.row && space::is_affine(*last.row)) {
      last.row->coefficients.resize(window + 1);
      last.row->coefficients[window] = 1;
      last = known(*last.row);
    } else {
      last = unknown_of(merged(last.loops, {window}));
    }
    inner.input_rank = window + 1;
    for (AffineRow& other : inner.rows)
      other.coefficients.resize(window + 1);
  }
  return at;
}

void AccessRelation::follow(int node, const RelationIndex& result) {
  if (std::find(indices_[node].begin(), indices_[node].end(), result) != indices_[node].end())
    return;
  indices_[node].push_back(result);
  RelationIndex index = own_index(node, result);
  for (size_t operand = 0; operand < nodes_[node].producers.size(); ++operand) {
    RelationUse use{node, static_cast<int>(operand),
                    read_index(node, static_cast<int>(operand), index)};
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
