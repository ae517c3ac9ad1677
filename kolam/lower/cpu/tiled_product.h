/// One product of matrices inside a nest: its factors in memory or packed, and the sums of a tile.
#pragma once

#include "kolam/lower/cpu/product_factors.h"

namespace kolam::lower::cpu {

/// The most rows, vectors of columns and vectors of sums that a tile has.
struct TileBounds {
  int rows, vectors, sums;
};

/// Emits the sums of tiles of one product. Factors are read where they lie if that is at fixed
/// strides, and columns one after another; else they are first packed into working memory: columns
/// for all rows (packed_columns.h), rows for each tile: block[row][k]. Where the sums are several
/// chunks, those of earlier ones wait in working memory too, a tile for each level of the tree.
class TiledProduct {
public:
  /// `packed_before`: the memory of all columns, where another nest has packed them; else null.
  TiledProduct(const nest::Product& product, Value packed_before, Emission& emission);

  /// Whether the columns can be read without packing.
  bool has_direct_columns();
  /// Whether the sums can go on from one part of the summed dim to the next: it is one dim, and
  /// both factors are read where they lie.
  bool can_be_cut();
  /// Whether all products of an element are one chain; else how many chunks they have.
  bool is_one_chain();
  Value chunks();
  int64_t chunk() const { return f_.order.chunk; }
  bool merges_in_order() const { return f_.order.in_order; }
  /// Whether another nest has packed the columns.
  bool is_packed_before() const { return place_ == ColumnPlace::packed_before; }
  /// The extent of that dim; how many products an element sums.
  Value summed_count() { return f_.count(); }
  ProductArithmetic& arithmetic() { return f_.arithmetic; }
  mlir::Operation* op() const { return f_.op; }

  /// How many bytes of working memory are needed for tiles up to these, and where they are.
  Value working_bytes(const TileBounds& most);
  void set_working_memory(Value memory, const TileBounds& most);

  /// Of how many rows the packed ones may be kept for further columns, as long as caches hold them;
  /// 0 where they are read in place or are too long.
  int64_t rows_worth_keeping();
  /// Keeps so many rows, from here on those from number `first` on, which are to be packed only if
  /// they are new.
  void keep_rows(Value count) { kept_rows_ = count; }
  void use_rows(Value first, Value are_new) {
    first_row_ = first;
    are_new_ = are_new;
  }

  /// Whether two rows have columns at different places, where they are grouped.
  Value have_other_columns(Value row, Value other);
  /// From here on the columns are those of a row.
  void use_columns_of(Value row) { f_.columns_row = row; }

  /// Where it is the columns that say which terms take part: from here on, sums go from the first
  /// to the last that does in one of these.
  void find_terms(const Batch& batch, const Panel& columns);
  void forget_terms() { terms_ = {}; }

  /// Packs columns into their place in `packed_before`.
  void pack_before(const Batch& batch, const Panel& columns);
  /// Asks for all columns, where they are few and far.
  void ask_for_columns();
  /// Makes the columns ready for tiles.
  void pack(const Batch& batch, const Panel& columns);
  /// From here on columns are read where they lie.
  void use_direct_columns() { place_ = ColumnPlace::direct; }
  /// The sums of a tile, row by row, before `result`.
  Values sums(const Batch& batch, const Rows& rows, const Panel& columns);
  /// The sums plus those of [begin, end) of the summed dim, of columns that are read directly.
  Values add_part(const Batch& batch, const Rows& rows, const Panel& columns, ValueSpan sums,
                  Value begin, Value end);

private:
  /// Where the factors of a tile are.
  struct Places {
    const Batch* batch = nullptr;
    Rows tile{};
    Value row_memory, column_memory;
    Values rows;       ///< the element number of each row's first factor
    Value column;      ///< that of the first vector of columns
    Value vector_step; ///< from a vector to the next
    Panel tile_columns;
    Panel columns; ///< those that count, where others may not be read
    /// The summed dims, of which neighbours that lie one after another in both factors are one, and
    /// how far apart their factors are.
    Values extents, row_strides, column_strides;
  };
  enum class ColumnPlace : uint8_t { direct, working_memory, packed_before };

  Values summed_strides(const std::optional<Strided>& cells, int64_t step);
  void pack_rows(const Batch& batch, const Rows& rows, Value at);
  Coordinate least_of_row(Value first);
  bool reads_rows();
  bool are_pairs_swapped() const { return place_ != ColumnPlace::direct && f_.are_pairs_swapped(); }
  void find_least(Value columns);
  TermRange terms_of(const Batch& batch, const Rows& rows);
  Value load_group(const Places& at, Value group, int vector);
  Values group_onto(const Places& at, Value group, ValueSpan sums);
  Values pair_onto(const Places& at, Value pair, ValueSpan sums);
  Values dot_sums(const Places& at);
  Values chain_sums(const Places& at);
  Value are_normal(const Places& at);
  Values flushed_where_needed(const Places& at, llvm::function_ref<Values()> sums);
  Value panel_bytes(int vectors);
  Value slot_bytes(const TileBounds& most);
  Value row_width();
  bool has_whole_groups();
  Places places(const Batch& batch, const Rows& rows, const Panel& columns);
  void join_summed(Places& at, ValueSpan row_strides, ValueSpan column_strides);
  void ask_for_rows(const Places& at, Value place);
  Terms factors(const Places& places, IndexSpan summed);
  Values turned_sums(const Places& at, const Panel& columns);

  ProductFactors f_;
  Emission& e_;
  ColumnPlace place_;
  Value packed_, block_; ///< columns, rows
  Value slots_;          ///< sums of chunks that wait for later ones
  TermRange terms_;      ///< see `find_terms`
  Value direct_least_;   ///< see `find_least`
  bool finds_least_ = false;
  Value kept_rows_, first_row_, are_new_; ///< see `keep_rows`
  bool all_count_ = false;                ///< see `SumOrder`
};

} // namespace kolam::lower::cpu
