// Loops over units, panels and tiles.
#include "kolam/lower/cpu/matrix_nest.h"

#include "kolam/lower/cpu/held_sums.h"
#include "kolam/lower/cpu/result_cells.h"
#include "kolam/lower/cpu/tile_shape.h"
#include "kolam/lower/cpu/tiled_product.h"

namespace kolam::lower::cpu {
namespace {

/// With so many rows packing columns pays.
constexpr int64_t kRowsToPack = kTiles.few_rows;

class MatrixNest {
public:
  explicit MatrixNest(Emission& e)
      : e_(e), root_(e.nest().root), lanes_(e.machine.lanes()),
        shape_(e.shape(root_->getResult(0))), dims_(e.nest().products[0].dims),
        unit_(nest::unit_of(e.nest().products)), rows_(e.i64(1)), batch_count_(e.i64(1)),
        columns_(shape_.back()) {
    for (auto [number, product] : llvm::enumerate(e.nest().products))
      products_.emplace_back(product, e.packed_columns(number), e);
    for (int dim : dims_.rows) {
      row_extents_.push_back(shape_[dim]);
      rows_ = e.mul(rows_, shape_[dim]);
    }
    tiled_ = {e.i64(0), rows_};
    most_rows_ = constant_of(rows_).value_or(kRowsToPack);
    if (dims_.is_grouped)
      most_rows_ = std::clamp<int64_t>(most_rows_, 1, unit_.rows);
    for (int dim : dims_.batch) {
      batch_extents_.push_back(shape_[dim]);
      batch_count_ = e.mul(batch_count_, shape_[dim]);
    }
    for (TiledProduct& product : products_) {
      int bytes = byte_width(product.arithmetic().sum_dtype());
      registers_ = std::max(registers_, std::max(1, bytes * lanes_ / e.machine.vector_bytes));
    }
    TileShape tile = nest::tile_of(e.schedule, e.machine);
    if (tile != tiles().shape())
      given_ = tile;
  }

  void emit() {
    auto all = [&](auto holds) { return llvm::all_of(products_, holds); };
    bool is_direct = all([](TiledProduct& product) { return product.has_direct_columns(); });
    bool can_be_cut = all([](TiledProduct& product) { return product.can_be_cut(); });
    // Columns of a batch that stay near are read where they lie, also by many rows.
    bool is_small = all([&](TiledProduct& product) {
      auto count = constant_of(e_.mul(product.summed_count(), columns_));
      return count &&
             *count * byte_width(product.arithmetic().held_dtype()) <= e_.machine.caches.second / 8;
    });
    if (dims_.is_grouped)
      return with_working_memory(!can_be_cut, can_be_cut, [&] { emit_groups(can_be_cut); });
    auto rows = constant_of(rows_);
    bool has_few = rows.value_or(0) <= kRowsToPack;
    bool by_parts = has_few && can_be_cut && !(is_small && rows);
    bool by_panels = !by_parts || !rows;
    if (is_direct && has_few && rows && by_panels)
      for (TiledProduct& product : products_)
        product.use_direct_columns();
    with_working_memory(by_panels, by_parts, [&] {
      if (!by_parts)
        return rows || !all([](TiledProduct& product) { return product.is_packed_before(); })
                   ? emit_panels()
                   : emit_packed_panels();
      if (!by_panels)
        return emit_parts();
      either(is_at_most(rows_, kRowsToPack), [&] { emit_parts(); }, [&] { emit_panels(); });
    });
  }

  /// Packs the columns of all batches; the range counts nest::packing_units.
  void emit_packing() {
    Value column_units = ceil_div(columns_, unit_.columns);
    e_.loop(e_.begin(), e_.end(), [&](Value unit) {
      Batch batch = batch_of(floor_div(unit, column_units));
      Value column = e_.mul(remainder(unit, column_units), e_.i64(unit_.columns));
      Value end = smaller(e_.add(column, e_.i64(unit_.columns)), columns_);
      for_panels(column, end, nest::tile_of(e_.schedule, e_.machine).vectors,
                 [&](const Panel& panel) { products_[0].pack_before(batch, panel); });
    });
  }

private:
  struct RowRange {
    Value first, last;
  };

  TileRules tiles() const {
    return {given_, e_.machine, registers_, most_rows_, constant_of(columns_)};
  }

  void emit_panels() {
    Value row_units = ceil_div(rows_, unit_.rows);
    Value column_units = ceil_div(columns_, unit_.columns);
    e_.loop(floor_div(e_.begin(), row_units), ceil_div(e_.end(), row_units), [&](Value group) {
      Value first_unit = e_.mul(group, row_units);
      Value row = bounded(e_.sub(e_.begin(), first_unit), row_units);
      Value row_end = bounded(e_.sub(e_.end(), first_unit), row_units);
      row = e_.mul(row, e_.i64(unit_.rows));
      row_end = smaller(e_.mul(row_end, e_.i64(unit_.rows)), rows_);
      Batch batch = batch_of(floor_div(group, column_units));
      Value column = e_.mul(remainder(group, column_units), e_.i64(unit_.columns));
      Value column_end = smaller(e_.add(column, e_.i64(unit_.columns)), columns_);
      emit_panels_of(batch, {row, row_end}, column, column_end);
    });
  }

  /// Of columns that need no packing here.
  void emit_packed_panels() {
    if (given_)
      return emit_panels();
    either(
        is_at_most(rows_, kTiles.widest_rows),
        [&] { with_most_rows(kTiles.widest_rows, [&] { emit_wide_panels(); }); },
        [&] { emit_panels(); });
  }

  /// So few sums would wait for one another in a tile of few columns: the widest tiles, then
  /// smaller ones for what the range has of columns behind them.
  void emit_wide_panels() {
    const int most = most_wide_vectors();
    auto batches = groups_in_range();
    e_.loop(batches.first, batches.second, [&](Value number) {
      Batch batch = batch_of(number);
      auto [next, end] = columns_in_range(number);
      auto emit = [&](const Panel& panel) {
        for_tiles(e_.i64(0), rows_, kTiles.widest_rows,
                  [&](const Rows& rows) { emit_tile(batch, rows, panel); });
      };
      for (int vectors = most; vectors >= 1; vectors /= 2) {
        const int64_t width = vectors * lanes_;
        Value panels = floor_div(e_.sub(end, next), e_.i64(width));
        Value until = e_.add(next, e_.mul(panels, e_.i64(width)));
        e_.loop(next, until, [&](Value first) { emit({first, vectors, {}}); }, width);
        next = until;
      }
      if (constant_of(remainder(columns_, e_.i64(lanes_))) == 0)
        return;
      Value part = e_.sub(end, next);
      e_.when(e_.compare(mlir::arith::CmpIPredicate::sgt, part, e_.i64(0)),
              [&] { emit({next, 1, part}); });
    });
  }

  int most_wide_vectors() const { return e_.machine.registers() / 4 / registers_; }

  void emit_panels_of(const Batch& batch, RowRange range, Value column, Value end) {
    for_panels(column, end, tiles().shape().vectors, [&](const Panel& panel) {
      for (TiledProduct& product : products_)
        product.pack(batch, panel);
      for_tiles(range.first, range.last, tiles().rows_for(panel.vectors),
                [&](const Rows& rows) { emit_tile(batch, rows, panel); });
    });
  }

  /// The columns [first, last) that the range has of group `number` of units, each of which has all
  /// columns.
  std::pair<Value, Value> columns_in_range(Value number) {
    Value column_units = ceil_div(columns_, unit_.columns);
    Value first_unit = e_.mul(number, column_units);
    Value first = bounded(e_.sub(e_.begin(), first_unit), column_units);
    Value last = bounded(e_.sub(e_.end(), first_unit), column_units);
    return {e_.mul(first, e_.i64(unit_.columns)),
            smaller(e_.mul(last, e_.i64(unit_.columns)), columns_)};
  }
  /// The groups of which the range has some.
  std::pair<Value, Value> groups_in_range() {
    Value column_units = ceil_div(columns_, unit_.columns);
    return {floor_div(e_.begin(), column_units), ceil_div(e_.end(), column_units)};
  }

  /// Units of all columns of some rows, of which those with the same columns are a matrix.
  void emit_groups(bool by_parts) {
    auto groups = groups_in_range();
    e_.loop(groups.first, groups.second, [&](Value number) {
      auto [column, end] = columns_in_range(number);
      Value row = e_.mul(number, e_.i64(unit_.rows));
      Value row_end = smaller(e_.add(row, e_.i64(unit_.rows)), rows_);
      for_runs(row, row_end, [&, column = column, end = end] {
        if (by_parts)
          return emit_parts_of_run(column, end);
        emit_panels_of({}, tiled_, column, end);
      });
    });
  }

  /// A single row has wider tiles.
  void emit_parts_of_run(Value column, Value end) {
    Value next = e_.add(tiled_.first, e_.i64(1));
    auto emit = [&] { emit_all_parts({}, column, end); };
    either(
        e_.compare(mlir::arith::CmpIPredicate::eq, tiled_.last, next),
        [&] {
          RowRange run = std::exchange(tiled_, {tiled_.first, next});
          with_most_rows(1, emit);
          tiled_ = run;
        },
        emit);
  }

  /// What `body` emits is for at most so many rows.
  void with_most_rows(int64_t rows, llvm::function_ref<void()> body) {
    int64_t most = std::exchange(most_rows_, rows);
    body();
    most_rows_ = most;
  }

  /// For each run of rows of [first, last) with the same columns: `body`, while `tiled_` is it.
  void for_runs(Value first, Value last, llvm::function_ref<void()> body) {
    using mlir::arith::CmpIPredicate;
    e_.loop(first, last, {first}, [&](Value row, ValueSpan state) {
      Value next = e_.add(row, e_.i64(1));
      Value is_last = e_.compare(CmpIPredicate::eq, next, last);
      Value ends = e_.choose(
          is_last, [&] { return Values{is_last}; },
          [&] {
            Value differ = is_last; // false here
            for (TiledProduct& product : products_)
              differ =
                  mlir::arith::OrIOp::create(e_.b, differ, product.have_other_columns(row, next));
            return Values{differ};
          })[0];
      RowRange all = std::exchange(tiled_, {state[0], next});
      e_.when(ends, [&] {
        for (TiledProduct& product : products_)
          product.use_columns_of(state[0]);
        body();
      });
      tiled_ = all;
      return Values{mlir::arith::SelectOp::create(e_.b, ends, next, state[0])};
    });
  }

  void emit_parts() {
    auto batches = groups_in_range();
    e_.loop(batches.first, batches.second, [&](Value number) {
      auto [column, end] = columns_in_range(number);
      emit_all_parts(batch_of(number), column, end);
    });
  }

  void emit_all_parts(const Batch& batch, Value column, Value end) {
    TileShape shape = tiles().shape();
    e_.loop(
        column, end,
        [&](Value first) {
          emit_group(batch, first, smaller(e_.add(first, e_.i64(held_width())), end), shape);
        },
        held_width());
  }

  /// How many columns are summed together.
  int64_t held_width() {
    int64_t cell = 0;
    for (TiledProduct& product : products_)
      cell += byte_width(product.arithmetic().sum_dtype());
    int64_t unit = std::max<int64_t>(1, most_rows_) * cell * unit_.columns;
    return std::max<int64_t>(1, e_.machine.caches.first / unit) * unit_.columns;
  }
  HeldShape held_shape() { return {most_rows_, held_width()}; }
  int64_t held_bytes(TiledProduct& product) {
    int64_t slots = *constant_of(chunk_slots(product.chunks(), e_));
    return held_shape().bytes(slots, product.arithmetic().sum_dtype());
  }

  /// `add` for the products [begin, end) of each chunk, whose sums are then merged.
  void for_chunks(TiledProduct& product, HeldSums& sums,
                  llvm::function_ref<void(Value begin, Value end)> add) {
    Value count = product.summed_count(), chunks = product.chunks();
    if (product.is_one_chain()) {
      sums.clear();
      return add(e_.i64(0), count);
    }
    e_.loop(e_.i64(0), chunks, [&](Value chunk) {
      Value begin = e_.mul(chunk, e_.i64(product.chunk()));
      sums.clear();
      add(begin, smaller(e_.add(begin, e_.i64(product.chunk())), count));
      sums.merge(ChunkPlace(chunk, chunks, e_));
    });
  }

  /// The columns [first, last) of all rows, by parts of the summed dim.
  void emit_group(const Batch& batch, Value first, Value last, TileShape shape) {
    int64_t part = most_rows_ <= kTiles.widest_rows ? kTiles.short_part : kTiles.summed_part;
    auto for_all = [&](auto body) {
      for_panels(first, last, shape.vectors, [&](const Panel& panel) {
        for_tiles(tiled_.first, tiled_.last, tiles().rows_for(panel.vectors),
                  [&](const Rows& rows) { body(rows, panel); });
      });
    };
    Value memory = held_;
    std::vector<HeldSums> held;
    for (TiledProduct& product : products_) {
      held.emplace_back(memory, held_shape(), HeldRange{tiled_.first, tiled_.last, first, last},
                        product.arithmetic(), e_);
      memory = e_.advanced(memory, e_.i64(held_bytes(product)));
    }
    for (auto [number, product] : llvm::enumerate(products_)) {
      HeldSums& sums = held[number];
      for_chunks(product, sums, [&, &product = product](Value begin, Value end) {
        auto add = [&](Value start) {
          Value stop = smaller(e_.add(start, e_.i64(part)), end);
          for_all([&](const Rows& rows, const Panel& panel) {
            e_.with_lanes(lanes_, {}, [&] {
              Values before = sums.load(rows, panel);
              sums.store(rows, panel, product.add_part(batch, rows, panel, before, start, stop));
            });
          });
        };
        e_.loop(begin, end, add, part);
      });
    }
    for_all([&](const Rows& rows, const Panel& panel) {
      e_.with_lanes(lanes_, {}, [&] {
        std::vector<Values> sums;
        for (HeldSums& own : held)
          sums.push_back(own.load(rows, panel));
        emit_results(batch, rows, panel, sums);
      });
    });
  }

  void emit_tile(const Batch& batch, const Rows& rows, const Panel& panel) {
    e_.with_lanes(lanes_, {}, [&] {
      std::vector<Values> sums;
      for (TiledProduct& product : products_)
        sums.push_back(product.sums(batch, rows, panel));
      emit_results(batch, rows, panel, sums);
    });
  }

  void emit_results(const Batch& batch, const Rows& rows, const Panel& panel,
                    llvm::ArrayRef<Values> sums) {
    for (int row = 0; row < rows.count; ++row)
      for (int vector = 0; vector < panel.vectors; ++vector) {
        bool is_last = vector + 1 == panel.vectors;
        with_cells(lanes_, is_last ? panel.active : Value(), e_, [&](int lanes) {
          Index index(shape_.size());
          for (auto [dim, place] : llvm::zip(dims_.batch, batch))
            index[dim] = place;
          Value number = e_.add(rows.first, e_.i64(row));
          for (auto [dim, place] : llvm::zip(dims_.rows, e_.unravel(number, row_extents_)))
            index[dim] = place;
          index.back() = Coordinate::progression(e_.add(panel.first, e_.i64(vector * lanes_)),
                                                 lanes > 1 ? 1 : 0);
          for (auto [product, values] : llvm::zip(products_, sums)) {
            Values sum{values[row * panel.vectors + vector]};
            if (lanes == 1 && lanes_ > 1)
              sum = e_.lanes_from(sum, 0, 1);
            e_.remember(product.op()->getResult(0), index, product.arithmetic().result(sum[0]));
          }
          emit_result_cells(index, e_);
        });
      }
  }

  /// Panels of whole vectors, and at the last column one of what is left.
  void for_panels(Value first, Value last, int vectors,
                  llvm::function_ref<void(const Panel&)> body) {
    int64_t width = vectors * lanes_;
    Value left = remainder(columns_, e_.i64(width));
    Value whole = e_.sub(columns_, left);
    e_.loop(first, smaller(last, whole), [&](Value column) { body({column, vectors, {}}); }, width);
    if (constant_of(left) == 0)
      return;
    Value is_last = e_.compare(mlir::arith::CmpIPredicate::sgt, last, whole);
    e_.when(is_last, [&] {
      Value part = remainder(left, e_.i64(lanes_));
      if (auto known = constant_of(left)) {
        int64_t count = (*known + lanes_ - 1) / lanes_;
        return body({whole, static_cast<int>(count), constant_of(part) == 0 ? Value() : part});
      }
      Value end = e_.sub(columns_, part);
      e_.loop(whole, end, [&](Value column) { body({column, 1, {}}); }, lanes_);
      Value some = e_.compare(mlir::arith::CmpIPredicate::sgt, part, e_.i64(0));
      e_.when(some, [&] { body({end, 1, part}); });
    });
  }

  /// Tiles of `height` rows, and those of what is left at the last row.
  void for_tiles(Value first, Value last, int height, llvm::function_ref<void(const Rows&)> body) {
    Value left = remainder(e_.sub(tiled_.last, tiled_.first), e_.i64(height));
    Value whole = e_.sub(tiled_.last, left);
    e_.loop(first, smaller(last, whole), [&](Value row) { body({row, height}); }, height);
    if (constant_of(left) == 0)
      return;
    Value is_last = e_.compare(mlir::arith::CmpIPredicate::sgt, last, whole);
    e_.when(is_last, [&] {
      if (auto known = constant_of(left))
        return body({whole, static_cast<int>(*known)});
      Value next = whole;
      for (int rows : {8, 4, 3, 2, 1}) {
        if (rows >= height)
          continue;
        Value tiles = floor_div(e_.sub(tiled_.last, next), e_.i64(rows));
        Value until = e_.add(next, e_.mul(tiles, e_.i64(rows)));
        e_.loop(next, until, [&](Value row) { body({row, rows}); }, rows);
        next = until;
      }
    });
  }

  /// Runs `body` with working memory for panels and for sums between parts, or fails the nest.
  void with_working_memory(bool by_panels, bool by_parts, llvm::function_ref<void()> body) {
    TileShape shape = tiles().shape();
    int rows = std::max({shape.rows, tiles().rows_for(1), tiles().rows_for(2)});
    int wide = static_cast<int>(kTiles.widest_rows) * most_wide_vectors();
    TileBounds most{rows, shape.vectors, std::max(rows * shape.vectors, wide)};
    auto all_held = [&] {
      int64_t bytes = 0;
      for (TiledProduct& product : products_)
        bytes += held_bytes(product);
      return bytes;
    };
    int64_t held = by_parts ? all_held() : 0;
    if (by_parts && dims_.is_grouped)
      with_most_rows(1, [&] { held = std::max(held, all_held()); });
    const int64_t line = e_.machine.caches.line;
    Value bytes = e_.i64(held);
    Values offsets;
    for (TiledProduct& product : products_) {
      bytes = e_.mul(ceil_div(bytes, line), e_.i64(line));
      offsets.push_back(bytes);
      if (by_panels)
        bytes = e_.add(bytes, product.working_bytes(most));
    }
    e_.with_working_memory(e_.add(bytes, e_.i64(line)), [&](Value memory) {
      held_ = memory;
      for (auto [product, offset] : llvm::zip(products_, offsets))
        product.set_working_memory(e_.advanced(held_, offset), most);
      body();
    });
  }

  Batch batch_of(Value number) {
    Batch batch;
    for (const Coordinate& place : e_.unravel(number, batch_extents_))
      batch.push_back(place.base);
    return batch;
  }
  void either(Value condition, llvm::function_ref<void()> yes, llvm::function_ref<void()> no) {
    auto nothing = [](llvm::function_ref<void()> body) {
      return [body] {
        body();
        return Values();
      };
    };
    e_.choose(condition, nothing(yes), nothing(no));
  }
  Value is_at_most(Value x, int64_t most) {
    return e_.compare(mlir::arith::CmpIPredicate::sle, x, e_.i64(most));
  }
  /// min(max(x, 0), upper)
  Value bounded(Value x, Value upper) { return e_.clip(x, upper); }
  Value smaller(Value x, Value y) { return e_.b.createOrFold<mlir::arith::MinSIOp>(x, y); }
  Value floor_div(Value x, Value y) { return e_.b.createOrFold<mlir::arith::DivUIOp>(x, y); }
  Value remainder(Value x, Value y) { return e_.b.createOrFold<mlir::arith::RemUIOp>(x, y); }
  Value ceil_div(Value x, Value y) { return floor_div(e_.add(x, e_.sub(y, e_.i64(1))), y); }
  Value ceil_div(Value x, int64_t y) { return ceil_div(x, e_.i64(y)); }

  Emission& e_;
  mlir::Operation* root_;
  int lanes_;
  Values shape_, row_extents_, batch_extents_;
  nest::MatrixDims dims_;
  nest::UnitShape unit_;
  Value rows_, batch_count_, columns_;
  int64_t most_rows_; ///< of a matrix; many where that is not known
  RowRange tiled_;    ///< all rows, or a run of them: partial tiles are at its end
  std::vector<TiledProduct> products_;
  std::optional<TileShape> given_; ///< by the schedule, where that is not the rules'
  int registers_ = 1;              ///< that a vector of sums takes
  Value held_;                     ///< working memory; sums between parts are first
};

} // namespace

void emit_matrix_nest(Emission& emission) {
  MatrixNest nest(emission);
  emission.nest().packs ? nest.emit_packing() : nest.emit();
}

} // namespace kolam::lower::cpu
