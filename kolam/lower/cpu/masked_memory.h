/// Loads and stores of the lanes that a mask chooses, on machines without such instructions.
#pragma once

#include "kolam/lower/cpu/emission.h"

namespace kolam::lower::cpu {

/// Whether one instruction loads or stores the chosen lanes of a vector of such elements.
bool has_masked_moves(const Machine& machine, int bits);
/// Whether one instruction loads the chosen lanes from places that do not follow one another.
bool has_masked_gathers(const Machine& machine, int bits);

/// The lanes that a mask chooses as the bits of an integer of as many.
Value mask_bits(Value mask, Emission& e);
/// One element for all lanes; zero and no access where `mask` is false for all of them.
Value load_where_any(Value mask, Value address, mlir::Type type, Emission& e);
/// The elements from `address` on, `type` a vector of them; zeros and no access where `mask` is
/// false. `lane_memory` has room for kLaneMemory bytes.
Value load_run_where(Value mask, Value address, mlir::VectorType type, Value lane_memory,
                     Emission& e);
/// The elements numbered `numbers`, a vector of i64, counted from `pointer`.
Value gather_where(Value mask, Value pointer, Value numbers, mlir::VectorType type,
                   Value lane_memory, Emission& e);
/// Stores a vector from `address` on; no access where `mask` is false.
void store_run_where(Value mask, Value address, Value vector, Value lane_memory, Emission& e);

/// Format: bytes of the widest registers.
inline constexpr int64_t kMostLanes = 64;
/// Format: for an element and a number of each lane.
inline constexpr int64_t kLaneMemory = kMostLanes * (8 + 8);

} // namespace kolam::lower::cpu
