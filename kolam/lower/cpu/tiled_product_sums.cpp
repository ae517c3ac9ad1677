// Sums tiles: by terms, by groups of factors, by squares of columns.
#include "kolam/lower/cpu/least_magnitude.h"
#include "kolam/lower/cpu/packed_columns.h"
#include "kolam/lower/cpu/tiled_product.h"

namespace kolam::lower::cpu {

/// In memory of its own, which LLVM keeps in a register.
void TiledProduct::find_least(Value columns) {
  Value before;
  e_.with_lanes(f_.lanes, {}, [&] {
    before = e_.load(direct_least_, DType::i32, Coordinate::progression(e_.i64(0), 1));
  });
  Value least = least_magnitude(before, columns, e_);
  e_.with_lanes(f_.lanes, {}, [&] {
    e_.store(direct_least_, DType::i32, Coordinate::progression(e_.i64(0), 1), least);
  });
}

/// The factors at an index of `extents`: each is loaded once for its row or column of the tile.
Terms TiledProduct::factors(const Places& at, IndexSpan summed) {
  Value row_offset = e_.i64(0), column = at.column;
  for (auto [k, row_stride, column_stride] : llvm::zip(summed, at.row_strides, at.column_strides)) {
    row_offset = e_.add(row_offset, e_.mul(k.base, row_stride));
    column = e_.add(column, e_.mul(k.base, column_stride));
  }
  DType dtype = f_.arithmetic.held_dtype();
  bool is_direct = f_.columns && at.column_memory == f_.columns->pointer;
  Values vectors;
  Terms terms;
  for (int vector = 0; vector < at.columns.vectors; ++vector) {
    Value number = e_.add(column, e_.mul(at.vector_step, e_.i64(vector)));
    f_.with_vector(at.columns, vector, [&] {
      auto places = Coordinate::progression(number, 1);
      vectors.push_back(is_direct ? f_.to_held(e_.load(at.column_memory, f_.factor, places))
                                  : e_.load(at.column_memory, dtype, places));
      if (finds_least_)
        find_least(vectors.back());
    });
    if (f_.columns_ahead > 0 && is_direct)
      e_.ask_for(at.column_memory, f_.factor, number, f_.columns_ahead);
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

Value TiledProduct::load_group(const Places& at, Value group, int vector) {
  auto in_groups = [&](Value cells) { return quotient(cells, f_.dots.group(), e_); };
  Value number = e_.add(in_groups(at.column), e_.mul(group, e_.i64(f_.lanes)));
  number = e_.add(number, e_.mul(in_groups(at.vector_step), e_.i64(vector)));
  Value loaded = e_.load(at.column_memory, DType::i32, Coordinate::progression(number, 1));
  if (f_.are_flushed()) // else LLVM keeps pairs in registers for both parts, where sums should be
    if (auto load = loaded.getDefiningOp<mlir::LLVM::LoadOp>())
      load.setVolatile_(true);
  return loaded;
}

/// The sums with a group more: four bytes of each row, for all columns.
Values TiledProduct::group_onto(const Places& at, Value group, ValueSpan sums) {
  Values factors, next;
  for (int vector = 0; vector < at.columns.vectors; ++vector)
    factors.push_back(load_group(at, group, vector));
  for (auto [row, first] : llvm::enumerate(at.rows)) {
    Value number = e_.add(first, e_.mul(group, e_.i64(f_.dots.group())));
    Value factor = f_.dots.row_group(f_.dots.load_group(at.row_memory, number));
    for (int vector = 0; vector < at.columns.vectors; ++vector)
      next.push_back(f_.dots.add(sums[row * at.columns.vectors + vector], factor, factors[vector]));
  }
  return next;
}

/// The same without an instruction: for all sums the second products, then the first.
Values TiledProduct::pair_onto(const Places& at, Value pair, ValueSpan before) {
  Values sums(before);
  for (const bool is_second : {true, false}) {
    Values factors;
    for (int vector = 0; vector < at.columns.vectors; ++vector)
      factors.push_back(f_.dots.part(load_group(at, pair, vector), is_second));
    for (auto [row, first] : llvm::enumerate(at.rows)) {
      Value number = e_.add(e_.add(first, e_.mul(pair, e_.i64(2))), e_.i64(is_second ? 1 : 0));
      Value factor = e_.load(at.row_memory, f_.arithmetic.held_dtype(), Coordinate(number));
      for (int vector = 0; vector < at.columns.vectors; ++vector) {
        Value& sum = sums[row * at.columns.vectors + vector];
        sum = f_.arithmetic.add_product(factor, factors[vector], sum);
      }
    }
  }
  return sums;
}

/// Whether neither a tile's factors nor sums of their products may be denormal. Columns that are
/// read directly: those of which sums were computed.
Value TiledProduct::are_normal(const Places& at) {
  Value rows, columns;
  auto add = [&](Value& least, Value memory, const Coordinate& number) {
    Value own = e_.load(memory, DType::i32, number);
    least = least ? least_of(least, own, e_) : own;
  };
  for (Value row : at.rows)
    add(rows, block_, least_of_row(row));
  if (place_ == ColumnPlace::direct)
    add(columns, direct_least_, Coordinate::progression(e_.i64(0), 1));
  else
    for (int vector = 0; vector < at.columns.vectors; ++vector) {
      Value panel = e_.add(at.column, e_.mul(at.vector_step, e_.i64(vector)));
      add(columns, at.column_memory, PackedColumns(f_).known_at(panel));
    }
  return cpu::are_normal(least_of_lanes(rows, e_), columns, e_);
}

/// The same values, of which LLVM does not see that: it would give them the registers of those of
/// another way, which then spill in both.
static Values through_memory(ValueSpan values, Emission& e) {
  Value memory = e.scratch(DType::f32, static_cast<int64_t>(values.size()));
  auto place = [&](size_t i) {
    return Coordinate::progression(e.i64(static_cast<int64_t>(i) * e.lanes()), 1);
  };
  for (auto [i, value] : llvm::enumerate(values))
    e.store(memory, DType::f32, place(i), value);
  Values loaded;
  for (size_t i = 0; i < values.size(); ++i) {
    loaded.push_back(e.load(memory, DType::f32, place(i)));
    if (auto load = loaded.back().getDefiningOp<mlir::LLVM::LoadOp>())
      load.setVolatile_(true);
  }
  return loaded;
}

/// What `sums` emits, by a way of its own where nothing is denormal: flushing takes longer than the
/// products.
Values TiledProduct::flushed_where_needed(const Places& at, llvm::function_ref<Values()> sums) {
  auto flushed = [&] { return through_memory(sums(), e_); };
  auto plain = [&] {
    f_.arithmetic.take_denormals(false);
    Values result = sums();
    f_.arithmetic.take_denormals(true);
    return result;
  };
  if (place_ != ColumnPlace::direct)
    return e_.choose_alike(are_normal(at), plain, flushed);
  // Few rows: what is least is found on the way.
  direct_least_ = e_.scratch(DType::i32, 1);
  e_.store(direct_least_, DType::i32, Coordinate::progression(e_.i64(0), 1), no_magnitude(e_));
  finds_least_ = true;
  Values result = plain();
  finds_least_ = false;
  return e_.choose_alike(are_normal(at), [&] { return result; }, flushed);
}

/// Sums by groups.
Values TiledProduct::dot_sums(const Places& at) {
  const int group = f_.dots.group();
  Value groups = e_.b.createOrFold<mlir::arith::CeilDivSIOp>(f_.count(), e_.i64(group));
  SumOrder order{{Order::chain, 1, std::max<int64_t>(f_.order.chunk / group, 1), f_.order.in_order},
                 slots_};
  size_t tile = at.rows.size() * at.columns.vectors;
  auto emit = [&](ProductArithmetic& arithmetic, auto onto) {
    auto step = [&](ValueSpan sums, const Coordinate& i) {
      return (this->*onto)(at, i.base, sums);
    };
    return emit_sum_steps(arithmetic, order, groups, tile, step, e_);
  };
  if (f_.are_flushed())
    return flushed_where_needed(at, [&] { return emit(f_.arithmetic, &TiledProduct::pair_onto); });
  Values column_sums;
  for (int vector = 0; vector < at.columns.vectors; ++vector)
    column_sums.push_back(load_group(at, groups, vector));
  Values sums = emit(f_.dots.arithmetic(), &TiledProduct::group_onto);
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = f_.dots.finished(sum, column_sums[i % at.columns.vectors]);
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

/// Of factors that lie in the order of their sums.
Values TiledProduct::chain_sums(const Places& at) {
  auto step = [&](ValueSpan sums, const Coordinate& k) {
    return f_.arithmetic.multiply_add(factors(at, {k}), sums);
  };
  return emit_sum_steps(f_.arithmetic, {f_.order, slots_}, at.extents[0],
                        at.rows.size() * at.columns.vectors, step, e_);
}

Values TiledProduct::sums(const Batch& batch, const Rows& rows, const Panel& columns) {
  Places at = places(batch, rows, columns);
  if (f_.dots.group() && place_ != ColumnPlace::direct)
    return dot_sums(at);
  if (place_ == ColumnPlace::direct && PackedColumns(f_).are_transposed())
    return turned_sums(at, columns);
  auto emit = [&] {
    if (are_pairs_swapped())
      return chain_sums(at);
    return emit_sums(
        f_.arithmetic, {f_.order, slots_, terms_of(batch, rows), &all_count_}, at.extents,
        at.rows.size() * columns.vectors, [&](IndexSpan summed) { return factors(at, summed); },
        e_);
  };
  return f_.are_flushed() ? flushed_where_needed(at, emit) : emit();
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
