// Composes the rows of projections.
#include "kolam/analysis/composed_index.h"

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

RelationCoordinate known(AffineRow row) {
  trim(row);
  std::vector<int> loops = loops_of(row);
  return {std::move(row), std::move(loops)};
}

} // namespace

RelationCoordinate RelationCoordinate::of_loop(int loop) {
  AffineRow row{std::vector<int64_t>(loop + 1), 0};
  row.coefficients[loop] = 1;
  return known(std::move(row));
}

int RelationCoordinate::copied_loop() const { return row ? copied_dim(*row) : -1; }

bool RelationCoordinate::depends_on(int loop) const {
  return std::find(loops.begin(), loops.end(), loop) != loops.end();
}

bool RelationCoordinate::steps_by_one(int loop) const {
  return depends_on(loop) && row && space::is_affine(*row) && row->coefficients[loop] == 1;
}

std::vector<int> loops_of(const RelationIndex& index) {
  std::vector<int> loops;
  for (const RelationCoordinate& coordinate : index)
    loops = merged(loops, coordinate.loops);
  return loops;
}

int IndexComposer::add_loop(RelationLoop loop) {
  loops_.push_back(std::move(loop));
  return static_cast<int>(loops_.size()) - 1;
}

RelationCoordinate IndexComposer::unknown_of(std::vector<int> loops, bool is_by_data) {
  return {std::nullopt, std::move(loops), unknowns_++, is_by_data};
}

RelationCoordinate IndexComposer::segment_of(const void* segments, const Extent& count) {
  auto [found, is_new] = segments_.try_emplace(segments);
  if (is_new)
    found->second = add_loop({0, -1, count, space::DimKind::map, {}});
  return RelationCoordinate::of_loop(found->second);
}

std::optional<RelationCoordinate> IndexComposer::known_segment(const void* segments) const {
  auto found = segments_.find(segments);
  if (found == segments_.end())
    return std::nullopt;
  return RelationCoordinate::of_loop(found->second);
}

RelationIndex IndexComposer::own_index(int node, const space::Signature& signature,
                                       const RelationIndex& result) {
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
          index[used] = unknown_of(result[dim].loops, result[dim].is_by_data);
          is_set[used] = true;
        }
    }
  for (size_t dim = 0; dim < index.size(); ++dim)
    if (!is_set[dim]) {
      const space::IndexDim& own = signature.dims[dim];
      index[dim] = RelationCoordinate::of_loop(
          add_loop({node, static_cast<int>(dim), own.extent, own.kind, around}));
    }
  return index;
}

RelationIndex IndexComposer::read_index(int node, const space::Operand& operand,
                                        const RelationIndex& index) {
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
    const bool by_data = operand.indirect && used.empty();
    bool has_map = !by_data, is_by_data = by_data;
    for (size_t i = 0; i < index.size(); ++i)
      if (by_data || std::find(used.begin(), used.end(), i) != used.end()) {
        loops = merged(loops, index[i].loops);
        has_map &= index[i].row.has_value();
        is_by_data |= index[i].is_by_data;
      }
    if (int copied = copied_dim(row); copied >= 0 && !index[copied].row) {
      at.push_back(index[copied]); // the same unknown
      continue;
    }
    std::optional<AffineRow> composed;
    if (has_map)
      composed = space::compose_row(row, inner);
    at.push_back(composed ? known(space::simplify(*composed))
                          : unknown_of(std::move(loops), is_by_data));
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
      last = unknown_of(merged(last.loops, {window}), last.is_by_data);
    }
    inner.input_rank = window + 1;
    for (AffineRow& other : inner.rows)
      other.coefficients.resize(window + 1);
  }
  return at;
}

} // namespace kolam::analysis
