// Packs factors and sums tiles.
#include "kolam/lower/tiled_product.h"

#include "kolam/lower/scalar_builder.h"
#include "kolam/lower/shuffles.h"
#include "kolam/support/elementwise_code.h"

namespace kolam::lower {

/// Vectors of cells behind each packed row.
static constexpr int64_t kPadding = 1;

/// Where the factors of a tile are.
struct TiledProduct::Places {
  Value row_memory, column_memory;
  Values rows; ///< the cell number of each row's first factor
  Value column;
  Columns columns;
  bool is_packed; ///< the columns
  /// The summed dims, of which neighbours that lie one after another in both factors are one, and
  /// how far apart their factors are.
  Values extents, row_strides, column_strides;
};

TiledProduct::TiledProduct(const nest::Product& product, Emission& e)
    : arithmetic(ir::dtype_of(product.op->getOperand(0)), ir::dtype_of(product.op->getResult(0)),
                 e),
      e_(e), op_(product.op), dims_(product.dims), rows_of_(product.rows_of),
      columns_of_(product.columns_of), signature_(llvm::cast<ir::SignedOp>(product.op).signature()),
      order_(ir::accumulate_of(product.op->getAttrOfType<ir::AccumulateAttr>("accumulate"))),
      dots_(ir::dtype_of(product.op->getOperand(0)), ir::dtype_of(product.op->getResult(0)), e),
      factor_(ir::dtype_of(product.op->getOperand(0))), shape_(e.shape(product.op->getResult(0))),
      rows_(strided_operand(op_, rows_of_, e)), columns_(strided_operand(op_, columns_of_, e)),
      lanes_(e.machine.vector_bytes / 4) {
  for (int dim : dims_.rows)
    row_extents_.push_back(shape_[dim]);
  for (size_t dim = shape_.size(); dim < signature_.dims.size(); ++dim)
    summed_.push_back(e.extent(signature_.dims[dim].extent));
  // bf16 factors are taken as they are, as sums flush what is denormal in them.
  if (!arithmetic.goes_by_pairs() && !dots_.group())
    arithmetic.take_cast_factors();
}

Value TiledProduct::summed_count() {
  Value count = e_.i64(1);
  for (Value extent : summed_)
    count = e_.mul(count, extent);
  return count;
}

bool TiledProduct::has_direct_columns() const {
  return !dots_.group() && columns_ && factor_ == arithmetic.held_dtype() &&
         constant_of(columns_->strides[shape_.size() - 1]) == 1;
}

bool TiledProduct::can_be_cut() const {
  auto count = summed_.size() == 1 ? constant_of(summed_[0]) : std::nullopt;
  return has_direct_columns() && rows_ && factor_ == arithmetic.held_dtype() && count &&
         *count <= order_.chunk && !arithmetic.goes_by_pairs();
}

Value TiledProduct::panel_bytes(int vectors) {
  if (!is_packed_)
    return e_.i64(0);
  // The last vector along the summed dims may reach beyond; behind groups lie sums of columns.
  Value steps = e_.add(summed_count(), e_.i64(2 * lanes_));
  return e_.mul(
      steps, e_.i64(static_cast<int64_t>(vectors) * lanes_ * byte_width(arithmetic.held_dtype())));
}

Value TiledProduct::working_bytes(int rows, int vectors) {
  Value steps = e_.add(summed_count(), e_.i64(kPadding * lanes_));
  Value block = e_.mul(steps, e_.i64(rows * byte_width(arithmetic.held_dtype())));
  return e_.add(panel_bytes(vectors), block);
}

void TiledProduct::set_working_memory(Value memory, int vectors) {
  panel_ = memory;
  block_ = e_.advanced(memory, panel_bytes(vectors));
}

Values TiledProduct::result_index(const Batch& batch, Value row, Value column) {
  Values index(shape_.size());
  for (auto [dim, place] : llvm::zip(dims_.batch, batch))
    index[dim] = place;
  for (auto [dim, place] : llvm::zip(dims_.rows, e_.unravel(row, row_extents_)))
    index[dim] = place.base;
  index.back() = column;
  return index;
}

Index TiledProduct::operand_index(unsigned operand, IndexSpan all) {
  Index index;
  for (const space::AffineRow& row : signature_.operands[operand].projection.map.rows) {
    Coordinate place = e_.extent(row.offset);
    for (auto [i, coefficient] : llvm::zip(all, row.coefficients))
      if (coefficient != 0)
        place = e_.add(e_.mul(i, e_.i64(coefficient)), place);
    index.push_back(place);
  }
  return index;
}

Value TiledProduct::to_kernel(Value factor) {
  ScalarBuilder s(e_.b);
  return e_.spread(cast<ScalarBuilder, Value>(s, factor_, arithmetic.held_dtype(), factor));
}

/// for [0, extent): body(first, active) by vectors, of whose last only `active` lanes count.
static void for_vectors(Value extent, int lanes, Emission& e,
                        llvm::function_ref<void(Value, Value)> body) {
  Value left = e.b.createOrFold<mlir::arith::RemSIOp>(extent, e.i64(lanes));
  Value whole = e.sub(extent, left);
  e.loop(e.i64(0), whole, [&](Value first) { body(first, {}); }, lanes);
  Value some =
      e.b.createOrFold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::sgt, left, e.i64(0));
  e.when(some, [&] { body(whole, left); });
}

void TiledProduct::pack(const Batch& batch, const Columns& columns) {
  if (!is_packed_)
    return;
  if (!dots_.group() && columns_ && constant_of(columns_->strides[shape_.size() - 1]) != 1 &&
      constant_of(columns_->strides.back()) == 1)
    return pack_transposed(batch, columns);
  if (dots_.group())
    return pack_groups(batch, columns);
  e_.loops(summed_, [&](IndexSpan summed) {
    Value row = e_.mul(e_.ravel(summed, summed_).base, e_.i64(columns.vectors * lanes_));
    for (int vector = 0; vector < columns.vectors; ++vector) {
      Value cells = to_kernel(column_cells(batch, columns, vector, summed));
      e_.with_lanes(lanes_, {}, [&] {
        e_.store(panel_, arithmetic.held_dtype(),
                 Coordinate::progression(e_.add(row, e_.i64(vector * lanes_)), 1), cells);
      });
    }
  });
}

/// The factors of one vector of columns; those that do not count are anything.
Value TiledProduct::column_cells(const Batch& batch, const Columns& columns, int vector,
                                 IndexSpan summed) {
  Value cells;
  e_.with_lanes(lanes_, vector + 1 == columns.vectors ? columns.active : Value(), [&] {
    Index all;
    llvm::append_range(all, result_index(batch, e_.i64(0), {}));
    all[shape_.size() - 1] =
        Coordinate::progression(e_.add(columns.first, e_.i64(vector * lanes_)), 1);
    all.append(summed.begin(), summed.end());
    cells = e_.spread(e_.cell(op_->getOperand(columns_of_), operand_index(columns_of_, all)));
  });
  return cells;
}

/// Groups of factors side by side, zeros where the last group has no more.
void TiledProduct::pack_groups(const Batch& batch, const Columns& columns) {
  int group = dots_.group();
  Value count = summed_count(),
        left = e_.b.createOrFold<mlir::arith::RemSIOp>(count, e_.i64(group));
  Value whole = e_.sub(count, left);
  Value width = e_.i64(columns.vectors * lanes_);
  auto pack_at = [&](Value first, bool is_whole, ValueSpan column_sums) {
    Values sums;
    Value number = e_.mul(e_.b.createOrFold<mlir::arith::DivSIOp>(first, e_.i64(group)), width);
    for (int vector = 0; vector < columns.vectors; ++vector) {
      Values cells;
      e_.with_lanes(lanes_, {}, [&] {
        for (int i = 0; i < group; ++i) {
          Value k = e_.add(first, e_.i64(i));
          auto at = [&] {
            return Values{column_cells(batch, columns, vector, e_.unravel(k, summed_))};
          };
          auto zero = [&] { return Values{e_.spread(e_.constant(factor_, 0))}; };
          cells.push_back(
              is_whole
                  ? at()[0]
                  : e_.choose(e_.compare(mlir::arith::CmpIPredicate::slt, k, count), at, zero)[0]);
        }
        Value grouped = dots_.grouped(cells);
        e_.store(panel_, DType::i32,
                 Coordinate::progression(e_.add(number, e_.i64(vector * lanes_)), 1), grouped);
        sums.push_back(dots_.column_sum(column_sums[vector], grouped));
      });
    }
    return sums;
  };
  Values sums;
  e_.with_lanes(lanes_, {},
                [&] { sums = Values(columns.vectors, e_.spread(e_.constant(DType::i32, 0))); });
  sums = e_.loop(
      e_.i64(0), whole, sums,
      [&](Value first, ValueSpan state) { return pack_at(first, true, state); }, group);
  Value some = e_.compare(mlir::arith::CmpIPredicate::sgt, left, e_.i64(0));
  e_.with_lanes(lanes_, {}, [&] {
    sums = e_.choose(some, [&] { return pack_at(whole, false, sums); }, [&] { return sums; });
    Value groups = mlir::arith::CeilDivSIOp::create(e_.b, count, e_.i64(group));
    for (auto [vector, sum] : llvm::enumerate(sums)) {
      Value at = e_.add(e_.mul(groups, width), e_.i64(static_cast<int64_t>(vector) * lanes_));
      e_.store(panel_, DType::i32, Coordinate::progression(at, 1), sum);
    }
  });
}

/// Columns that lie along the summed dim: a square of lanes at a time.
void TiledProduct::pack_transposed(const Batch& batch, const Columns& columns) {
  Value last = e_.sub(shape_.back(), e_.i64(1)), stride = columns_->strides[shape_.size() - 1];
  e_.loops(ValueSpan(summed_).drop_back(), [&](IndexSpan outer) {
    Values from = result_index(batch, e_.i64(0), e_.i64(0));
    Index first(outer);
    first.push_back(e_.i64(0));
    for (const Coordinate& k : outer)
      from.push_back(k.base);
    Value start = cell_number(*columns_, from, e_);
    Value row = e_.ravel(first, summed_).base;
    for (int vector = 0; vector < columns.vectors; ++vector) {
      Values starts;
      for (int lane = 0; lane < lanes_; ++lane) {
        Value column = e_.add(columns.first, e_.i64(vector * lanes_ + lane));
        if (columns.active && vector + 1 == columns.vectors)
          column = mlir::arith::MinSIOp::create(e_.b, column, last);
        starts.push_back(e_.add(start, e_.mul(column, stride)));
      }
      for_vectors(summed_.back(), lanes_, e_, [&](Value k, Value active) {
        Values square;
        e_.with_lanes(lanes_, active, [&] {
          for (Value number : starts)
            square.push_back(
                e_.load(columns_->pointer, factor_, Coordinate::progression(e_.add(number, k), 1)));
        });
        e_.with_lanes(lanes_, {}, [&] {
          for (auto [lane, cells] : llvm::enumerate(transposed(square, e_))) {
            Value at = e_.mul(e_.add(e_.add(row, k), e_.i64(static_cast<int64_t>(lane))),
                              e_.i64(columns.vectors * lanes_));
            e_.store(panel_, arithmetic.held_dtype(),
                     Coordinate::progression(e_.add(at, e_.i64(vector * lanes_)), 1),
                     to_kernel(cells));
          }
        });
      });
    }
  });
}

void TiledProduct::pack_rows(const Batch& batch, const Rows& rows) {
  Value width = e_.add(summed_count(), e_.i64(kPadding * lanes_));
  e_.loop(e_.i64(0), e_.i64(rows.count), [&](Value r) {
    e_.loops(ValueSpan(summed_).drop_back(), [&](IndexSpan outer) {
      for_vectors(summed_.back(), lanes_, e_, [&](Value k, Value active) {
        e_.with_lanes(lanes_, active, [&] {
          Index summed(outer), all;
          summed.push_back(k);
          Value number = e_.add(e_.mul(r, width), e_.ravel(summed, summed_).base);
          llvm::append_range(all, result_index(batch, e_.add(rows.first, r), e_.i64(0)));
          all.append(outer.begin(), outer.end());
          all.push_back(Coordinate::progression(k, 1));
          Value cell = to_kernel(e_.cell(op_->getOperand(rows_of_), operand_index(rows_of_, all)));
          if (active && dots_.group()) // the last group ends in zeros
            cell = mlir::arith::SelectOp::create(e_.b, e_.active(), cell,
                                                 e_.spread(e_.constant(factor_, 0)));
          e_.with_lanes(lanes_, {}, [&] {
            e_.store(block_, arithmetic.held_dtype(), Coordinate::progression(number, 1), cell);
          });
        });
      });
    });
  });
}

/// How far the factors of neighbours along each summed dim are apart; `step` between neighbours
/// along the last where they are packed.
Values TiledProduct::summed_strides(const std::optional<Strided>& cells, int64_t step) {
  if (cells)
    return Values(llvm::ArrayRef(cells->strides).drop_front(shape_.size()));
  Values strides(summed_.size());
  Value stride = e_.i64(step);
  for (size_t dim = summed_.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride = e_.mul(stride, summed_[dim]);
  }
  return strides;
}

/// Whether the factors of a row lie one after another, in whole groups.
bool TiledProduct::has_whole_groups() {
  if (!dots_.group())
    return true;
  auto count = constant_of(summed_count());
  Values strides = summed_strides(rows_, 1), packed = summed_strides(std::nullopt, 1);
  auto is_equal = [](Value x, Value y) { return x == y; };
  return count && *count % dots_.group() == 0 &&
         std::equal(strides.begin(), strides.end(), packed.begin(), is_equal);
}

TiledProduct::Places TiledProduct::places(const Batch& batch, const Rows& rows,
                                          const Columns& columns, bool is_packed) {
  Places at;
  at.columns = columns;
  at.is_packed = is_packed;
  bool has_rows = rows_ && factor_ == arithmetic.held_dtype() && has_whole_groups();
  if (!has_rows)
    pack_rows(batch, rows);
  at.row_memory = has_rows ? rows_->pointer : block_;
  Value width = e_.add(summed_count(), e_.i64(kPadding * lanes_));
  for (int r = 0; r < rows.count; ++r)
    at.rows.push_back(
        has_rows
            ? cell_number(*rows_, result_index(batch, e_.add(rows.first, e_.i64(r)), e_.i64(0)), e_)
            : e_.mul(e_.i64(r), width));
  at.column_memory = is_packed ? panel_ : columns_->pointer;
  at.column = is_packed ? e_.i64(0)
                        : cell_number(*columns_, result_index(batch, e_.i64(0), columns.first), e_);

  Values row_strides = summed_strides(has_rows ? rows_ : std::nullopt, 1);
  Values column_strides =
      summed_strides(is_packed ? std::nullopt : columns_, columns.vectors * lanes_);
  for (size_t dim = 0; dim < summed_.size(); ++dim) {
    auto continues = [&](ValueSpan strides) {
      auto step = constant_of(strides[dim]), outer = constant_of(strides[dim - 1]),
           extent = constant_of(summed_[dim]);
      return step && outer && extent && *outer == *step * *extent;
    };
    if (dim > 0 && continues(row_strides) && continues(column_strides)) {
      at.extents.back() = e_.mul(at.extents.back(), summed_[dim]);
      at.row_strides.back() = row_strides[dim];
      at.column_strides.back() = column_strides[dim];
      continue;
    }
    at.extents.push_back(summed_[dim]);
    at.row_strides.push_back(row_strides[dim]);
    at.column_strides.push_back(column_strides[dim]);
  }
  return at;
}

/// The factors at an index of `extents`: each is loaded once for its row or column of the tile.
std::pair<Values, Values> TiledProduct::factors(const Places& at, IndexSpan summed) {
  Value row_offset = e_.i64(0), column = at.column;
  for (auto [k, row_stride, column_stride] : llvm::zip(summed, at.row_strides, at.column_strides)) {
    row_offset = e_.add(row_offset, e_.mul(k.base, row_stride));
    column = e_.add(column, e_.mul(k.base, column_stride));
  }
  DType dtype = arithmetic.held_dtype();
  Values vectors, x, y;
  for (int vector = 0; vector < at.columns.vectors; ++vector) {
    auto number = Coordinate::progression(e_.add(column, e_.i64(vector * lanes_)), 1);
    bool is_last = vector + 1 == at.columns.vectors;
    e_.with_lanes(lanes_, is_last && !at.is_packed ? at.columns.active : Value(),
                  [&] { vectors.push_back(e_.load(at.column_memory, dtype, number)); });
  }
  for (Value row : at.rows) {
    Value factor = e_.load(at.row_memory, dtype, Coordinate(e_.add(row, row_offset)));
    for (Value vector : vectors) {
      x.push_back(factor);
      y.push_back(vector);
    }
  }
  return {x, y};
}

/// Sums by groups: four bytes of each row at a time, for all columns.
Values TiledProduct::dot_sums(const Batch& batch, const Rows& rows, const Columns& columns) {
  int group = dots_.group();
  Places at = places(batch, rows, columns, /*is_packed=*/true);
  Value count = summed_count();
  Value groups = mlir::arith::CeilDivSIOp::create(e_.b, count, e_.i64(group));
  Value width = e_.i64(columns.vectors * lanes_);
  auto load_column = [&](Value step, int vector) {
    Value number = e_.add(e_.mul(step, width), e_.i64(vector * lanes_));
    return e_.load(panel_, DType::i32, Coordinate::progression(number, 1));
  };
  Values column_sums;
  for (int vector = 0; vector < columns.vectors; ++vector)
    column_sums.push_back(load_column(groups, vector));
  auto step = [&](ValueSpan sums, const Coordinate& i) {
    Values factors, next;
    for (int vector = 0; vector < columns.vectors; ++vector)
      factors.push_back(load_column(i.base, vector));
    for (auto [row, first] : llvm::enumerate(at.rows)) {
      Value number = e_.add(first, e_.mul(i.base, e_.i64(group)));
      Value factor = dots_.row_group(dots_.load_group(at.row_memory, number));
      for (int vector = 0; vector < columns.vectors; ++vector)
        next.push_back(dots_.add(sums[row * columns.vectors + vector], factor, factors[vector]));
    }
    return next;
  };
  Accumulate order{Order::chain, 1, order_.chunk / group};
  size_t tile = at.rows.size() * columns.vectors;
  Values sums = emit_sum_steps(dots_.arithmetic(), order, groups, tile, step, e_);
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = dots_.finished(sum, column_sums[i % columns.vectors]);
  return sums;
}

Values TiledProduct::sums(const Batch& batch, const Rows& rows, const Columns& columns) {
  if (dots_.group())
    return dot_sums(batch, rows, columns);
  Places at = places(batch, rows, columns, is_packed_);
  return emit_sums(
      arithmetic, order_, at.extents, at.rows.size() * columns.vectors,
      [&](IndexSpan summed) { return factors(at, summed); }, e_);
}

Values TiledProduct::add_part(const Batch& batch, const Rows& rows, const Columns& columns,
                              ValueSpan sums, Value begin, Value end) {
  Places at = places(batch, rows, columns, /*is_packed=*/false);
  return e_.loop(begin, end, sums, [&](Value k, ValueSpan state) {
    auto [x, y] = factors(at, {Coordinate(k)});
    return arithmetic.multiply_add(x, y, state);
  });
}

} // namespace kolam::lower
