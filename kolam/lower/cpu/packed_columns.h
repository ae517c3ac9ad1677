/// Columns of a product of matrices, packed: the order in which tiles read them.
#pragma once

#include "kolam/lower/cpu/product_factors.h"

namespace kolam::lower::cpu {

/// Memory for a number of vectors of columns, each a panel of its own:
///
///     panel[k][lane]
///
/// Factors that go by groups (dots.h) lie side by side: panel[k / group][lane][k % group]. Behind
/// them is what must be known of each column: of groups see there, of bf16 the least magnitude
/// (least_magnitude.h).
class PackedColumns {
public:
  explicit PackedColumns(ProductFactors& factors) : f_(factors), e_(factors.e) {}

  Value bytes(Value vectors);
  /// Elements, of the dtype in which factors are held, from a panel to the next.
  Value panel_cells();
  /// The number of the first panel for columns of a batch, where all batches are packed.
  Value panel_of(const Batch& batch, Value column);
  /// Where it is, of a panel that begins at an element, in elements of 32 bits.
  Coordinate known_at(Value first);
  /// Packs columns into panels from number `panel` on.
  void pack(Value memory, Value panel, const Batch& batch, const Panel& columns);

  /// Whether columns lie along the last summed dim.
  bool are_transposed() const;
  /// The element numbers of a vector's columns at their first term.
  Values starts(const Batch& batch, const Panel& columns, int vector, IndexSpan outer);
  /// A square of them from term k on, term by term; of the last square `active` terms count.
  Values square(ValueSpan starts, Value k, Value active);

private:
  void store_zero(Value memory, Value first);
  Values nothing_known(const Panel& columns);
  Values pack_cells(Value memory, Value first, const Batch& batch, const Panel& columns);
  Values pack_transposed(Value memory, Value first, const Batch& batch, const Panel& columns);
  void ask_for_later(ValueSpan starts, Value k);
  Values pack_groups(Value memory, Value first, const Batch& batch, const Panel& columns);
  void store(Value memory, DType dtype, Value number, Value cells);

  ProductFactors& f_;
  Emission& e_;
};

} // namespace kolam::lower::cpu
