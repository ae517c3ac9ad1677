/// A program whose nests are compiled: all that running it needs, as data that can be kept.
#pragma once

#include "kolam/driver/disk_cache.h"
#include "kolam/driver/nest_cache.h"
#include "kolam/driver/spine.h"
#include "kolam/ir/bind_sizes.h"
#include "kolam/runtime/array.h"
#include "kolam/support/steps.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kolam::driver {

/// What an error record's op number stands for.
struct CheckText {
  std::string slug, message;
  SourceLocation where;
};

/// The program in steps, and all that these speak of by number.
struct CompiledProgram {
  StepProgram program, preparation; ///< as in nest::NestList
  std::vector<runtime::Array> constants;
  std::vector<CheckText> checks; ///< by nest; empty where its root is no check
  std::vector<ir::Parameter> parameters;
  std::vector<NestOrigin> origins; ///< by nest
  bool is_on_lists = false;        ///< the traced program has lists
  std::vector<CompiledNest> nests; ///< by nest
};

/// What a road up to `kLoaded` leads to.
CompiledProgram compiled_program(Road road);

/// The program without the code of its nests.
std::string to_bytes(const CompiledProgram& program);
/// Reads what `to_bytes` of the same build writes; its nests are null. Nullopt for other bytes.
std::optional<CompiledProgram> program_from(std::string_view bytes);

} // namespace kolam::driver
