/// What tuning may choose of a nest's code. No choice changes a bit of any result.
#pragma once

#include "kolam/lower/machine.h"
#include "kolam/nest/nest.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kolam::lower {

/// 0 stands for what the rules of lowering choose.
struct Schedule {
  int rows = 0;    ///< of a tile of a product of matrices
  int vectors = 0; ///< of the tile's columns; of a map, side by side
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// `rows 8 vectors 3`, and back; nullopt for any other text.
std::string to_string(const Schedule& schedule);
std::optional<Schedule> parse_schedule(std::string_view text);

/// The schedules that lowering can follow for a nest, the rules' own first and alone where there is
/// nothing to choose.
std::vector<Schedule> schedules_for(const nest::Nest& nest, const Machine& machine);

} // namespace kolam::lower
