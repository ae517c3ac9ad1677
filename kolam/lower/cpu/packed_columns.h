/// Columns of a product of matrices, packed: the order in which tiles read them.
#pragma once

#include "kolam/lower/cpu/product_factors.h"

namespace kolam::lower::cpu {

/// Memory for a number of vectors of columns, each a panel of its own:
///
///     panel[k][lane]
///
/// Where the machine has dot products of groups of factors (dots.h), those of a group lie side by
/// side, and behind them the sum of each column: panel[k / group][lane][k % group].
class PackedColumns {
public:
  explicit PackedColumns(ProductFactors& factors) : f_(factors), e_(factors.e) {}

  Value bytes(Value vectors);
  /// Elements, of the dtype in which factors are held, from a panel to the next.
  Value panel_cells();
  /// The number of the first panel for columns of a batch, where all batches are packed.
  Value panel_of(const Batch& batch, Value column);
  /// Packs columns into panels from number `panel` on.
  void pack(Value memory, Value panel, const Batch& batch, const Panel& columns);

  /// Whether columns lie along the last summed dim.
  bool are_transposed() const;
  /// The element numbers of a vector's columns at their first term.
  Values starts(const Batch& batch, const Panel& columns, int vector, IndexSpan outer);
  /// A square of them from term k on, term by term; of the last square `active` terms count.
  Values square(ValueSpan starts, Value k, Value active);

private:
  void pack_cells(Value memory, Value first, const Batch& batch, const Panel& columns);
  void pack_transposed(Value memory, Value first, const Batch& batch, const Panel& columns);
  void ask_for_later(ValueSpan starts, Value k);
  void pack_groups(Value memory, Value first, const Batch& batch, const Panel& columns);
  void store(Value memory, DType dtype, Value number, Value cells);

  ProductFactors& f_;
  Emission& e_;
};

} // namespace kolam::lower::cpu
