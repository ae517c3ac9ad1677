/// What in a nest's code goes from element to element although its walk is by vectors, for people.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace kolam::lower {

/// Of a module that `lower_nest` made: `gathers lanes`, `calls kolam_tan_f32`; none where the code
/// does neither. Lanes are gathered where they do not follow one another in memory; functions of
/// the library take an element a call.
std::vector<std::string> fallbacks_of(mlir::ModuleOp nest);

} // namespace kolam::lower
