// Draws the points of nests of scans, with the step of the wavefront that each runs in.
#include "kolam/driver/dot.h"
#include "kolam/driver/picture.h"

#include "kolam/space/transformation.h"

#include "llvm/ADT/StringExtras.h"

#include <functional>
#include <set>

namespace kolam::driver {
namespace {

using analysis::Block;
using analysis::BlockGraph;
using space::Point;

/// As many rows and columns are drawn at most, and as many grids along a further dim.
constexpr int64_t kMostDrawn = 32, kMostGrids = 4;

/// The points of a block with carried states: its extents in numbers, and the hyperplane that says
/// in which step a point may run. Dims that carry nothing are drawn at 0.
struct Domain {
  const Block* block;
  Point extents;
  std::vector<int> active;
  std::vector<int64_t> factors; ///< none where it keeps its order
  space::Distances distances;

  int64_t step(const Point& at) const {
    int64_t sum = 0;
    for (size_t dim = 0; dim < at.size(); ++dim)
      sum += factors[dim] * at[dim];
    return sum;
  }
  /// How many of a dim are drawn.
  int64_t drawn(int dim) const {
    bool is_in_grid =
        dim == active.back() || (active.size() > 1 && dim == active[active.size() - 2]);
    return std::min(extents[dim], is_in_grid ? kMostDrawn : kMostGrids);
  }
};

/// nullopt where data decides a length, or nothing is carried.
std::optional<Domain> domain_of(const Block& block, const Sizes& sizes) {
  Domain domain{&block, {}, {}, {}, {}};
  Sizes known = sizes;
  for (size_t dim = 0; dim < block.dims.size(); ++dim) {
    for (const std::string& symbol : block.dims[dim].length.symbols())
      if (!known.contains(symbol))
        return std::nullopt;
    domain.extents.push_back(std::max<int64_t>(0, block.dims[dim].length.evaluate(known)));
    known[analysis::dim_name(dim)] = 0;
  }
  std::vector<bool> is_map;
  for (const analysis::Dim& dim : block.dims)
    is_map.push_back(dim.kind == analysis::DimKind::map);
  for (const analysis::Distance& distance : block.distances) {
    Point point;
    for (const std::optional<int64_t>& component : distance)
      point.push_back(component.value_or(0));
    if (llvm::any_of(distance, [](const auto& component) { return !component; }) ||
        block.depends_through_others)
      return std::nullopt;
    domain.distances.push_back(std::move(point));
  }
  domain.active = space::active_dims(static_cast<int>(block.dims.size()), domain.distances);
  std::optional<space::Transformation> loops = space::wavefront(is_map, domain.distances);
  if (domain.active.empty() || !loops)
    return std::nullopt;
  domain.factors = loops->matrix[0];
  return domain;
}

std::string factors_text(const Domain& domain) {
  Extent sum(0);
  for (size_t dim = 0; dim < domain.factors.size(); ++dim)
    sum = sum + Extent(domain.factors[dim]) * Extent::symbol(analysis::dim_name(dim));
  return sum.to_string();
}

/// Calls with each point that is drawn: of the active dims but the last `inner` ones.
void walk(const Domain& domain, size_t inner, const std::function<void(const Point&)>& visit) {
  Point at(domain.extents.size(), 0);
  size_t outer = domain.active.size() - std::min(inner, domain.active.size());
  std::function<void(size_t)> next = [&](size_t number) {
    if (number == outer)
      return visit(at);
    for (int64_t i = 0; i < domain.drawn(domain.active[number]); ++i) {
      at[domain.active[number]] = i;
      next(number + 1);
    }
    at[domain.active[number]] = 0;
  };
  next(0);
}

std::string padded(const std::string& text, size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

std::string heading(const Domain& domain) {
  const Block& block = *domain.block;
  int64_t cells = 1, steps = 1;
  for (int dim : domain.active) {
    cells *= domain.extents[dim];
    steps += domain.factors[dim] * (domain.extents[dim] - 1);
  }
  std::string text = block.name + ": " + analysis::to_string(block.dims) + "\n" +
                     std::to_string(cells) + " cells in " + std::to_string(cells ? steps : 0) +
                     " steps, as dependences allow: " + factors_text(domain);
  for (int dim = 0; dim < static_cast<int>(domain.extents.size()); ++dim)
    if (!llvm::is_contained(domain.active, dim))
      text += ", at " + analysis::dim_name(dim) + " = 0";
  for (size_t dim = 0; dim < domain.extents.size(); ++dim)
    if (llvm::is_contained(domain.active, static_cast<int>(dim)) &&
        domain.drawn(static_cast<int>(dim)) < domain.extents[dim])
      text += "; the first " + std::to_string(domain.drawn(static_cast<int>(dim))) + " of " +
              std::to_string(domain.extents[dim]) + " along " + analysis::dim_name(dim);
  return text + "\n";
}

/// The last two dims that carry states, down and across; of one such dim a row.
std::string grid(const Domain& domain, Point at, size_t width) {
  int across = domain.active.back(), down = -1;
  if (domain.active.size() > 1)
    down = domain.active[domain.active.size() - 2];
  std::string text;
  for (size_t i = 0; i + 2 < domain.active.size(); ++i)
    text += (text.empty() ? "" : ", ") + analysis::dim_name(domain.active[i]) + " = " +
            std::to_string(at[domain.active[i]]);
  text += text.empty() ? "" : "\n";
  std::string corner =
      (down >= 0 ? analysis::dim_name(down) + " \\ " : "") + analysis::dim_name(across);
  text += corner + " ";
  for (int64_t j = 0; j < domain.drawn(across); ++j)
    text += padded(std::to_string(j), width);
  text += "\n";
  for (int64_t i = 0; i < (down >= 0 ? domain.drawn(down) : 1); ++i) {
    if (down >= 0)
      at[down] = i;
    text += padded(down >= 0 ? std::to_string(i) : "", corner.size()) + " ";
    for (int64_t j = 0; j < domain.drawn(across); ++j) {
      at[across] = j;
      text += padded(std::to_string(domain.step(at)), width);
    }
    text += "\n";
  }
  return text;
}

std::vector<Domain> domains_of(const BlockGraph& graph, const Sizes& sizes) {
  std::vector<Domain> domains;
  for (const Block& block : graph.blocks)
    if (std::optional<Domain> domain = domain_of(block, sizes))
      domains.push_back(std::move(*domain));
  return domains;
}

} // namespace

std::string domain_text(const BlockGraph& graph, const Sizes& sizes) {
  std::string text;
  for (const Domain& domain : domains_of(graph, sizes)) {
    text += heading(domain);
    int64_t last = 0;
    for (int dim : domain.active)
      last += domain.factors[dim] * std::max<int64_t>(0, domain.drawn(dim) - 1);
    size_t width = std::to_string(last).size() + 1;
    walk(domain, 2, [&](const Point& at) { text += grid(domain, at, width); });
  }
  return text.empty() ? "no scans that run in waves\n" : text;
}

std::string domain_dot(const BlockGraph& graph, const Sizes& sizes) {
  std::string text = "digraph domain {\n  rankdir=LR;\n  node [shape=circle];\n";
  for (const Domain& domain : domains_of(graph, sizes)) {
    auto name_of = [&](const Point& at) {
      std::string name = domain.block->name;
      for (int64_t i : at)
        name += "_" + std::to_string(i);
      return name;
    };
    std::map<int64_t, std::vector<std::string>> waves;
    std::string nodes, edges;
    std::set<Point> points;
    walk(domain, 0, [&](const Point& at) { points.insert(at); });
    for (const Point& at : points) {
      std::string label;
      for (int dim : domain.active)
        label += (label.empty() ? "" : ", ") + std::to_string(at[dim]);
      nodes += "    " + name_of(at) +
               " [label=" + quoted(label + "\nstep " + std::to_string(domain.step(at))) + "];\n";
      waves[domain.step(at)].push_back(name_of(at));
      for (const Point& distance : domain.distances) {
        Point before = at;
        for (size_t dim = 0; dim < at.size(); ++dim)
          before[dim] -= distance[dim];
        if (points.contains(before))
          edges += "    " + name_of(before) + " -> " + name_of(at) + ";\n";
      }
    }
    text += "  subgraph cluster_" + domain.block->name +
            " {\n    label=" + quoted(domain.block->name + ": " + factors_text(domain)) + ";\n" +
            nodes;
    for (const auto& [step, names] : waves)
      text += "    { rank=same; " + llvm::join(names, "; ") + "; }\n";
    text += edges + "  }\n";
  }
  return text + "}\n";
}

} // namespace kolam::driver
