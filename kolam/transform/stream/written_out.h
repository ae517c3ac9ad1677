/// Loops and branches without regions: every turn, every branch as ops of the program.
#pragma once

#include "kolam/ir/ops.h"

namespace kolam::transform::stream {

/// Bound: loops of more turns are not written out, as each is a part of the step's program.
constexpr int64_t kMostTurns = 64;

/// Puts a loop's turns one after the other behind it, whose results they give; of a branch all
/// branches and the choice between them. False, and nothing done, where turns are too many or not
/// known, or a branch that is not taken would show.
bool write_out(ir::ForOp op);
bool write_out(ir::ScanOp op);
bool write_out(ir::CondOp op);
bool write_out(ir::WhileOp op);

} // namespace kolam::transform::stream
