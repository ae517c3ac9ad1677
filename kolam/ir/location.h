/// Source locations: between MLIR locations and the user's file and line.
#pragma once

#include "kolam/support/error.h"

#include "mlir/IR/Location.h"

#include <string>
#include <vector>

namespace kolam::ir {

/// A line, and which call of the program's it was: what one call makes has one location, whatever
/// else stands on its line. The number stands in place of the column, which nobody knows.
mlir::Location to_location(mlir::MLIRContext* context, const SourceLocation& where,
                           unsigned call = 0);
/// The location without what is noted beside it: equal for the ops of one call, and for no others
/// where it has a line.
mlir::Location call_location(mlir::Location location);
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
