// Packs rows and sums tiles.
#include "kolam/lower/cpu/tiled_product.h"

#include "kolam/lower/cpu/accumulation.h"
#include "kolam/lower/cpu/packed_columns.h"
#include "kolam/lower/scalar_builder.h"

namespace kolam::lower::cpu {

/// Vectors of elements behind each packed row.
static constexpr int64_t kPadding = 1;

/// Where the factors of a tile are.
struct TiledProduct::Places {
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

TiledProduct::TiledProduct(const nest::Product& product, Value packed_before, Emission& e)
    : f_(product, e), e_(e),
      place_(packed_before ? ColumnPlace::packed_before : ColumnPlace::working_memory),
      packed_(packed_before) {}

bool TiledProduct::has_direct_columns() {
  return place_ != ColumnPlace::packed_before && !f_.dots.group() && f_.columns &&
         f_.factor == f_.arithmetic.held_dtype() &&
         constant_of(f_.columns->strides[f_.shape.size() - 1]) == 1;
}

bool TiledProduct::can_be_cut() {
  return has_direct_columns() && f_.rows && f_.summed.size() == 1 && constant_of(f_.summed[0]) &&
         !f_.arithmetic.goes_by_pairs();
}

bool TiledProduct::is_one_chain() { return cpu::is_one_chain(f_.arithmetic, f_.order, f_.count()); }

Value TiledProduct::chunks() {
  return is_one_chain() ? e_.i64(1) : chunks_of(f_.count(), f_.order, e_);
}

Value TiledProduct::have_other_columns(Value row, Value other) {
  using mlir::arith::CmpIPredicate;
  auto place = [&](Value at) {
    return f_.columns ? cell_number(*f_.columns, f_.result_index({}, at, e_.i64(0)), e_)
                      : e_.unravel(at, f_.row_extents)[0].base;
  };
  return e_.compare(CmpIPredicate::ne, place(row), place(other));
}

Value TiledProduct::panel_bytes(int vectors) {
  return place_ == ColumnPlace::working_memory ? PackedColumns(f_).bytes(e_.i64(vectors))
                                               : e_.i64(0);
}

/// How far packed rows lie apart; the last vector along the summed dims may reach beyond.
Value TiledProduct::row_width() { return e_.add(f_.count(), e_.i64(kPadding * f_.lanes)); }

Value TiledProduct::slot_bytes(const TileBounds& most) {
  int64_t bytes = int64_t{most.sums} * f_.lanes * byte_width(f_.arithmetic.sum_dtype());
  return e_.mul(chunk_slots(chunks(), merges_in_order(), e_), e_.i64(bytes));
}

Value TiledProduct::working_bytes(const TileBounds& most) {
  Value block = e_.mul(row_width(), e_.i64(most.rows * byte_width(f_.arithmetic.held_dtype())));
  return e_.add(e_.add(slot_bytes(most), panel_bytes(most.vectors)), block);
}

void TiledProduct::set_working_memory(Value memory, const TileBounds& most) {
  slots_ = memory;
  Value panels = e_.advanced(memory, slot_bytes(most));
  if (place_ == ColumnPlace::working_memory)
    packed_ = panels;
  block_ = e_.advanced(panels, panel_bytes(most.vectors));
}

namespace {

/// Finds the range of terms that take part, from the first to the last, and the longest run of
/// terms of which all do.
///
/// `count` terms, `step` at a time: `counts(k, end, body)` hands vectors of conditions to `body`.
TermRange find_range(Value count, int64_t step,
                     llvm::function_ref<void(Value, Value, llvm::function_ref<void(Value)>)> counts,
                     Emission& e) {
  ScalarBuilder s(e.b);
  Value zero = e.i64(0);
  auto add = [&](Value k, ValueSpan range) {
    Value end = e.b.createOrFold<mlir::arith::MinSIOp>(e.add(k, e.i64(step)), count);
    Value some, not_all;
    counts(k, end, [&](Value own) {
      Value any = e.any(own), none = e.any(s.not_(own));
      some = some ? s.or_(some, any) : any;
      not_all = not_all ? s.or_(not_all, none) : none;
    });
    Value first = e.b.createOrFold<mlir::arith::MinSIOp>(range[0], k);
    Value run = range[4]; // where the run at hand begins
    Value is_longer = s.and_(s.not_(not_all), s.sgt(e.sub(end, run), e.sub(range[3], range[2])));
    return Values{s.select(some, first, range[0]), s.select(some, end, range[1]),
                  s.select(is_longer, run, range[2]), s.select(is_longer, end, range[3]),
                  s.select(not_all, end, run)};
  };
  Values range = e.loop(zero, count, {count, zero, zero, zero, zero}, add, step);
  return {range[0], range[1], range[2], range[3]};
}

} // namespace

void TiledProduct::find_terms(const Batch& batch, const Panel& columns) {
  forget_terms();
  if (!f_.masks_columns() || f_.masks_rows() || f_.summed.size() != 1)
    return;
  auto counts = [&](Value k, Value, llvm::function_ref<void(Value)> body) {
    for (int vector = 0; vector < columns.vectors; ++vector) {
      Value own = f_.counts(batch, e_.i64(0), columns, vector, {Coordinate(k)});
      e_.with_lanes(f_.lanes, vector + 1 == columns.vectors ? columns.active : Value(),
                    [&] { body(own); });
    }
  };
  terms_ = find_range(f_.count(), 1, counts, e_);
}

/// The same of rows, several terms at a time.
TermRange TiledProduct::terms_of(const Batch& batch, const Rows& rows) {
  if (!f_.masks_rows() || f_.masks_columns() || f_.summed.size() != 1)
    return terms_;
  auto counts = [&](Value k, Value end, llvm::function_ref<void(Value)> body) {
    for (int row = 0; row < rows.count; ++row)
      e_.with_lanes(f_.lanes, e_.sub(end, k), [&] {
        body(f_.counts(batch, e_.add(rows.first, e_.i64(row)), {Coordinate::progression(k, 1)}));
      });
  };
  return find_range(f_.count(), f_.lanes, counts, e_);
}

void TiledProduct::pack_before(const Batch& batch, const Panel& columns) {
  PackedColumns packed(f_);
  packed.pack(packed_, packed.panel_of(batch, columns.first), batch, columns);
}

void TiledProduct::ask_for_columns() {
  if (!f_.columns_at_once)
    return;
  auto [count, bytes, apart] = *f_.columns_at_once;
  Values index = f_.result_index({}, e_.i64(0), e_.i64(0));
  Value first = cell_number(*f_.columns, index, e_);
  e_.loop(e_.i64(0), e_.i64(count), [&, bytes = bytes, apart = apart](Value run) {
    for (int64_t byte = 0; byte < bytes; byte += e_.machine.caches.line)
      e_.ask_for(f_.columns->pointer, f_.factor, e_.add(first, e_.mul(run, e_.i64(apart))), byte);
  });
}

void TiledProduct::pack(const Batch& batch, const Panel& columns) {
  if (place_ == ColumnPlace::working_memory)
    PackedColumns(f_).pack(packed_, e_.i64(0), batch, columns);
}

void TiledProduct::pack_rows(const Batch& batch, const Rows& rows) {
  e_.loop(e_.i64(0), e_.i64(rows.count), [&](Value r) {
    e_.loops(ValueSpan(f_.summed).drop_back(), [&](IndexSpan outer) {
      for_vectors(f_.summed.back(), e_, [&](Value k, Value active) {
        e_.with_lanes(f_.lanes, active, [&] {
          Index summed(outer);
          summed.push_back(k);
          Value number = e_.add(e_.mul(r, row_width()), e_.ravel(summed, f_.summed).base);
          summed.back() = Coordinate::progression(k, 1);
          Value cells = f_.to_held(f_.row_cells(batch, e_.add(rows.first, r), summed));
          if (active && f_.dots.group()) // the last group ends in zeros
            cells = mlir::arith::SelectOp::create(e_.b, e_.active(), cells,
                                                  e_.spread(e_.constant(f_.factor, 0)));
          e_.with_lanes(f_.lanes, {}, [&] {
            e_.store(block_, f_.arithmetic.held_dtype(), Coordinate::progression(number, 1), cells);
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
    return Values(llvm::ArrayRef(cells->strides).drop_front(f_.shape.size()));
  Values strides(f_.summed.size());
  Value stride = e_.i64(step);
  for (size_t dim = f_.summed.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride = e_.mul(stride, f_.summed[dim]);
  }
  return strides;
}

/// Whether the factors of a row lie one after another, in whole groups.
bool TiledProduct::has_whole_groups() {
  if (!f_.dots.group())
    return true;
  auto count = constant_of(f_.count());
  Values strides = summed_strides(f_.rows, 1), packed = summed_strides(std::nullopt, 1);
  auto is_equal = [](Value x, Value y) { return x == y; };
  return count && *count % f_.dots.group() == 0 &&
         std::equal(strides.begin(), strides.end(), packed.begin(), is_equal);
}

TiledProduct::Places TiledProduct::places(const Batch& batch, const Rows& rows,
                                          const Panel& columns) {
  Places at;
  at.batch = &batch;
  at.tile = rows;
  at.columns = at.tile_columns = columns;
  bool has_rows = f_.rows && f_.factor == f_.arithmetic.held_dtype() && has_whole_groups();
  if (!has_rows)
    pack_rows(batch, rows);
  at.row_memory = has_rows ? f_.rows->pointer : block_;
  for (int r = 0; r < rows.count; ++r) {
    Values index = f_.result_index(batch, e_.add(rows.first, e_.i64(r)), e_.i64(0));
    at.rows.push_back(has_rows ? cell_number(*f_.rows, index, e_) : e_.mul(e_.i64(r), row_width()));
  }
  bool is_direct = place_ == ColumnPlace::direct;
  if (is_direct) {
    at.column_memory = f_.columns->pointer;
    at.column = cell_number(*f_.columns, f_.result_index(batch, f_.columns_row, columns.first), e_);
    at.vector_step = e_.i64(f_.lanes);
  } else {
    PackedColumns packed(f_);
    bool is_whole = place_ == ColumnPlace::packed_before;
    Value panel = is_whole ? packed.panel_of(batch, columns.first) : e_.i64(0);
    at.column_memory = packed_;
    at.column = e_.mul(panel, packed.panel_cells());
    at.vector_step = packed.panel_cells();
    at.columns.active = {};
  }
  join_summed(at, summed_strides(has_rows ? f_.rows : std::nullopt, 1),
              summed_strides(is_direct ? f_.columns : std::nullopt, f_.lanes));
  return at;
}

void TiledProduct::join_summed(Places& at, ValueSpan row_strides, ValueSpan column_strides) {
  for (size_t dim = 0; dim < f_.summed.size(); ++dim) {
    auto continues = [&](ValueSpan strides) {
      auto step = constant_of(strides[dim]), outer = constant_of(strides[dim - 1]),
           extent = constant_of(f_.summed[dim]);
      return step && outer && extent && *outer == *step * *extent;
    };
    if (dim > 0 && !f_.is_masked() && continues(row_strides) && continues(column_strides)) {
      at.extents.back() = e_.mul(at.extents.back(), f_.summed[dim]);
      at.row_strides.back() = row_strides[dim];
      at.column_strides.back() = column_strides[dim];
      continue;
    }
    at.extents.push_back(f_.summed[dim]);
    at.row_strides.push_back(row_strides[dim]);
    at.column_strides.push_back(column_strides[dim]);
  }
}

/// The factors at an index of `extents`: each is loaded once for its row or column of the tile.
Terms TiledProduct::factors(const Places& at, IndexSpan summed) {
  Value row_offset = e_.i64(0), column = at.column;
  for (auto [k, row_stride, column_stride] : llvm::zip(summed, at.row_strides, at.column_strides)) {
    row_offset = e_.add(row_offset, e_.mul(k.base, row_stride));
    column = e_.add(column, e_.mul(k.base, column_stride));
  }
  DType dtype = f_.arithmetic.held_dtype();
  Values vectors;
  Terms terms;
  for (int vector = 0; vector < at.columns.vectors; ++vector) {
    Value number = e_.add(column, e_.mul(at.vector_step, e_.i64(vector)));
    bool is_last = vector + 1 == at.columns.vectors;
    e_.with_lanes(f_.lanes, is_last ? at.columns.active : Value(), [&] {
      vectors.push_back(e_.load(at.column_memory, dtype, Coordinate::progression(number, 1)));
    });
    if (f_.columns_ahead > 0 && at.column_memory == f_.columns->pointer)
      e_.ask_for(at.column_memory, dtype, number, f_.columns_ahead);
  }
  for (Value row : at.rows) {
    Value factor = e_.load(at.row_memory, dtype, Coordinate(e_.add(row, row_offset)));
    for (Value vector : vectors) {
      terms.x.push_back(factor);
      terms.y.push_back(vector);
    }
  }
  if (!f_.is_masked() || all_count_)
    return terms;
  const size_t vector_count = vectors.size();
  for (int row = 0; row < at.tile.count; ++row)
    for (size_t vector = 0; vector < vector_count; ++vector)
      terms.counts.push_back(row > 0 && !f_.masks_rows()
                                 ? terms.counts[vector]
                                 : f_.counts(*at.batch, e_.add(at.tile.first, e_.i64(row)),
                                             at.tile_columns, static_cast<int>(vector), summed));
  return terms;
}

/// Sums by groups: four bytes of each row at a time, for all columns.
Values TiledProduct::dot_sums(const Batch& batch, const Rows& rows, const Panel& columns) {
  int group = f_.dots.group();
  Places at = places(batch, rows, columns);
  Value groups = e_.b.createOrFold<mlir::arith::CeilDivSIOp>(f_.count(), e_.i64(group));
  auto in_groups = [&](Value cells) { return quotient(cells, group, e_); };
  auto load_column = [&](Value step, int vector) {
    Value number = e_.add(in_groups(at.column), e_.mul(step, e_.i64(f_.lanes)));
    number = e_.add(number, e_.mul(in_groups(at.vector_step), e_.i64(vector)));
    return e_.load(at.column_memory, DType::i32, Coordinate::progression(number, 1));
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
      Value factor = f_.dots.row_group(f_.dots.load_group(at.row_memory, number));
      for (int vector = 0; vector < columns.vectors; ++vector)
        next.push_back(f_.dots.add(sums[row * columns.vectors + vector], factor, factors[vector]));
    }
    return next;
  };
  SumOrder order{{Order::chain, 1, std::max<int64_t>(f_.order.chunk / group, 1), f_.order.in_order},
                 slots_};
  size_t tile = at.rows.size() * columns.vectors;
  Values sums = emit_sum_steps(f_.dots.arithmetic(), order, groups, tile, step, e_);
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = f_.dots.finished(sum, column_sums[i % columns.vectors]);
  return sums;
}

/// Of columns that each lie along the summed dim: squares of them are turned in registers.
Values TiledProduct::turned_sums(const Places& at, const Panel& columns) {
  PackedColumns turned(f_);
  KOLAM_CHECK(columns.vectors == 1 && f_.summed.size() == 1);
  const Values starts = turned.starts(*at.batch, columns, 0, {});
  DType dtype = f_.arithmetic.held_dtype();
  auto add_square = [&](ValueSpan before, const Coordinate& number) {
    Value k = e_.mul(number.base, e_.i64(f_.lanes));
    Values sums(before);
    for (auto [lane, cells] : llvm::enumerate(turned.square(starts, k, {}))) {
      Value own = e_.mul(e_.add(k, e_.i64(static_cast<int64_t>(lane))), at.row_strides[0]);
      Terms terms;
      for (Value row : at.rows) {
        terms.x.push_back(e_.load(at.row_memory, dtype, Coordinate(e_.add(row, own))));
        terms.y.push_back(cells);
      }
      sums = f_.arithmetic.multiply_add(terms, sums);
    }
    return sums;
  };
  const int64_t chunk = std::max<int64_t>(f_.order.chunk / f_.lanes, 1);
  const SumOrder order{{Order::chain, 1, chunk, f_.order.in_order}, slots_};
  return emit_sum_steps(f_.arithmetic, order, quotient(f_.count(), f_.lanes, e_), at.rows.size(),
                        add_square, e_);
}

Values TiledProduct::sums(const Batch& batch, const Rows& rows, const Panel& columns) {
  if (f_.dots.group())
    return dot_sums(batch, rows, columns);
  Places at = places(batch, rows, columns);
  if (place_ == ColumnPlace::direct && PackedColumns(f_).are_transposed())
    return turned_sums(at, columns);
  return emit_sums(
      f_.arithmetic, {f_.order, slots_, terms_of(batch, rows), &all_count_}, at.extents,
      at.rows.size() * columns.vectors, [&](IndexSpan summed) { return factors(at, summed); }, e_);
}

/// Asks for the factors of rows from `place` on, as many as a part has. A part of each row lies
/// apart from that of the next, which processors do not see coming.
void TiledProduct::ask_for_rows(const Places& at, Value place) {
  if (!f_.rows_are_far || constant_of(at.row_strides[0]) != 1)
    return;
  DType dtype = f_.arithmetic.held_dtype();
  for (Value row : at.rows)
    for (int64_t byte = 0; byte < kTiles.summed_part * byte_width(dtype);
         byte += e_.machine.caches.line)
      e_.ask_for(at.row_memory, dtype, e_.add(row, place), byte);
}

Values TiledProduct::add_part(const Batch& batch, const Rows& rows, const Panel& columns,
                              ValueSpan sums, Value begin, Value end) {
  ColumnPlace place = std::exchange(place_, ColumnPlace::direct);
  Places at = places(batch, rows, columns);
  place_ = place;
  ask_for_rows(at, end);
  return e_.loop(begin, end, sums, [&](Value k, ValueSpan state) {
    return f_.arithmetic.multiply_add(factors(at, {Coordinate(k)}), state);
  });
}

} // namespace kolam::lower::cpu
