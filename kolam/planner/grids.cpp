// Grids of index boxes.
#include "kolam/planner/grids.h"

#include "kolam/space/partition.h"

#include <algorithm>
#include <cmath>

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

/// Cuts `box` into `count` boxes of nearly equal size and form, as far as extents allow: into
/// strips along the longest of `dims`, as thick as the boxes in them are many, and each strip
/// likewise along the other dims.
///
///     7 boxes of [0:70, 0:70]: strips of 2, 2 and 3 boxes, as thick as 20, 20 and 30
void cut_strips(const Box& box, int64_t count, std::vector<int> dims, std::vector<Box>& pieces) {
  std::erase_if(dims, [&](int dim) { return box.extent(dim) <= 1; });
  if (count <= 1 || dims.empty()) {
    pieces.push_back(box);
    return;
  }
  const auto longest = std::ranges::max_element(dims, {}, [&](int dim) { return box.extent(dim); });
  const int dim = *longest;
  dims.erase(longest);
  double others = 1;
  for (int other : dims)
    others *= static_cast<double>(box.extent(other));
  const auto rank = static_cast<double>(dims.size() + 1);
  const auto extent = static_cast<double>(box.extent(dim));
  // Cubes: (extent / strips) ^ rank = extent others / count.
  const double ideal =
      std::pow(std::pow(extent, rank - 1) * static_cast<double>(count) / others, 1 / rank);
  const int64_t strips =
      dims.empty() ? std::min(count, box.extent(dim))
                   : std::clamp<int64_t>(std::llround(ideal), 1, std::min(count, box.extent(dim)));
  const int64_t start = box.start()[static_cast<size_t>(dim)];
  auto bound_of = [&](int64_t strip) { // as many boxes lie before it
    const int64_t before = count * strip / strips;
    return start + (box.extent(dim) * before + count / 2) / count;
  };
  for (int64_t strip = 0; strip < strips; ++strip) {
    const int64_t boxes = count * (strip + 1) / strips - count * strip / strips;
    if (bound_of(strip) < bound_of(strip + 1))
      cut_strips(space::with_range(box, dim, bound_of(strip), bound_of(strip + 1)), boxes, dims,
                 pieces);
  }
}

/// Strips serve any number of workers.
void add_strips(const Stage& stage, const std::vector<bool>& cut_dims, int64_t workers,
                std::vector<Grid>& grids) {
  std::vector<int> dims;
  for (size_t dim = 0; dim < cut_dims.size(); ++dim)
    if (cut_dims[dim] && stage.signature.dims[dim].kind == space::DimKind::map &&
        extent_of(stage, dim) > 1)
      dims.push_back(static_cast<int>(dim));
  if (dims.empty() || workers <= 1)
    return;
  const Box whole = space::index_box(stage.signature);
  const bool can_run = stage.summed_dim >= 0 && stage.root->getNumResults() == 1;
  for (int64_t runs = 1; runs <= workers / 2; runs *= 2) {
    if (runs > 1 &&
        (!can_run || static_cast<int64_t>(exact_runs(stage, whole, runs).size()) != runs))
      return;
    grids.push_back({.counts = {}, .dims = dims, .runs = runs, .workers = workers});
  }
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
  for (int64_t used : divisors(workers)) {
    if (!grids.empty() && used != 1)
      continue; // as many workers as there can be, or one
    for (int64_t round = 1; round <= rounds; round *= 2) {
      std::vector<int64_t> counts(rank, 1);
      for_each_factors(used * round, 0, counts, fits, [&] {
        grids.push_back({.counts = counts, .dims = {}, .workers = used});
        const auto cut = std::ranges::count_if(counts, [](int64_t count) { return count > 1; });
        if (cut > 1 && round == 1)
          grids.push_back({.counts = counts, .dims = {}, .is_swapped = true, .workers = used});
      });
    }
  }
  add_strips(stage, cut_dims, workers, grids);
  return grids;
}

namespace {

/// Whether sums are cut by all pieces, or by none.
bool have_alike_terms(const Stage& stage, const StageCut& cut) {
  const auto whole = std::ranges::count_if(cut.pieces, [&](const Placed& piece) {
    return stage.summed_dim < 0 || piece.index.extent(stage.summed_dim) ==
                                       extent_of(stage, static_cast<size_t>(stage.summed_dim));
  });
  return whole == 0 || whole == static_cast<int64_t>(cut.pieces.size());
}

} // namespace

StageCut fitted(const Stage& stage, StageCut cut, transform::Cuts& parts) {
  const Box whole = space::index_box(stage.signature);
  if (stage.keeps_order)
    for (Placed& placed : cut.pieces)
      placed.worker = 0;
  if (space::is_empty(whole)) // there is nothing to cut
    return {{{whole, cut.pieces.empty() ? 0 : cut.pieces[0].worker}}};
  bool is_wider = false;
  for (Placed& placed : cut.pieces) {
    Box index = parts.cut_out(stage.root, placed.index);
    is_wider |= !(index == placed.index);
    placed.index = std::move(index);
  }
  if (!is_wider)
    return cut;
  StageCut wide;
  for (const Placed& placed : cut.pieces)
    if (std::ranges::none_of(wide.pieces, [&](const Placed& own) {
          return space::contains(own.index, placed.index);
        }))
      wide.pieces.push_back(placed);
  std::vector<Box> boxes;
  for (const Placed& placed : wide.pieces)
    boxes.push_back(placed.index);
  if (!space::validate_partition(whole, boxes).empty() || !have_alike_terms(stage, wide))
    return {};
  return wide;
}

StageCut cut_by(const Stage& stage, const Grid& grid, transform::Cuts& parts) {
  const Box whole = space::index_box(stage.signature);
  std::vector<Box> boxes;
  if (grid.counts.empty()) {
    const std::vector<Box> runs =
        grid.runs > 1 ? exact_runs(stage, whole, grid.runs) : std::vector<Box>{whole};
    const auto count = static_cast<int64_t>(runs.size());
    for (int64_t run = 0; run < count; ++run)
      cut_strips(runs[static_cast<size_t>(run)],
                 grid.workers * (run + 1) / count - grid.workers * run / count, grid.dims, boxes);
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
  if (grid.counts.empty() && grid.workers > 1)
    return "strips of " + std::to_string(grid.workers) + " boxes" +
           (grid.runs > 1 ? " in " + std::to_string(grid.runs) + " runs" : "");
  for (size_t dim = 0; dim < grid.counts.size(); ++dim)
    if (grid.counts[dim] > 1)
      text += (text.empty() ? "" : " x ") + std::to_string(grid.counts[dim]) + " along " +
              stage.signature.dims[dim].name;
  return text.empty() ? "whole" : text;
}

} // namespace kolam::planner
