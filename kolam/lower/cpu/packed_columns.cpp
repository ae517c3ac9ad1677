// Packs columns of products of matrices.
#include "kolam/lower/cpu/packed_columns.h"

#include "kolam/lower/cpu/shuffles.h"

namespace kolam::lower::cpu {

Value PackedColumns::panel_cells() {
  // See nest::packed_bytes.
  Value groups = quotient(e_.add(f_.count(), e_.i64(3)), 4, e_);
  return e_.mul(e_.add(e_.mul(groups, e_.i64(4)), e_.i64(nest::kPackedBehind)), e_.i64(f_.lanes));
}

Value PackedColumns::bytes(Value vectors) {
  return e_.mul(e_.mul(panel_cells(), vectors), e_.i64(byte_width(f_.arithmetic.held_dtype())));
}

Value PackedColumns::panel_of(const Batch& batch, Value column) {
  Value panels = quotient(e_.add(f_.shape.back(), e_.i64(f_.lanes - 1)), f_.lanes, e_);
  Index index(llvm::map_range(batch, [](Value i) { return Coordinate(i); }));
  Value number = index.empty() ? e_.i64(0) : e_.ravel(index, f_.batch_extents).base;
  return e_.add(e_.mul(number, panels), quotient(column, f_.lanes, e_));
}

void PackedColumns::pack(Value memory, Value panel, const Batch& batch, const Panel& columns) {
  Value first = e_.mul(panel, panel_cells());
  if (f_.dots.group())
    return pack_groups(memory, first, batch, columns);
  if (are_transposed())
    return pack_transposed(memory, first, batch, columns);
  pack_cells(memory, first, batch, columns);
}

bool PackedColumns::are_transposed() const {
  return f_.columns && constant_of(f_.columns->strides[f_.shape.size() - 1]) != 1 &&
         constant_of(f_.columns->strides.back()) == 1;
}

void PackedColumns::store(Value memory, DType dtype, Value number, Value cells) {
  e_.with_lanes(f_.lanes, {},
                [&] { e_.store(memory, dtype, Coordinate::progression(number, 1), cells); });
}

void PackedColumns::pack_cells(Value memory, Value first, const Batch& batch,
                               const Panel& columns) {
  e_.loops(f_.summed, [&](IndexSpan summed) {
    Value number = e_.add(first, e_.mul(e_.ravel(summed, f_.summed).base, e_.i64(f_.lanes)));
    for (int vector = 0; vector < columns.vectors; ++vector) {
      Value cells = f_.to_held(f_.column_cells(batch, columns, vector, summed));
      store(memory, f_.arithmetic.held_dtype(), number, cells);
      number = e_.add(number, panel_cells());
    }
  });
}

/// Groups of factors side by side, zeros where the last group has no more.
void PackedColumns::pack_groups(Value memory, Value first, const Batch& batch,
                                const Panel& columns) {
  int group = f_.dots.group();
  auto in_groups = [&](Value cells) { return quotient(cells, group, e_); };
  Value count = f_.count(), left = e_.b.createOrFold<mlir::arith::RemSIOp>(count, e_.i64(group));
  Value whole = e_.sub(count, left), panel = in_groups(panel_cells());
  auto number_of = [&](Value step, int vector) {
    return e_.add(e_.add(in_groups(first), e_.mul(panel, e_.i64(vector))),
                  e_.mul(step, e_.i64(f_.lanes)));
  };
  auto pack_at = [&](Value k, bool is_whole, ValueSpan column_sums) {
    Values sums;
    for (int vector = 0; vector < columns.vectors; ++vector)
      e_.with_lanes(f_.lanes, {}, [&] {
        Values cells;
        for (int i = 0; i < group; ++i) {
          Value place = e_.add(k, e_.i64(i));
          auto at = [&] {
            return Values{f_.column_cells(batch, columns, vector, e_.unravel(place, f_.summed))};
          };
          auto zero = [&] { return Values{e_.spread(e_.constant(f_.factor, 0))}; };
          Value is_there = e_.compare(mlir::arith::CmpIPredicate::slt, place, count);
          cells.push_back(is_whole ? at()[0] : e_.choose(is_there, at, zero)[0]);
        }
        Value grouped = f_.dots.grouped(cells);
        store(memory, DType::i32, number_of(in_groups(k), vector), grouped);
        sums.push_back(f_.dots.column_sum(column_sums[vector], grouped));
      });
    return sums;
  };
  Values sums;
  e_.with_lanes(f_.lanes, {},
                [&] { sums = Values(columns.vectors, e_.spread(e_.constant(DType::i32, 0))); });
  sums = e_.loop(
      e_.i64(0), whole, sums, [&](Value k, ValueSpan state) { return pack_at(k, true, state); },
      group);
  Value some = e_.compare(mlir::arith::CmpIPredicate::sgt, left, e_.i64(0));
  e_.with_lanes(f_.lanes, {}, [&] {
    sums = e_.choose(some, [&] { return pack_at(whole, false, sums); }, [&] { return sums; });
    Value groups = mlir::arith::CeilDivSIOp::create(e_.b, count, e_.i64(group));
    for (auto [vector, sum] : llvm::enumerate(sums))
      store(memory, DType::i32, number_of(groups, static_cast<int>(vector)), sum);
  });
}

/// Asks for a square's share of columns some squares' columns behind, in the order of memory where
/// a square has whole columns, or a column whole squares: processors go on with such walks.
void PackedColumns::ask_for_later(ValueSpan starts, Value k) {
  if (f_.columns_ahead == 0)
    return;
  const int64_t width = byte_width(f_.factor), cells = int64_t{f_.lanes} * f_.lanes,
                line = e_.machine.caches.line / width;
  auto count = constant_of(f_.summed.back());
  if (!count || (cells % *count != 0 && *count % cells != 0) || f_.summed.size() > 1) {
    for (Value number : starts)
      e_.ask_for(f_.columns->pointer, f_.factor, e_.add(number, k), f_.columns_ahead);
    return;
  }
  const int64_t behind =
      std::max<int64_t>(1, f_.columns_ahead / (*count * f_.lanes * width)) * f_.lanes;
  Value stride = f_.columns->strides[f_.shape.size() - 1];
  Value cell = e_.mul(k, e_.i64(f_.lanes)), column = quotient(cell, *count, e_);
  Value rest = e_.sub(cell, e_.mul(column, e_.i64(*count)));
  Value from = e_.add(e_.add(starts[0], e_.mul(e_.add(column, e_.i64(behind)), stride)), rest);
  for (int64_t own = 0; own < cells; own += line) {
    Value later = e_.add(from, e_.mul(stride, e_.i64(own / *count)));
    e_.ask_for(f_.columns->pointer, f_.factor, later, own % *count * width);
  }
}

Values PackedColumns::starts(const Batch& batch, const Panel& columns, int vector,
                             IndexSpan outer) {
  Value last = e_.sub(f_.shape.back(), e_.i64(1)),
        stride = f_.columns->strides[f_.shape.size() - 1];
  Values from = f_.result_index(batch, f_.columns_row, e_.i64(0));
  for (const Coordinate& k : outer)
    from.push_back(k.base);
  Value start = cell_number(*f_.columns, from, e_);
  Values starts;
  for (int lane = 0; lane < f_.lanes; ++lane) {
    Value column = e_.add(columns.first, e_.i64(vector * f_.lanes + lane));
    if (columns.active && vector + 1 == columns.vectors)
      column = mlir::arith::MinSIOp::create(e_.b, column, last);
    starts.push_back(e_.add(start, e_.mul(column, stride)));
  }
  return starts;
}

Values PackedColumns::square(ValueSpan starts, Value k, Value active) {
  Values square;
  e_.with_lanes(f_.lanes, active, [&] {
    for (Value number : starts)
      square.push_back(
          e_.load(f_.columns->pointer, f_.factor, Coordinate::progression(e_.add(number, k), 1)));
  });
  ask_for_later(starts, k);
  e_.with_lanes(f_.lanes, {}, [&] { square = transposed(square, e_); });
  return square;
}

/// Columns that lie along the summed dim: a square of lanes at a time.
void PackedColumns::pack_transposed(Value memory, Value first, const Batch& batch,
                                    const Panel& columns) {
  e_.loops(ValueSpan(f_.summed).drop_back(), [&](IndexSpan outer) {
    Index outer_start(outer);
    outer_start.push_back(e_.i64(0));
    Value row = e_.ravel(outer_start, f_.summed).base;
    for (int vector = 0; vector < columns.vectors; ++vector) {
      Values own = starts(batch, columns, vector, outer);
      Value panel = e_.add(first, e_.mul(panel_cells(), e_.i64(vector)));
      for_vectors(f_.summed.back(), e_, [&](Value k, Value active) {
        for (auto [lane, cells] : llvm::enumerate(square(own, k, active)))
          e_.with_lanes(f_.lanes, {}, [&, lane = lane, cells = cells] {
            Value at = e_.mul(e_.add(e_.add(row, k), e_.i64(static_cast<int64_t>(lane))),
                              e_.i64(f_.lanes));
            store(memory, f_.arithmetic.held_dtype(), e_.add(panel, at), f_.to_held(cells));
          });
      });
    }
  });
}

} // namespace kolam::lower::cpu
