/// Elements that are counted through several dims, where a vector of them lies in two rows.
#pragma once

#include "kolam/lower/emission.h"

namespace kolam::lower {

/// Whether `number`, which counts through dims of these extents, is lanes that follow one another
/// and may lie at the end of one row of the last dim and the start of the next, in no more: then
/// `emit_in_rows` reads both.
bool may_lie_in_two_rows(const Coordinate& number, ValueSpan extents, const Emission& e);

/// The elements that `at` gives at the places of a number along dims of these extents: where most
/// vectors lie in one row, of such asked for by row. Otherwise each lane has a place of its own.
Values emit_in_rows(const Coordinate& number, ValueSpan extents,
                    llvm::function_ref<Values(IndexSpan)> at, Emission& e);

} // namespace kolam::lower
