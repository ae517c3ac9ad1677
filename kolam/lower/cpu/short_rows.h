/// Rows of few elements that follow one another, of which each lane has one.
#pragma once

#include "kolam/lower/cpu/emission.h"

namespace kolam::lower::cpu {

/// As many rows as there are lanes, `width` elements each. They lie in memory from element `number`
/// on, counted from `pointer`.
struct ShortRows {
  Value pointer;
  mlir::Type type; ///< of an element in memory
  Value number;
  int64_t width;
};

/// Neighbouring elements of all rows, a vector of all lanes for each.
struct RowElements {
  int64_t first;
  Values vectors;
};

/// An element of all rows, with those that are loaded with it: of the whole row, or of a square.
RowElements load_rows(const ShortRows& rows, int64_t element, Emission& emission);
/// Stores `width` vectors; nothing outside the rows is written.
void store_rows(const ShortRows& rows, ValueSpan vectors, Emission& emission);
/// How many shuffles either takes.
int64_t shuffles_of_rows(int64_t width, const Machine& machine);

} // namespace kolam::lower::cpu
