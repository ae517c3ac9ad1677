/// What a program is, as one hash, at a part of the cost of printing it.
#pragma once

#include "kolam/driver/disk_cache.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace kolam::driver {

/// All that tells one program from another: its ops in order with their operands, types, attributes
/// and regions, and their locations, which errors of its checks name. Equal for equal programs of
/// any context and process; not meant to be read.
std::string program_content(mlir::ModuleOp program);

} // namespace kolam::driver
