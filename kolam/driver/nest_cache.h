/// Compiled nests by content: equal nests of any program are compiled once.
#pragma once

#include "kolam/backend/cpu/load.h"
#include "kolam/backend/cpu/target.h"

#include "mlir/IR/BuiltinOps.h"

namespace kolam::driver {

/// What equal nests have in common: their lowered code, without source lines, and the target.
std::string nest_key(mlir::ModuleOp lowered, const backend::cpu::Target& target);

/// The compiled nest of that key, where a program still uses it; else null.
std::shared_ptr<const backend::cpu::LoadedNest> find_nest(const std::string& key);
void keep_nest(const std::string& key, const std::shared_ptr<const backend::cpu::LoadedNest>& nest);

/// A name for a nest function that no other in the process has.
std::string new_nest_symbol();

} // namespace kolam::driver
