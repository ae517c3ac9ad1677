/// Emitting the combination of many sequences whose elements lie side by side, as the columns of a
/// matrix do.
#pragma once

#include "kolam/lower/cpu/accumulation.h"

namespace kolam::lower::cpu {

/// Elements [first, first + count) along the innermost dim, at most `most` of them.
struct Columns {
  Value first, count;
  int64_t most;
  int lanes;
};

/// for every vector of columns, and for those behind the last whole one with a mask: body(column),
/// where `column` counts from 0 and `columns.first`.
void emit_columns(const Columns& columns,
                  llvm::function_ref<void(const Coordinate& offset, const Coordinate& column)> body,
                  Emission& emission);

/// Combines elements 0 .. length - 1 of every column in the order of chunks: the same states as
/// emit_accumulation gives column by column, but elements are met row by row, so that memory is
/// read in its own order. States lie in scratch memory between rows. `combiner` is the code for a
/// vector of columns; `finish` gets the state of each.
void emit_column_accumulation(
    const Accumulate& order, Value length, const std::vector<DType>& states, const Columns& columns,
    const std::function<Combiner(const Coordinate& column)>& combiner,
    const std::function<void(const Coordinate& offset, const Coordinate& column, ValueSpan state)>&
        finish,
    Emission& emission);

} // namespace kolam::lower::cpu
