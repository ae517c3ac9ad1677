/// Emitting a nest function for the CPU: the interface of abi.h, memory by lanes and masks, tiles,
/// and the loops by which sums go.
#pragma once

#include "kolam/lower/emission.h"
#include "kolam/nest/schedule.h"
#include "kolam/support/abi.h"

namespace kolam::lower::cpu {

/// How a dtype is held in memory: booleans in a byte, others as in registers.
mlir::Type memory_type(mlir::MLIRContext* context, DType dtype);

class Emission : public lower::Emission {
public:
  Emission(mlir::OpBuilder& builder, const nest::Nest& nest, mlir::func::FuncOp function,
           const Machine& machine, nest::Schedule schedule);
  /// Ends the function.
  void finish();

  const nest::Schedule schedule;
  /// Ops of which a reduction over a row keeps the row.
  std::vector<mlir::Operation*> kept_rows;

  Value buffer_of(Value program_value) const override;
  Value input_element(Value program_value, IndexSpan index) override;
  void store_result(Value result, IndexSpan index, Value cell) override;
  /// Stores a row of a result in each lane: its elements from an index on, a vector for each, where
  /// the rows of neighbouring lanes follow one another.
  void store_rows(Value result, IndexSpan index, ValueSpan vectors);
  Values reduced(const ReductionCode& code, IndexSpan kept) override;
  Values sums(ProductArithmetic& product, const Accumulate& order, ValueSpan summed, size_t sums,
              const Factors& factors) override;
  Value narrowed_pairs(Value sums) override;
  void window_comes(const FarWindows& windows, IndexSpan batch) override;
  Value is_cancelled() override;

  /// Emits code for a square tile inside `with_lanes` of all lanes: one row after another, each at
  /// its number in `rows`, which follow one another. Inputs whose elements follow one another along
  /// the rows are loaded once for the tile, and transposed.
  void with_tile(ValueSpan rows, Value active, llvm::function_ref<void()> body);
  /// From here on, until the next call, a tile's code is that of its row number `row`.
  void at_tile_row(size_t row) { tile_->row = row; }
  /// Stores such a tile, a vector for each of its rows, in a result whose elements follow one
  /// another along them: from an index on, at which lanes go along another dim.
  void store_tile(Value result, IndexSpan index, ValueSpan vectors);
  /// Emits code for rows of few elements, one in each of all lanes: loops of few turns are
  /// unrolled, and where an element of an input's row is read, its neighbours are loaded with it.
  void with_rows(llvm::function_ref<void()> body);
  /// Where `past_caches`, whole vectors are stored to results past the caches; they must lie at
  /// multiples of their size.
  void with_streams(bool past_caches, llvm::function_ref<void()> body);
  /// From here on, loads of whole vectors from an input of the nest, or stores to an output, ask
  /// for memory so many bytes behind them too.
  void prefetch(Value program_value, Value bytes_ahead);
  /// Until `leave`, elements of an op at (outer..., first + i) are those that scratch memory, a
  /// pointer for each result, holds at i.
  void keep(mlir::Operation* op, IndexSpan outer, Value first, ValueSpan pointers);

  /// Memory of the nest's buffers, by element number. Lanes that do not count, or whose condition
  /// does not hold, touch no memory. Stores of numbers that follow one another are one store.
  Value load(int parameter, DType dtype, const Coordinate& cell_number);
  void store(int parameter, DType dtype, const Coordinate& cell_number, Value value);
  /// Scratch memory on the stack for `count` elements, of all lanes each, made once at the
  /// function's start.
  Value scratch(DType dtype, int64_t count);
  Value load(Value pointer, DType dtype, const Coordinate& cell_number);
  void store(Value pointer, DType dtype, const Coordinate& cell_number, Value value);

  /// Asks for the memory `bytes` behind an element.
  void ask_for(Value pointer, DType dtype, Value number, int64_t bytes);

  /// Fills the error record: a check failed at `flat_index`. The caller also sets `status`.
  void record_error(mlir::Operation* op, Value flat_index);
  /// What the function returns: an ErrorCode.
  Value status;

  /// The memory of a product's packed columns, which is a parameter of the nest; null where it is
  /// not.
  Value packed_columns(size_t product) const { return packed_[product]; }
  /// The parameter that holds a result of the root; nullopt where nothing reads it.
  std::optional<int> output_of(Value result) const;
  Value result_buffer(int number) const { return pointers_[number]; }
  /// The parameters of the nest that are memory, results first, and which of them holds an input.
  size_t memories() const { return pointers_.size(); }
  std::optional<int> parameter_of(Value input) const;
  /// Memory of different groups does not overlap; a group for each parameter, or nothing said.
  void tell_apart(std::vector<int> groups) { groups_ = std::move(groups); }
  /// Whether result `number` lies elsewhere than an input: where it has taken over the input's
  /// memory, it holds the input's elements from the start.
  Value lies_apart(int number, Value input);
  /// Working memory of `bytes` from the call (abi::Context); may be null at run time.
  Value working_memory(Value bytes);
  /// Emits `body` on working memory; where there is none the nest fails with out_of_memory.
  void with_working_memory(Value bytes, llvm::function_ref<void(Value memory)> body);
  /// The address `bytes` after a pointer.
  Value advanced(Value pointer, Value bytes);

  /// The part of the parallel range that the call computes.
  Value begin() const { return begin_; }
  Value end() const { return end_; }

private:
  /// Elements as they lie in memory, and as registers hold them.
  Value load_lanes(Value pointer, mlir::Type type, const Coordinate& cell_number);
  Value from_memory(Value cells, DType dtype);
  /// For masked_memory.h: what one access leaves there no other reads.
  Value lane_memory();
  void store_cells(Value pointer, DType dtype, const Coordinate& cell_number, Value value,
                   bool past_caches);
  /// The mask of an access that must have one.
  Value active_or_all();
  /// Whether the lanes that count are so many of the first, which are moved by parts of them where
  /// masks are slow or missing.
  bool knows_first() const;
  /// Elements that do not follow one another.
  void scatter_lanes(Value pointer, mlir::Type type, const Coordinate& number, Value value);
  /// Asks for memory behind the elements of all lanes, see `prefetch`.
  void prefetch_lanes(int parameter, DType dtype, const Coordinate& cell_number, bool to_write);
  /// An element of an input that is loaded with its tile; null where it is not.
  Value cell_of_tile(Value input, int parameter, IndexSpan index);
  std::optional<CellKey> tile_key(Value input, IndexSpan index);
  /// The same of one that is loaded with its row.
  Value cell_of_rows(Value input, int parameter, IndexSpan index);

  mlir::func::FuncOp function_;
  struct Tile {
    Values rows;
    size_t depth;                    ///< of its frames
    mlir::Block* body;               ///< what stands there is known to all that follows
    Value active, mask;              ///< how many lanes take part, and which; null where all do
    std::map<CellKey, Values> cells; ///< by row, see `tile_key`
    size_t row = 0;                  ///< whose code is at hand
  };
  std::optional<Tile> tile_;
  struct RowCells {
    size_t depth;
    mlir::Block* body;
    std::map<CellKey, Value> cells;
  };
  std::optional<RowCells> rows_; ///< see `with_rows`
  bool past_caches_ = false, needs_fence_ = false;
  std::map<int, Value> ahead_; ///< by parameter: bytes, see `prefetch`
  Value lane_memory_;
  Value cancel_flag_; ///< where it lies; null where nothing looks at it
  Value context_, buffers_, extents_, begin_, end_, error_;
  std::map<const void*, int> parameters_; // program value to the nest's parameter that holds it
  std::vector<Value> pointers_, packed_;
  std::vector<int> groups_; ///< by parameter, see `tell_apart`
};

} // namespace kolam::lower::cpu
