/// How often the bodies of an op run.
#pragma once

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <optional>

namespace kolam::analysis {

/// Assumed: turns of a loop that only the run knows, as of a symbol.
inline constexpr double kUnknownTurns = 1000;

/// The integer that a constant of one element is; nullopt for other values.
std::optional<int64_t> number_of(mlir::Value value);

/// Whether its regions are programs: bodies of loops, branches, functions on lists, kernels.
bool has_programs(mlir::Operation* op);
/// How often such a region runs when the op runs once.
double turns_of(mlir::Operation* op);

} // namespace kolam::analysis
