// Loops over units, panels and tiles.
#include "kolam/lower/matrix_nest.h"

#include "kolam/lower/result_cells.h"
#include "kolam/lower/tiled_product.h"

namespace kolam::lower {
namespace {

/// Columns of a batch that fit in so many bytes are read where they lie, also by many rows.
constexpr int64_t kSmallColumns = 128 << 10;
/// With so many rows packing columns pays.
constexpr int64_t kRowsToPack = nest::kFewRows;
/// Sums that are held in working memory between parts; they should stay in the first cache.
constexpr int64_t kHeldBytes = 32 << 10;

/// How many rows and vectors of columns a tile has.
struct TileShape {
  int rows, vectors;
};

class MatrixNest {
public:
  explicit MatrixNest(Emission& e)
      : e_(e), root_(e.nest().root), lanes_(e.machine.vector_bytes / 4),
        shape_(e.shape(root_->getResult(0))), dims_(e.nest().products[0].dims),
        unit_(nest::unit_of(e.nest().products)), rows_(e.i64(1)), batch_count_(e.i64(1)),
        columns_(shape_.back()) {
    for (auto [number, product] : llvm::enumerate(e.nest().products))
      products_.emplace_back(product, e.packed_columns(number), e);
    for (int dim : dims_.rows) {
      row_extents_.push_back(shape_[dim]);
      rows_ = e.mul(rows_, shape_[dim]);
    }
    for (int dim : dims_.batch) {
      batch_extents_.push_back(shape_[dim]);
      batch_count_ = e.mul(batch_count_, shape_[dim]);
    }
    for (TiledProduct& product : products_) {
      int bytes = byte_width(product.arithmetic().sum_dtype());
      registers_ = std::max(registers_, std::max(1, bytes * lanes_ / e.machine.vector_bytes));
    }
  }

  void emit() {
    auto all = [&](auto holds) { return llvm::all_of(products_, holds); };
    bool is_direct = all([](TiledProduct& product) { return product.has_direct_columns(); });
    bool can_be_cut = all([](TiledProduct& product) { return product.can_be_cut(); });
    bool is_small = all([&](TiledProduct& product) {
      auto count = constant_of(e_.mul(product.summed_count(), columns_));
      return count && *count * byte_width(product.arithmetic().held_dtype()) <= kSmallColumns;
    });
    auto rows = constant_of(rows_);
    bool has_few = rows.value_or(0) <= kRowsToPack;
    bool by_parts = has_few && can_be_cut && !(is_small && rows);
    bool by_panels = !by_parts || !rows;
    if (is_direct && has_few && rows && by_panels)
      for (TiledProduct& product : products_)
        product.use_direct_columns();
    with_working_memory(by_panels, by_parts, [&] {
      if (!by_parts)
        return emit_panels();
      if (!by_panels)
        return emit_parts();
      e_.choose(
          e_.compare(mlir::arith::CmpIPredicate::sle, rows_, e_.i64(kRowsToPack)),
          [&] {
            emit_parts();
            return Values();
          },
          [&] {
            emit_panels();
            return Values();
          });
    });
  }

  /// Packs the columns of all batches; the range counts nest::packing_units.
  void emit_packing() {
    constexpr int kVectors = 3;
    Value column_units = ceil_div(columns_, unit_.columns);
    e_.loop(e_.begin(), e_.end(), [&](Value unit) {
      Batch batch = batch_of(floor_div(unit, column_units));
      Value column = e_.mul(remainder(unit, column_units), e_.i64(unit_.columns));
      Value end = smaller(e_.add(column, e_.i64(unit_.columns)), columns_);
      for_panels(column, end, kVectors,
                 [&](const Columns& panel) { products_[0].pack_before(batch, panel); });
    });
  }

private:
  /// The tile for so many rows, where those are known. The sums of a tile fill 24 of 32 registers
  /// or 12 of 16; few rows are made up for by columns.
  TileShape tile_shape() const {
    if (e_.schedule.rows > 0)
      return {e_.schedule.rows, e_.schedule.vectors};
    int64_t rows = constant_of(rows_).value_or(kRowsToPack);
    bool is_wide = e_.machine.vector_bytes == 64;
    TileShape shape = is_wide ? TileShape{8, 3} : TileShape{4, 3};
    if (registers_ > 1)
      shape = is_wide ? TileShape{6, 2} : TileShape{3, 2};
    if (rows <= shape.rows / 2)
      shape.vectors = shape.vectors == 3 ? 6 : 3; // divides a unit's columns, as all widths do
    auto columns = constant_of(columns_);
    int width = shape.vectors * lanes_;
    if (columns && *columns <= 2 * width && *columns % width != 0 && shape.vectors == 3 &&
        *columns % (2 * lanes_) == 0)
      shape = *columns == 4 * lanes_ ? TileShape{shape.rows * 3 / 4, 4}
                                     : TileShape{shape.rows * 3 / 2, 2};
    if (rows < kRowsToPack)
      shape.rows = like_height(rows, shape.rows);
    return shape;
  }

  /// Tiles of one height, where some height of at least half of `most` divides the rows; else of
  /// like heights.
  static int like_height(int64_t rows, int most) {
    for (int height = most; 2 * height >= most; --height)
      if (rows % height == 0)
        return height;
    int64_t tiles = (rows + most - 1) / most;
    return static_cast<int>(std::max<int64_t>(1, (rows + tiles - 1) / std::max<int64_t>(tiles, 1)));
  }

  /// Tiles of fewer vectors may have more rows.
  int rows_for(int vectors) const {
    TileShape shape = tile_shape();
    if (e_.schedule.rows > 0 || vectors >= shape.vectors ||
        constant_of(rows_).value_or(kRowsToPack) < kRowsToPack)
      return shape.rows;
    return vectors == 2 ? shape.rows * 3 / 2 : shape.rows * 2;
  }

  void emit_panels() {
    TileShape shape = tile_shape();
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
      for_panels(column, column_end, shape.vectors, [&](const Columns& panel) {
        for (TiledProduct& product : products_)
          product.pack(batch, panel);
        for_tiles(row, row_end, rows_for(panel.vectors),
                  [&](const Rows& rows) { emit_tile(batch, rows, panel); });
      });
    });
  }

  void emit_parts() {
    TileShape shape = tile_shape();
    Value column_units = ceil_div(columns_, unit_.columns);
    auto batches = std::pair(floor_div(e_.begin(), column_units), ceil_div(e_.end(), column_units));
    e_.loop(batches.first, batches.second, [&](Value number) {
      Value first_unit = e_.mul(number, column_units);
      Value column = bounded(e_.sub(e_.begin(), first_unit), column_units);
      Value end = bounded(e_.sub(e_.end(), first_unit), column_units);
      column = e_.mul(column, e_.i64(unit_.columns));
      end = smaller(e_.mul(end, e_.i64(unit_.columns)), columns_);
      Batch batch = batch_of(number);
      e_.loop(
          column, end,
          [&](Value first) {
            emit_group(batch, first, smaller(e_.add(first, e_.i64(held_width())), end), shape);
          },
          held_width());
    });
  }

  /// The rows whose sums working memory holds between parts, the bytes of one cell of all products,
  /// and how many columns are summed together.
  int64_t held_rows() const { return constant_of(rows_).value_or(kRowsToPack); }
  int64_t held_cell_bytes() {
    int64_t bytes = 0;
    for (TiledProduct& product : products_)
      bytes += byte_width(product.arithmetic().sum_dtype());
    return bytes;
  }
  int64_t held_width() {
    int64_t unit = std::max<int64_t>(1, held_rows()) * held_cell_bytes() * unit_.columns;
    return std::max<int64_t>(1, kHeldBytes / unit) * unit_.columns;
  }

  /// The columns [first, last) of all rows, by parts of the summed dim.
  void emit_group(const Batch& batch, Value first, Value last, TileShape shape) {
    int64_t part = held_rows() <= 2 ? 8 : 32;
    auto for_all = [&](auto body) {
      for_panels(first, last, shape.vectors, [&](const Columns& panel) {
        for_tiles(e_.i64(0), rows_, rows_for(panel.vectors),
                  [&](const Rows& rows) { body(rows, panel); });
      });
    };
    int64_t bytes_before = 0;
    std::vector<Held> places;
    for (TiledProduct& product : products_) {
      places.push_back({e_.advanced(held_, e_.i64(bytes_before)), held_width(), first});
      bytes_before += held_rows() * held_width() * byte_width(product.arithmetic().sum_dtype());
    }
    for (auto [product, place] : llvm::zip(products_, places)) {
      for_all([&](const Rows& rows, const Columns& panel) {
        e_.with_lanes(lanes_, {}, [&] {
          store_sums(place, rows, panel,
                     product.arithmetic().zeros(static_cast<size_t>(rows.count) * panel.vectors),
                     product);
        });
      });
      Value count = product.summed_count();
      e_.loop(
          e_.i64(0), count,
          [&](Value begin) {
            Value end = smaller(e_.add(begin, e_.i64(part)), count);
            for_all([&](const Rows& rows, const Columns& panel) {
              e_.with_lanes(lanes_, {}, [&] {
                Values sums = load_sums(place, rows, panel, product);
                store_sums(place, rows, panel,
                           product.add_part(batch, rows, panel, sums, begin, end), product);
              });
            });
          },
          part);
    }
    for_all([&](const Rows& rows, const Columns& panel) {
      e_.with_lanes(lanes_, {}, [&] {
        std::vector<Values> sums;
        for (auto [product, place] : llvm::zip(products_, places))
          sums.push_back(load_sums(place, rows, panel, product));
        emit_results(batch, rows, panel, sums);
      });
    });
  }

  /// Sums of a group of columns between parts: one row after another.
  struct Held {
    Value memory;
    int64_t width;
    Value first; ///< column
  };

  Coordinate held_at(const Held& place, const Rows& rows, int row, const Columns& panel,
                     int vector) {
    Value number = e_.mul(e_.add(rows.first, e_.i64(row)), e_.i64(place.width));
    number = e_.add(number, e_.sub(panel.first, place.first));
    return Coordinate::progression(e_.add(number, e_.i64(vector * lanes_)), 1);
  }

  Values load_sums(const Held& place, const Rows& rows, const Columns& panel,
                   TiledProduct& product) {
    Values sums;
    for (int row = 0; row < rows.count; ++row)
      for (int vector = 0; vector < panel.vectors; ++vector)
        sums.push_back(e_.load(place.memory, product.arithmetic().sum_dtype(),
                               held_at(place, rows, row, panel, vector)));
    return sums;
  }

  void store_sums(const Held& place, const Rows& rows, const Columns& panel, ValueSpan sums,
                  TiledProduct& product) {
    for (int row = 0; row < rows.count; ++row)
      for (int vector = 0; vector < panel.vectors; ++vector)
        e_.store(place.memory, product.arithmetic().sum_dtype(),
                 held_at(place, rows, row, panel, vector), sums[row * panel.vectors + vector]);
  }

  void emit_tile(const Batch& batch, const Rows& rows, const Columns& panel) {
    e_.with_lanes(lanes_, {}, [&] {
      std::vector<Values> sums;
      for (TiledProduct& product : products_)
        sums.push_back(product.sums(batch, rows, panel));
      emit_results(batch, rows, panel, sums);
    });
  }

  void emit_results(const Batch& batch, const Rows& rows, const Columns& panel,
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
          emit_result_cells(index, shape_, e_);
        });
      }
  }

  /// Panels of whole vectors, and at the last column one of what is left.
  void for_panels(Value first, Value last, int vectors,
                  llvm::function_ref<void(const Columns&)> body) {
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
    Value left = remainder(rows_, e_.i64(height));
    Value whole = e_.sub(rows_, left);
    e_.loop(first, smaller(last, whole), [&](Value row) { body({row, height}); }, height);
    if (constant_of(left) == 0)
      return;
    Value is_last = e_.compare(mlir::arith::CmpIPredicate::sgt, last, whole);
    e_.when(is_last, [&] {
      if (auto known = constant_of(left))
        return body({whole, static_cast<int>(*known)});
      Value next = whole;
      for (int rows : {8, 4, 2, 1}) {
        if (rows >= height)
          continue;
        Value until = e_.sub(rows_, remainder(left, e_.i64(rows)));
        e_.loop(next, until, [&](Value row) { body({row, rows}); }, rows);
        next = until;
      }
    });
  }

  /// Runs `body` with working memory for panels and for sums between parts, or fails the nest.
  void with_working_memory(bool by_panels, bool by_parts, llvm::function_ref<void()> body) {
    TileShape shape = tile_shape();
    int most_rows = std::max({shape.rows, rows_for(1), rows_for(2)});
    Value bytes = e_.i64(by_parts ? held_rows() * held_width() * held_cell_bytes() : 0);
    Values offsets;
    for (TiledProduct& product : products_) {
      bytes = e_.mul(ceil_div(bytes, 64), e_.i64(64));
      offsets.push_back(bytes);
      if (by_panels)
        bytes = e_.add(bytes, product.working_bytes(most_rows, shape.vectors));
    }
    e_.with_working_memory(e_.add(bytes, e_.i64(64)), [&](Value memory) {
      held_ = memory;
      for (auto [product, offset] : llvm::zip(products_, offsets))
        product.set_working_memory(e_.advanced(held_, offset), shape.vectors);
      body();
    });
  }

  Batch batch_of(Value number) {
    Batch batch;
    for (const Coordinate& place : e_.unravel(number, batch_extents_))
      batch.push_back(place.base);
    return batch;
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
  std::vector<TiledProduct> products_;
  int registers_ = 1; ///< that a vector of sums takes
  Value held_;        ///< working memory; sums between parts are first
};

} // namespace

void emit_matrix_nest(Emission& emission) {
  MatrixNest nest(emission);
  emission.nest().packs ? nest.emit_packing() : nest.emit();
}

} // namespace kolam::lower
