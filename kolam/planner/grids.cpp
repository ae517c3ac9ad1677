// Grids of index boxes.
#include "kolam/planner/grids.h"

#include "kolam/space/partition.h"

#include <algorithm>
#include <numeric>

namespace kolam::planner {
namespace {

using space::Box;

int64_t extent_of(const Stage& stage, size_t dim) {
  return *stage.signature.dims[dim].extent.constant();
}

/// Calls `f` with every list of factors of `count`, one for each dim, that `fits(dim, factor)`.
template <class Fits, class F>
void for_each_factors(int64_t count, size_t dim, std::vector<int64_t>& factors, const Fits& fits,
                      const F& f) {
  if (dim == factors.size()) {
    if (count == 1)
      f();
    return;
  }
  for (int64_t factor = 1; factor <= count; ++factor)
    if (count % factor == 0 && fits(dim, factor)) {
      factors[dim] = factor;
      for_each_factors(count / factor, dim + 1, factors, fits, f);
    }
}

std::vector<int64_t> divisors(int64_t number) {
  std::vector<int64_t> all;
  for (int64_t divisor = 1; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) {
      all.push_back(divisor);
      if (divisor * divisor != number)
        all.push_back(number / divisor);
    }
  std::ranges::sort(all, std::greater<>());
  return all;
}

/// Cuts `box` into `count` boxes of equal size, as far as extents allow, along the longest dim each
/// time.
void halve(const Box& box, int64_t count, const std::vector<int>& dims, std::vector<Box>& pieces) {
  int longest = -1;
  for (int dim : dims)
    if (box.extent(dim) > 1 && (longest < 0 || box.extent(dim) > box.extent(longest)))
      longest = dim;
  if (count <= 1 || longest < 0) {
    pieces.push_back(box);
    return;
  }
  const int64_t left = count / 2;
  const int64_t start = box.start()[static_cast<size_t>(longest)];
  const int64_t middle =
      start + std::clamp<int64_t>((box.extent(longest) * left + count / 2) / count, 1,
                                  box.extent(longest) - 1);
  halve(space::with_range(box, longest, start, middle), left, dims, pieces);
  halve(space::with_range(box, longest, middle, box.end()[static_cast<size_t>(longest)]),
        count - left, dims, pieces);
}

} // namespace

std::vector<Box> exact_runs(const Stage& stage, const Box& index, int64_t count) {
  if (stage.chunk_points <= 0 || stage.summed_dim < 0)
    return {};
  const int64_t extent = index.extent(stage.summed_dim);
  int64_t run = stage.chunk_points;
  const bool is_any = stage.signature.dims[static_cast<size_t>(stage.summed_dim)].monoid->exact;
  if (is_any)
    return space::split_evenly(index, stage.summed_dim, count);
  while ((extent + run - 1) / run > count)
    run *= 2;
  return space::split_by_size(index, stage.summed_dim, run);
}

std::vector<Grid> grids_of(const Stage& stage, const std::vector<bool>& cut_dims, int64_t workers,
                           int64_t rounds, Allow allow) {
  const size_t rank = stage.signature.dims.size();
  auto fits = [&](size_t dim, int64_t count) {
    if (count == 1)
      return true;
    if (!cut_dims[dim] || count > extent_of(stage, dim))
      return false;
    if (stage.signature.dims[dim].kind != space::DimKind::reduce)
      return true;
    if (static_cast<int>(dim) != stage.summed_dim || stage.root->getNumResults() != 1)
      return false;
    const auto runs =
        static_cast<int64_t>(exact_runs(stage, space::index_box(stage.signature), count).size());
    return runs == count || allow == Allow::reassociate;
  };
  std::vector<Grid> grids;
  for (int64_t used : divisors(workers))
    for (int64_t round = 1; round <= rounds; round *= 2) {
      std::vector<int64_t> counts(rank, 1);
      for_each_factors(used * round, 0, counts, fits, [&] {
        grids.push_back({.counts = counts, .dims = {}, .workers = used});
        const auto cut = std::ranges::count_if(counts, [](int64_t count) { return count > 1; });
        if (cut > 1 && round == 1)
          grids.push_back({.counts = counts, .dims = {}, .is_swapped = true, .workers = used});
      });
    }
  std::vector<int> dims;
  for (size_t dim = 0; dim < rank; ++dim)
    if (cut_dims[dim] && stage.signature.dims[dim].kind == space::DimKind::map &&
        extent_of(stage, dim) > 1)
      dims.push_back(static_cast<int>(dim));
  if (!dims.empty() && workers > 1)
    grids.push_back({.counts = {}, .dims = dims, .workers = workers});
  return grids;
}

StageCut fitted(const Stage& stage, StageCut cut, transform::Cuts& parts) {
  StageCut wide;
  for (const Placed& placed : cut.pieces) {
    const Box index = parts.part(stage.root, placed.index).index;
    if (std::ranges::none_of(wide.pieces,
                             [&](const Placed& own) { return space::contains(own.index, index); }))
      wide.pieces.push_back({index, placed.worker});
  }
  std::vector<Box> boxes;
  for (const Placed& placed : wide.pieces)
    boxes.push_back(placed.index);
  if (!space::validate_partition(space::index_box(stage.signature), boxes).empty())
    return {};
  return wide;
}

StageCut cut_by(const Stage& stage, const Grid& grid, transform::Cuts& parts) {
  const Box whole = space::index_box(stage.signature);
  std::vector<Box> boxes;
  if (grid.counts.empty()) {
    halve(whole, grid.workers, grid.dims, boxes);
  } else {
    boxes = {whole};
    for (size_t dim = 0; dim < grid.counts.size(); ++dim) {
      const int64_t count = grid.counts[dim];
      std::vector<Box> next;
      for (const Box& box : boxes) {
        std::vector<Box> parts;
        if (static_cast<int>(dim) == stage.summed_dim && count > 1)
          parts = exact_runs(stage, box, count);
        if (static_cast<int64_t>(parts.size()) != count)
          parts = space::split_evenly(box, static_cast<int>(dim), count);
        next.insert(next.end(), parts.begin(), parts.end());
      }
      boxes = std::move(next);
    }
    if (grid.is_swapped)
      std::ranges::sort(boxes, [](const Box& x, const Box& y) {
        return std::lexicographical_compare(x.start().rbegin(), x.start().rend(),
                                            y.start().rbegin(), y.start().rend());
      });
  }
  StageCut cut;
  const auto count = static_cast<int64_t>(boxes.size());
  const int64_t workers = std::min(grid.workers, count);
  for (int64_t number = 0; number < count; ++number)
    cut.pieces.push_back({boxes[static_cast<size_t>(number)], number * workers / count});
  return fitted(stage, std::move(cut), parts);
}

std::string to_string(const Stage& stage, const Grid& grid) {
  std::string text;
  if (grid.counts.empty())
    return "halved into " + std::to_string(grid.workers);
  for (size_t dim = 0; dim < grid.counts.size(); ++dim)
    if (grid.counts[dim] > 1)
      text += (text.empty() ? "" : " x ") + std::to_string(grid.counts[dim]) + " along " +
              stage.signature.dims[dim].name;
  return text.empty() ? "whole" : text;
}

} // namespace kolam::planner
