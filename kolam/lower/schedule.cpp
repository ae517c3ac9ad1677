// Lists the schedules of a nest.
#include "kolam/lower/schedule.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/ops.h"
#include "kolam/lower/map_plan.h"

#include <algorithm>
#include <cstdio>

namespace kolam::lower {
namespace {

/// Registers that a vector of sums takes.
int registers_of(const nest::Nest& nest) {
  int width = 4;
  for (const nest::Product& product : nest.products)
    width = std::max(width, byte_width(ir::dtype_of(product.op->getResult(0))));
  return width / 4;
}

/// Tiles whose sums, with a vector of each factor, fit into the registers and leave few unused.
/// Their heights and widths divide a unit, so that units start where tiles do; the height of few
/// rows, which are one unit, is free.
std::vector<Schedule> tiles_for(const nest::Nest& nest, const Machine& machine) {
  std::vector<Schedule> tiles;
  int lanes = machine.vector_bytes / 4, registers = machine.vector_bytes == 64 ? 32 : 16;
  std::optional<int64_t> known = nest::row_count(nest.products[0]).constant();
  nest::UnitShape unit = nest::unit_of(nest.products);
  bool is_one_unit = known && *known < unit.rows;
  int64_t most_rows = is_one_unit ? std::max<int64_t>(*known, 1) : unit.rows;
  for (int vectors = 1; vectors <= registers; ++vectors)
    for (int rows = 1; rows <= std::min<int64_t>(registers, most_rows); ++rows) {
      int used = (rows * vectors + vectors + 1) * registers_of(nest);
      bool divides =
          unit.columns % (vectors * lanes) == 0 && (is_one_unit || unit.rows % rows == 0);
      bool is_useful = 2 * used > registers || rows == most_rows;
      if (divides && is_useful && used <= registers)
        tiles.push_back({rows, vectors});
    }
  return tiles;
}

/// Whether a nest is a walk by single vectors, of few ops, as its code is repeated for each.
bool has_vectors_side_by_side(const nest::Nest& nest, const Machine& machine) {
  constexpr size_t kMostOps = 24;
  if (!analysis::computes_cells(nest.root) || ir::rank_of(nest.root->getResult(0)) == 0 ||
      nest.fused.size() > kMostOps)
    return false;
  MapPlan plan = choose_map_plan(nest, machine, {});
  return plan.lanes == machine.vector_bytes / 4 && plan.tile_dim < 0;
}

} // namespace

std::string to_string(const Schedule& schedule) {
  return "rows " + std::to_string(schedule.rows) + " vectors " + std::to_string(schedule.vectors);
}

std::optional<Schedule> parse_schedule(std::string_view text) {
  Schedule schedule;
  int length = 0;
  std::string whole(text);
  if (std::sscanf(whole.c_str(), "rows %d vectors %d%n", &schedule.rows, &schedule.vectors,
                  &length) != 2 ||
      static_cast<size_t>(length) != text.size())
    return std::nullopt;
  return schedule;
}

std::vector<Schedule> schedules_for(const nest::Nest& nest, const Machine& machine) {
  std::vector<Schedule> schedules{{}};
  if (!nest.products.empty()) {
    std::vector<Schedule> tiles = tiles_for(nest, machine);
    schedules.insert(schedules.end(), tiles.begin(), tiles.end());
  } else if (has_vectors_side_by_side(nest, machine)) {
    for (int vectors : {1, 2, 4, 8, 16})
      schedules.push_back({0, vectors});
  }
  return schedules;
}

} // namespace kolam::lower
