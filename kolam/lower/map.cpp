// Walks over the elements of a result: runs of joined dims by vectors, tiles where an operand lies
// across.
#include "kolam/lower/map.h"

#include "kolam/lower/interleaved.h"
#include "kolam/lower/lanes.h"
#include "kolam/lower/ops.h"
#include "kolam/lower/reduction.h"
#include "kolam/lower/result_cells.h"
#include "kolam/nest/symbols.h"

namespace kolam::lower {
namespace {

using mlir::arith::CmpIPredicate;

class MapEmitter {
public:
  MapEmitter(const MapPlan& plan, Emission& e)
      : plan_(plan), root_(e.nest().root), e_(e), shape_(e.shape(root_->getResult(0))),
        parallel_dim_(nest::parallel_dim(e.nest()).value_or(0)) {
    e_.kept_rows = plan_.kept.ops;
    emit_prefetches(plan_.prefetched, e_);
  }

  void emit() {
    if (shape_.empty())
      return e_.loop(e_.begin(), e_.end(), [&](Value) { emit_cell({}); });
    index_.assign(shape_.size(), Coordinate(e_.i64(0)));
    if (plan_.tile_dim >= 0)
      return around(0, [&](Value first, Value last) { emit_tiles(first, last); });
    if (parallel_dim_ < plan_.first_run)
      return around(0, [&](Value, Value) {
        for (mlir::Operation* reduction : plan_.kept.reductions)
          e_.cells(reduction, IndexSpan(index_).drop_back());
        emit_run(e_.i64(0), size_from(plan_.first_run));
      });
    // Dims around the parallel one have one element.
    Value inner = size_from(parallel_dim_ + 1);
    bool is_whole = constant_of(inner).value_or(1) % plan_.lanes == 0;
    emit_run(e_.mul(e_.begin(), inner), e_.mul(e_.end(), inner), is_whole);
  }

private:
  /// The product of the extents of dim `first` and those behind it.
  Value size_from(int64_t first) {
    Value size = e_.i64(1);
    for (size_t dim = first; dim < shape_.size(); ++dim)
      size = e_.mul(size, shape_[dim]);
    return size;
  }

  /// First and last place of the part that is to be computed.
  std::pair<Value, Value> places_along(int64_t dim) {
    return dim == parallel_dim_ ? std::pair(e_.begin(), e_.end())
                                : std::pair(e_.i64(0), shape_[dim]);
  }

  /// Loops over the dims from `dim` on that are neither in the run nor in the tile. The body gets
  /// the range of the tile's dim.
  void around(size_t dim, llvm::function_ref<void(Value, Value)> body) {
    size_t end = plan_.first_run;
    if (plan_.tile_dim >= 0 && dim == static_cast<size_t>(plan_.tile_dim))
      ++dim;
    if (dim >= end) {
      auto [first, last] = places_along(std::max<int64_t>(plan_.tile_dim, 0));
      return body(first, last);
    }
    auto [first, last] = places_along(static_cast<int64_t>(dim));
    if (plan_.rows > 1 && dim + 1 == end)
      first = emit_rows(dim, first, last);
    e_.loop(first, last, [&](Value i) {
      index_[dim] = i;
      around(dim + 1, body);
    });
  }

  void emit_cell(IndexSpan index) { emit_result_cells(index, shape_, e_); }

  void emit_cells_at(Value i, int64_t stride) {
    index_.back() = Coordinate::progression(i, stride);
    index_.back().is_aligned = is_aligned_ && stride == 1;
    emit_cell(index_);
  }

  /// A vector of which only the first `active` lanes count; nothing where these are none.
  void emit_part(Value i, Value active) {
    Value some = e_.b.createOrFold<mlir::arith::CmpIOp>(CmpIPredicate::sgt, active, e_.i64(0));
    e_.when(some, [&] {
      with_cells(plan_.lanes, active, e_, [&](int lanes) { emit_cells_at(i, lanes > 1); });
    });
  }

  Value remainder(Value x, int64_t by) {
    return e_.b.createOrFold<mlir::arith::RemUIOp>(x, e_.i64(by));
  }

  /// Places [first, last) of the run, `is_whole` where they are known to fill their vectors.
  void emit_run(Value first, Value last, bool is_whole = false) {
    if (plan_.lanes == 1)
      return emit_single_cells(first, last);
    if (plan_.by_rows)
      return emit_blocks(first, last);
    if (plan_.streams && !is_whole && constant_of(first) != 0) {
      // A part of the range starts anywhere: up to the first place that is a multiple of the lanes.
      Value ahead = remainder(e_.sub(e_.i64(0), first), plan_.lanes);
      Value head = mlir::arith::MinSIOp::create(e_.b, ahead, e_.sub(last, first));
      emit_part(first, head);
      first = e_.add(first, head);
    }
    is_aligned_ = plan_.streams || constant_of(first).value_or(1) % plan_.lanes == 0;
    Value left = is_whole ? e_.i64(0) : remainder(e_.sub(last, first), plan_.lanes);
    Value whole = e_.sub(last, left);
    e_.with_streams(plan_.streams, [&] {
      int64_t width = int64_t{plan_.lanes} * plan_.vectors;
      if (plan_.vectors > 1) {
        Value blocks = e_.sub(whole, remainder(e_.sub(whole, first), width));
        e_.loop(first, blocks, [&](Value i) { emit_vectors(i); }, width);
        first = blocks;
      }
      e_.loop(
          first, whole,
          [&](Value i) { e_.with_lanes(plan_.lanes, {}, [&] { emit_cells_at(i, 1); }); },
          plan_.lanes);
    });
    emit_part(whole, left);
  }

  /// Element by element; few of them without a loop, so that loops that they share run once.
  void emit_single_cells(Value first, Value last) {
    constexpr int64_t kFew = 4;
    auto start = constant_of(first), end = constant_of(last);
    if (!start || !end || *end - *start > kFew || llvm::none_of(e_.nest().fused, has_loop))
      return e_.loop(first, last, [&](Value i) { emit_cells_at(i, 0); });
    for (int64_t i = *start; i < *end; ++i)
      emit_cells_at(e_.i64(i), 0);
  }

  /// Blocks of columns, whose reductions run together, row by row.
  void emit_blocks(Value first, Value last) {
    e_.loop(
        first, last,
        [&](Value column) {
          Value left = e_.sub(last, column);
          Value count = mlir::arith::MinSIOp::create(e_.b, left, e_.i64(nest::kBlockColumns));
          Columns columns{column, count, nest::kBlockColumns, plan_.lanes};
          for (mlir::Operation* op : plan_.together)
            emit_column_reduction(reduction_code(op, e_), IndexSpan(index_).drop_back(), columns,
                                  e_);
          emit_columns(
              columns,
              [&](const Coordinate&, const Coordinate& place) {
                index_.back() = place;
                emit_cell(index_);
              },
              e_);
        },
        nest::kBlockColumns);
  }

  /// Rows of few vectors from place `first` of a dim on, so many at once; where the rest starts.
  Value emit_rows(size_t dim, Value first, Value last) {
    Value rest = e_.sub(last, remainder(e_.sub(last, first), plan_.rows));
    is_aligned_ = true;
    e_.with_streams(plan_.streams, [&] {
      e_.loop(
          first, rest,
          [&](Value row) {
            std::vector<Index> indices;
            for (int64_t number = 0; number < plan_.rows; ++number) {
              index_[dim] = e_.add(row, e_.i64(number));
              add_vectors(e_.i64(0), indices);
            }
            emit_waiting(indices);
          },
          plan_.rows);
    });
    return rest;
  }

  /// The indices of vectors side by side.
  void add_vectors(Value first, std::vector<Index>& indices) {
    for (int64_t vector = 0; vector < plan_.vectors; ++vector) {
      Index& index = indices.emplace_back(index_);
      index.back() = Coordinate::progression(e_.add(first, e_.i64(vector * plan_.lanes)), 1);
      index.back().is_aligned = is_aligned_;
    }
  }

  /// Elements whose ops wait for one another.
  void emit_waiting(const std::vector<Index>& indices) {
    e_.with_lanes(plan_.lanes, {}, [&] {
      emit_interleaved(indices.size(), [&](size_t vector) { emit_cell(indices[vector]); }, e_);
    });
  }

  /// Vectors side by side, whose reductions run together.
  void emit_vectors(Value first) {
    std::vector<Index> indices;
    add_vectors(first, indices);
    if (plan_.together.empty())
      return emit_waiting(indices);
    e_.with_lanes(plan_.lanes, {}, [&] {
      for (mlir::Operation* op : plan_.together)
        for (auto [index, cells] :
             llvm::zip(indices, emit_reductions(reduction_code(op, e_), indices, e_)))
          for (auto [result, cell] : llvm::zip(op->getResults(), cells))
            e_.remember(result, index, cell);
      for (const Index& index : indices)
        emit_cell(index);
    });
  }

  /// Rows [first, last) of the tile's dim and all columns, which are a run. Blocks of columns are
  /// wide enough that whole lines are read and written, and few enough rows lie between their uses.
  void emit_tiles(Value first, Value last) {
    int lanes = plan_.lanes;
    Value columns = size_from(plan_.first_run);
    Value whole_rows = e_.sub(last, remainder(e_.sub(last, first), lanes));
    Value whole_columns = e_.sub(columns, remainder(columns, lanes));
    Value block = e_.i64(int64_t{kTileBlock} * lanes);
    e_.loop(
        e_.i64(0), whole_columns,
        [&](Value column) {
          Value end = mlir::arith::MinSIOp::create(e_.b, e_.add(column, block), whole_columns);
          e_.loop(
              first, whole_rows,
              [&](Value row) {
                e_.loop(column, end, [&](Value at) { emit_tile(row, at); }, lanes);
              },
              lanes);
        },
        int64_t{kTileBlock} * lanes);
    // The edges, row by row.
    Value some = e_.b.createOrFold<mlir::arith::CmpIOp>(CmpIPredicate::slt, whole_columns, columns);
    e_.when(some, [&] {
      e_.loop(first, whole_rows, [&](Value row) {
        index_[plan_.tile_dim] = row;
        emit_part(whole_columns, e_.sub(columns, whole_columns));
      });
    });
    e_.loop(whole_rows, last, [&](Value row) {
      index_[plan_.tile_dim] = row;
      emit_edge_row();
    });
  }

  void emit_edge_row() {
    Value columns = size_from(plan_.first_run), left = remainder(columns, plan_.lanes);
    Value whole = e_.sub(columns, left);
    e_.loop(
        e_.i64(0), whole,
        [&](Value i) { e_.with_lanes(plan_.lanes, {}, [&] { emit_cells_at(i, 1); }); },
        plan_.lanes);
    emit_part(whole, left);
  }

  void emit_tile(Value row, Value column) {
    Values rows;
    for (int r = 0; r < plan_.lanes; ++r)
      rows.push_back(e_.add(row, e_.i64(r)));
    e_.with_lanes(plan_.lanes, {}, [&] {
      e_.with_tile(rows, [&] {
        e_.with_streams(plan_.streams, [&] {
          for (Value at : rows) {
            index_[plan_.tile_dim] = at;
            emit_cells_at(column, 1);
          }
        });
      });
    });
  }

  /// Tiles side by side before the walk goes on to the next rows.
  static constexpr int kTileBlock = 4;
  const MapPlan& plan_;
  mlir::Operation* root_;
  Emission& e_;
  Values shape_;
  const int64_t parallel_dim_; ///< of which the nest's range is a part
  Index index_;
  bool is_aligned_ = false; ///< vectors of the run start at multiples of the lanes
};

} // namespace

void emit_map(const MapPlan& plan, Emission& e) { MapEmitter(plan, e).emit(); }

} // namespace kolam::lower
