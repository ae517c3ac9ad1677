/// How many elements of a nest are computed at once.
#pragma once

#include "kolam/nest/nest.h"
#include "kolam/nest/relation.h"
#include "kolam/support/machine.h"

#include <string_view>

namespace kolam::nest {

/// Whether an op's elements combine others along dims of its signature, or are carried by a loop.
bool has_loop(mlir::Operation* op);
/// A loop in the body of an op on single elements; null where there is none.
mlir::Operation* loop_inside(mlir::Operation* op);
/// Size of code: so few elements are combined one by one, each in a register.
inline constexpr int64_t kFewReduced = 8;
/// Size of code: elements of a row that are computed side by side, each a vector of many rows.
inline constexpr int64_t kMostInterleaved = 16;
/// Whether the op states that its elements go by lanes, and has more than few.
bool goes_by_lanes(mlir::Operation* op, int64_t few = kFewReduced);

struct Lanes {
  int count = 1;
  std::string_view why_one = {}; ///< set where it is 1
};

/// The lanes of the root's innermost dim, which the dims from `first_run` on form: as many 32-bit
/// elements as a register holds, four registers where elements are sums over loops other than those
/// of `together`, or are carried by loops whose states leave room. 1 where that dim is short, or
/// where a reduction whose own elements go by lanes differs from element to element, unless what it
/// combines lies across (NestRelation::lies_across): then each of its lanes is a vector in memory.
Lanes choose_lanes(const Nest& nest, const NestRelation& relation, int64_t first_run,
                   llvm::ArrayRef<mlir::Operation*> together, const Machine& machine);

} // namespace kolam::nest
