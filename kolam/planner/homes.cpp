// Spreads what several workers need.
#include "kolam/planner/homes.h"

#include <algorithm>
#include <set>

namespace kolam::planner {
namespace {

using space::Box;
using space::Point;

/// The grid of all boxes' bounds, and for each of its boxes the workers that need it.
struct Atoms {
  std::vector<std::vector<int64_t>> bounds; ///< by dim, ascending
  std::map<Point, std::set<int64_t>> workers;

  explicit Atoms(const Needed& needed) {
    const auto rank = static_cast<size_t>(needed[0].box.rank());
    bounds.resize(rank);
    for (const Block& block : needed)
      for (size_t dim = 0; dim < rank; ++dim) {
        bounds[dim].push_back(block.box.start()[dim]);
        bounds[dim].push_back(block.box.end()[dim]);
      }
    for (std::vector<int64_t>& own : bounds) {
      std::ranges::sort(own);
      own.erase(std::ranges::unique(own).begin(), own.end());
    }
    for (const Block& block : needed)
      space::for_each_point(numbers_of(block.box),
                            [&](const Point& atom) { workers[atom].insert(block.worker); });
  }

  int64_t number_of(size_t dim, int64_t bound) const {
    return std::ranges::lower_bound(bounds[dim], bound) - bounds[dim].begin();
  }
  Box numbers_of(const Box& box) const {
    Point first, last;
    for (size_t dim = 0; dim < bounds.size(); ++dim) {
      first.push_back(number_of(dim, box.start()[dim]));
      last.push_back(number_of(dim, box.end()[dim]));
    }
    return {std::move(first), std::move(last)};
  }
  Box box_of(const Point& atom) const {
    Point first, last;
    for (size_t dim = 0; dim < bounds.size(); ++dim) {
      first.push_back(bounds[dim][static_cast<size_t>(atom[dim])]);
      last.push_back(bounds[dim][static_cast<size_t>(atom[dim]) + 1]);
    }
    return {std::move(first), std::move(last)};
  }
};

} // namespace

std::vector<Home> homes_of(const Needed& given) {
  Needed needed;
  std::set<std::tuple<Point, Point, int64_t>> seen;
  for (const Block& block : given)
    if (!space::is_empty(block.box) &&
        seen.insert({block.box.start(), block.box.end(), block.worker}).second)
      needed.push_back(block);
  if (needed.empty())
    return {};
  const Atoms atoms(needed);
  std::vector<Home> homes;
  size_t turn = 0; // so that small boxes go to all in turn
  for (const auto& [atom, workers] : atoms.workers) {
    const std::vector<int64_t> own(workers.begin(), workers.end());
    const std::vector<Box> slices = slices_of(atoms.box_of(atom), static_cast<int64_t>(own.size()));
    for (size_t slice = 0; slice < slices.size(); ++slice)
      homes.push_back({slices[slice], own[(slice + turn) % own.size()]});
    if (slices.size() < own.size())
      ++turn;
  }
  return homes;
}

} // namespace kolam::planner
