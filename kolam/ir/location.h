/// Source locations: between MLIR locations and the user's file and line.
#pragma once

#include "kolam/support/error.h"

#include "mlir/IR/Location.h"

#include <string>
#include <vector>

namespace kolam::ir {

mlir::Location to_location(mlir::MLIRContext* context, const SourceLocation& where);
/// The first file and line inside `location`; empty where it has none.
SourceLocation to_source_location(mlir::Location location);
/// What a location names beside the line (language/builder.h, LocationNote); of an op on lists the
/// function that the user called. Empty where it names nothing.
std::string note_of(mlir::Location location);

/// A location that knows by which paths the user reaches the lists that an op reads, `xs[1]`, its
/// operands in order; empty for what is no part of a zip.
mlir::Location with_paths(mlir::Location location, const std::vector<std::string>& paths);
/// These paths; none where the location knows none.
std::vector<std::string> paths_of(mlir::Location location);

} // namespace kolam::ir
