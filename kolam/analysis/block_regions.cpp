// Splits blocks at their borders and reorders the loops of each part.
#include "kolam/analysis/block_regions.h"

#include <algorithm>

namespace kolam::analysis {
namespace {

constexpr size_t kMostBorders = 6; // bound: regions are a product of these

std::string loop_name(size_t loop) { return "t" + std::to_string(loop); }

PlaceBounds steps_range(size_t dim, const Dim& of, Steps steps) {
  Extent one(1);
  return steps == Steps::first ? PlaceBounds{Extent::symbol(dim_name(dim)), Extent(0), one}
                               : PlaceBounds{Extent::symbol(dim_name(dim)), one, of.length};
}

/// The part for points of the region: without the ranges that hold there; nullopt where it has
/// none.
std::optional<Part> inside(Part part, const std::vector<Steps>& steps,
                           const std::vector<Dim>& dims) {
  std::vector<PlaceBounds> together = part.where;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (steps[dim] != Steps::all)
      together.push_back(steps_range(dim, dims[dim], steps[dim]));
  if (!simplify(together))
    return std::nullopt;
  std::erase_if(part.where, [&](const PlaceBounds& range) {
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (steps[dim] != Steps::all && !range.outside) {
        PlaceBounds own = steps_range(dim, dims[dim], steps[dim]);
        if (range.value == own.value && range.lower == own.lower && range.upper == own.upper)
          return true;
      }
    return false;
  });
  return part;
}

/// The dims as expressions over the new loops.
Replacements dims_in_loops(const space::Matrix& inverse) {
  Replacements loops;
  for (size_t dim = 0; dim < inverse.size(); ++dim) {
    Extent sum(0);
    for (size_t loop = 0; loop < inverse.size(); ++loop)
      sum = sum + Extent(inverse[dim][loop]) * Extent::symbol(loop_name(loop));
    loops.emplace(dim_name(dim), sum);
  }
  return loops;
}

Part reordered(const Part& part, const Replacements& loops) {
  Part result{part.buffer, {}, {}};
  for (const Extent& index : part.index)
    result.index.push_back(index.substitute(loops));
  for (const PlaceBounds& range : part.where)
    result.where.push_back({range.value.substitute(loops), range.lower.substitute(loops),
                            range.upper.substitute(loops), range.outside});
  return result;
}

/// Reads of the block's own buffers carry a dependence.
std::vector<Distance> distances_of(const Block& block, const std::vector<RegionRead>& reads) {
  std::vector<Distance> distances;
  for (const RegionRead& read : reads)
    for (const Part& part : read.parts) {
      bool is_own = std::any_of(block.writes.begin(), block.writes.end(), [&](const Write& write) {
        return write.source == write.part.buffer && write.part.buffer == part.buffer;
      });
      if (!is_own)
        continue;
      Distance distance;
      for (size_t dim = 0; dim < block.dims.size(); ++dim)
        distance.push_back((Extent::symbol(dim_name(dim)) - part.index[dim]).constant());
      if (std::find(distances.begin(), distances.end(), distance) == distances.end())
        distances.push_back(std::move(distance));
    }
  return distances;
}

std::optional<space::Distances> constant(const std::vector<Distance>& distances) {
  space::Distances result;
  for (const Distance& distance : distances) {
    space::Point point;
    for (const std::optional<int64_t>& component : distance) {
      if (!component)
        return std::nullopt;
      point.push_back(*component);
    }
    result.push_back(std::move(point));
  }
  return result;
}

/// Stands for distances that are not constant: a step along a dim in which all of them are at least
/// 1. With that dim outermost their other components do not matter.
std::optional<space::Distances> along_one_dim(const std::vector<Distance>& distances, size_t rank) {
  for (size_t dim = 0; dim < rank; ++dim)
    if (std::all_of(distances.begin(), distances.end(),
                    [&](const Distance& distance) { return distance[dim].value_or(0) >= 1; })) {
      space::Point step(rank, 0);
      step[dim] = 1;
      return space::Distances{step};
    }
  return std::nullopt;
}

void reorder(Region& region, const Block& block) {
  std::optional<space::Distances> distances = constant(region.distances);
  if (!distances)
    distances = along_one_dim(region.distances, block.dims.size());
  if (!distances || block.depends_through_others)
    return;
  std::vector<bool> is_map;
  Shape start, end;
  std::vector<std::string> names;
  for (size_t dim = 0; dim < block.dims.size(); ++dim) {
    is_map.push_back(block.dims[dim].kind == DimKind::map);
    start.emplace_back(region.steps[dim] == Steps::later ? 1 : 0);
    end.push_back(region.steps[dim] == Steps::first ? Extent(1) : block.dims[dim].length);
    names.push_back(loop_name(dim));
  }
  region.transformation = space::wavefront(is_map, *distances);
  if (!region.transformation)
    return;
  region.loops = space::loop_bounds(*region.transformation, start, end, names);
  Replacements loops = dims_in_loops(region.transformation->inverse);
  for (std::vector<RegionRead>* edges : {&region.reads, &region.writes})
    for (RegionRead& edge : *edges)
      for (const Part& part : edge.parts)
        edge.reordered.push_back(reordered(part, loops));
}

std::vector<RegionRead> edges_inside(const std::vector<std::vector<Part>>& edges,
                                     const std::vector<Steps>& steps, const Block& block) {
  std::vector<RegionRead> result;
  for (const std::vector<Part>& parts : edges) {
    RegionRead edge;
    for (const Part& part : parts)
      if (std::optional<Part> found = inside(part, steps, block.dims))
        edge.parts.push_back(std::move(*found));
    if (!edge.parts.empty())
      result.push_back(std::move(edge));
  }
  return result;
}

/// The new loops' variables as sums of the dims: `t0 = i1 + i2`.
std::string order_text(const space::Matrix& matrix) {
  std::string text;
  for (size_t loop = 0; loop < matrix.size(); ++loop) {
    Extent sum(0);
    for (size_t dim = 0; dim < matrix.size(); ++dim)
      sum = sum + Extent(matrix[loop][dim]) * Extent::symbol(dim_name(dim));
    text += (loop ? ", " : "") + loop_name(loop) + " = " + sum.to_string();
  }
  return text;
}

/// The bounds hold of lists of lists that are equally long.
std::string ragged_text(const BlockGraph& graph, const Block& block) {
  std::string text;
  for (const Dim& dim : block.dims)
    for (const std::string& symbol : dim.length.symbols())
      if (graph.ragged.contains(symbol))
        text += (text.empty() ? ", where all have one " : ", ") + symbol;
  return text;
}

} // namespace

std::vector<Region> regions_of(const Block& block) {
  std::vector<size_t> borders;
  for (size_t dim = 0; dim < block.dims.size(); ++dim)
    if (block.dims[dim].kind != DimKind::map)
      borders.push_back(dim);
  if (borders.empty() || borders.size() > kMostBorders)
    return {};
  std::vector<std::vector<Part>> reads, writes;
  for (const Read& read : block.reads)
    reads.push_back(read.parts);
  for (const Write& write : block.writes)
    writes.push_back({write.part});
  std::vector<Region> regions;
  for (size_t number = 0; number < (size_t{1} << borders.size()); ++number) {
    Region region;
    region.steps.assign(block.dims.size(), Steps::all);
    for (size_t i = 0; i < borders.size(); ++i)
      region.steps[borders[i]] =
          (number >> (borders.size() - 1 - i)) & 1 ? Steps::later : Steps::first;
    region.reads = edges_inside(reads, region.steps, block);
    region.writes = edges_inside(writes, region.steps, block);
    region.distances = distances_of(block, region.reads);
    reorder(region, block);
    regions.push_back(std::move(region));
  }
  return regions;
}

std::string to_string(const std::vector<Steps>& steps) {
  std::string text;
  for (Steps of : steps)
    text += (text.empty() ? "(" : ", ") + std::string(of == Steps::all     ? "*"
                                                      : of == Steps::first ? "0"
                                                                           : ">0");
  return text.empty() ? "()" : text + ")";
}

std::string to_string(const BlockGraph& graph, const Block& block, const Region& region) {
  std::string text = "region " + block.name + to_string(region.steps) + "\n";
  Replacements loops;
  if (region.transformation)
    loops = dims_in_loops(region.transformation->inverse);
  auto add = [&](const std::string& verb, const std::vector<RegionRead>& edges) {
    for (const RegionRead& edge : edges) {
      text += "  " + verb + " " + to_string(graph, Read{"", edge.parts}, block.dims);
      if (!edge.reordered.empty())
        text += "  ->  " + to_string(graph, Read{"", edge.reordered}, {}, loops);
      text += "\n";
    }
  };
  add("reads", region.reads);
  add("writes", region.writes);
  if (!region.distances.empty()) {
    text += "  needs";
    for (const Distance& distance : region.distances)
      text += " " + to_string(distance);
    text += "\n";
  }
  if (!region.transformation)
    return text + "  keeps its order\n";
  return text + "  order " + order_text(region.transformation->matrix) + "; " +
         (region.transformation->sequential ? "t0 runs in order" : "all parallel") + "\n  loops " +
         to_string(region.loops) + ragged_text(graph, block) + "\n";
}

} // namespace kolam::analysis
