/// Loops of which derivatives keep every k-th state: the steps between run again when they are
/// asked.
#pragma once

#include "kolam/transform/derive/activity.h"
#include "kolam/transform/derive/transposition.h"

#include "kolam/ir/ops.h"

namespace kolam::transform::derive {

/// The attribute of loops that says how many steps a segment has; further numbers are those of the
/// segments of a segment.
inline constexpr llvm::StringLiteral kSegments = "segments";

/// The steps of a segment of the loop, and of the segments in it; none where it has no such
/// attribute, or fewer steps.
llvm::ArrayRef<int64_t> segments_of(ir::ScanOp op);

/// As `linearise_whole`, with composite "segments" of (inits, xs, captures, states at the segments'
/// beginnings, tangents) as its linear part. `active` arguments of the body and `results` of the op
/// have tangents.
void linearise_in_segments(ir::ScanOp op, const Flags& active, const Flags& results,
                           Linearisation& at);
/// Runs the segments again, the last first, each with what its own derivative keeps. Sums over
/// steps have the bits of one loop's: see Note [Parts] (transposition.cpp).
void transpose_segments(ir::CompositeOp op, Transposition& at);

} // namespace kolam::transform::derive
