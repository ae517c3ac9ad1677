/// The factors of one product of matrices inside a nest, by their indices.
#pragma once

#include "kolam/lower/cpu/dots.h"
#include "kolam/lower/cpu/emission.h"
#include "kolam/lower/cpu/product.h"
#include "kolam/lower/strided.h"

namespace kolam::lower::cpu {

/// `lanes` columns each of `vectors` vectors from `column`; of the last vector only the first
/// `active` count where that is set.
struct Panel {
  Value first;
  int vectors;
  Value active;
};

/// `count` rows from `first`, counted over all row dims.
struct Rows {
  Value first;
  int count;
};

/// What the batch dims are while tiles are emitted.
using Batch = Values;

/// Where the factors of a product are and how they are taken.
struct ProductFactors {
  ProductFactors(const nest::Product& product, Emission& emission);

  /// How many products an element sums.
  Value count();
  /// The product's index at the batch, row and column.
  Values result_index(const Batch& batch, Value row, Value column);
  /// Emits code for the columns of one vector of a panel.
  void with_vector(const Panel& columns, int vector, llvm::function_ref<void()> body);
  /// The factors of one vector of columns; those that do not count are anything.
  Value column_cells(const Batch& batch, const Panel& columns, int vector, IndexSpan summed);
  /// The factors of a row at `summed`.
  Value row_cells(const Batch& batch, Value row, IndexSpan summed);
  /// Whether some terms take no part; whether that differs between rows, or columns.
  bool is_masked() const { return op->getNumOperands() > 2; }
  bool masks_rows() const { return is_masked() && masks_along(dims.rows); }
  bool masks_columns() const {
    return is_masked() && masks_along({static_cast<int>(shape.size()) - 1});
  }
  /// Which terms of a row and one vector of columns take part.
  Value counts(const Batch& batch, Value row, const Panel& columns, int vector, IndexSpan summed);
  /// The same of all columns, where they do not differ, at the terms of `summed`.
  Value counts(const Batch& batch, Value row, IndexSpan summed);
  /// Whether denormals among bf16 factors and their sums are flushed by code of ours, which must
  /// know the least magnitudes (least_magnitude.h).
  bool are_flushed() const { return factor == DType::bf16 && !dots.has_instruction(); }
  /// Whether packed factors are such that lie in the order of their sums, the second of each pair
  /// first; a last one without a second comes behind a zero.
  bool are_pairs_swapped() const;
  /// How many lie one after another then, and where one lies.
  Value packed_count();
  Value packed_place(Value number);
  /// As sums take them: vectors of all lanes, in the dtype in which they are held.
  Value to_held(Value factor);

  Emission& e;
  mlir::Operation* op;
  nest::MatrixDims dims;
  unsigned rows_of, columns_of;
  space::Signature signature;
  Accumulate order;
  ProductArithmetic arithmetic;
  Dots dots;
  DType factor;
  Values shape, row_extents, batch_extents, summed;
  std::optional<Strided> rows, columns; ///< in memory
  /// Bytes behind a column's element that are asked for with it, 0 for none (Note [Columns read
  /// once]).
  int64_t columns_ahead = 0;
  /// Where all columns are no more than that: runs of so many bytes, each behind the last by a
  /// stride in elements, which are asked for at once instead.
  struct Runs {
    int64_t count, bytes, apart;
  };
  std::optional<Runs> columns_at_once;
  bool rows_are_far = false; ///< in an array that the near caches do not hold
  /// A row whose columns are meant where rows are grouped (nest::MatrixDims).
  Value columns_row;
  int lanes;

private:
  bool masks_along(const std::vector<int>& dims) const;
  Value cells(unsigned operand, Index index, IndexSpan summed);
  Value row_cells(unsigned operand, const Batch& batch, Value row, IndexSpan summed);
  Value vector_cells(unsigned operand, const Batch& batch, Value row, const Panel& columns,
                     int vector, IndexSpan summed);
};

/// x / by, rounded down, of numbers that are not negative.
Value quotient(Value x, int64_t by, Emission& emission);

/// for [0, extent): body(first, active) by vectors, of whose last only `active` lanes count.
void for_vectors(Value extent, Emission& emission, llvm::function_ref<void(Value, Value)> body);
/// The same with carried values: state = body(first, active, state).
Values for_vectors(Value extent, ValueSpan state, Emission& emission,
                   llvm::function_ref<Values(Value, Value, ValueSpan)> body);

} // namespace kolam::lower::cpu
