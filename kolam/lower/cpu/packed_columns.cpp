// Packs columns of products of matrices.
#include "kolam/lower/cpu/packed_columns.h"

#include "kolam/lower/cpu/least_magnitude.h"
#include "kolam/lower/cpu/shuffles.h"

namespace kolam::lower::cpu {

Value PackedColumns::panel_cells() {
  // See nest::packed_bytes.
  Value groups = quotient(e_.add(f_.count(), e_.i64(3)), 4, e_);
  return e_.mul(e_.add(e_.mul(groups, e_.i64(4)), e_.i64(nest::kPackedBehind)), e_.i64(f_.lanes));
}

Value PackedColumns::bytes(Value vectors) {
  DType held = f_.dots.group() ? f_.dots.packed_dtype() : f_.arithmetic.held_dtype();
  return e_.mul(e_.mul(panel_cells(), vectors), e_.i64(byte_width(held)));
}

Value PackedColumns::panel_of(const Batch& batch, Value column) {
  Value panels = quotient(e_.add(f_.shape.back(), e_.i64(f_.lanes - 1)), f_.lanes, e_);
  Index index(llvm::map_range(batch, [](Value i) { return Coordinate(i); }));
  Value number = index.empty() ? e_.i64(0) : e_.ravel(index, f_.batch_extents).base;
  return e_.add(e_.mul(number, panels), quotient(column, f_.lanes, e_));
}

Coordinate PackedColumns::known_at(Value first) {
  const int group = std::max(1, f_.dots.group());
  Value terms = e_.b.createOrFold<mlir::arith::CeilDivSIOp>(f_.packed_count(), e_.i64(group));
  Value number = e_.add(quotient(first, group, e_), e_.mul(terms, e_.i64(f_.lanes)));
  return Coordinate::progression(number, 1);
}

/// For each vector; for none where nothing must be known.
Values PackedColumns::nothing_known(const Panel& columns) {
  Values known;
  e_.with_lanes(f_.lanes, {}, [&] {
    if (f_.dots.group() || f_.are_flushed())
      known = Values(columns.vectors,
                     f_.are_flushed() ? no_magnitude(e_) : e_.spread(e_.constant(DType::i32, 0)));
  });
  return known;
}

void PackedColumns::pack(Value memory, Value panel, const Batch& batch, const Panel& columns) {
  Value first = e_.mul(panel, panel_cells());
  auto packed = [&] {
    if (f_.dots.group())
      return pack_groups(memory, first, batch, columns);
    return are_transposed() ? pack_transposed(memory, first, batch, columns)
                            : pack_cells(memory, first, batch, columns);
  };
  for (Value known : packed()) {
    store(memory, DType::i32, known_at(first).base, known);
    if (f_.are_pairs_swapped())
      store_zero(memory, first);
    first = e_.add(first, panel_cells());
  }
}

/// In front of a last factor that has no second.
void PackedColumns::store_zero(Value memory, Value first) {
  Value last = e_.sub(f_.packed_count(), f_.count());
  if (constant_of(last) == 0)
    return;
  e_.when(e_.compare(mlir::arith::CmpIPredicate::eq, last, e_.i64(1)), [&] {
    Value number = e_.add(first, e_.mul(e_.sub(f_.count(), e_.i64(1)), e_.i64(f_.lanes)));
    e_.with_lanes(f_.lanes, {}, [&] {
      const DType held = f_.arithmetic.held_dtype();
      store(memory, held, number, e_.spread(e_.constant(held, 0)));
    });
  });
}

bool PackedColumns::are_transposed() const {
  return f_.columns && constant_of(f_.columns->strides[f_.shape.size() - 1]) != 1 &&
         constant_of(f_.columns->strides.back()) == 1;
}

void PackedColumns::store(Value memory, DType dtype, Value number, Value cells) {
  e_.with_lanes(f_.lanes, {},
                [&] { e_.store(memory, dtype, Coordinate::progression(number, 1), cells); });
}

Values PackedColumns::pack_cells(Value memory, Value first, const Batch& batch,
                                 const Panel& columns) {
  auto pack_at = [&](ValueSpan before, IndexSpan summed) {
    Values known(before);
    Value place = f_.packed_place(e_.ravel(summed, f_.summed).base);
    Value number = e_.add(first, e_.mul(place, e_.i64(f_.lanes)));
    for (int vector = 0; vector < columns.vectors; ++vector) {
      Value cells = f_.to_held(f_.column_cells(batch, columns, vector, summed));
      store(memory, f_.arithmetic.held_dtype(), number, cells);
      number = e_.add(number, panel_cells());
      if (!known.empty())
        f_.with_vector(columns, vector,
                       [&] { known[vector] = least_magnitude(known[vector], cells, e_); });
    }
    return known;
  };
  return emit_whole_space(f_.summed, nothing_known(columns), pack_at, e_);
}

/// Groups of factors side by side, zeros where the last group has no more.
Values PackedColumns::pack_groups(Value memory, Value first, const Batch& batch,
                                  const Panel& columns) {
  int group = f_.dots.group();
  auto in_groups = [&](Value cells) { return quotient(cells, group, e_); };
  Value count = f_.count(), left = e_.b.createOrFold<mlir::arith::RemSIOp>(count, e_.i64(group));
  Value whole = e_.sub(count, left), panel = in_groups(panel_cells());
  auto pack_at = [&](Value k, bool is_whole, ValueSpan before) {
    Values known;
    for (int vector = 0; vector < columns.vectors; ++vector)
      e_.with_lanes(f_.lanes, {}, [&] {
        Values cells;
        for (int i = 0; i < group; ++i) {
          Value place = e_.add(k, e_.i64(i));
          auto at = [&] {
            Value own = f_.column_cells(batch, columns, vector, e_.unravel(place, f_.summed));
            return Values{f_.dots.has_instruction() ? f_.to_held(own) : own};
          };
          auto zero = [&] { return Values{e_.spread(e_.constant(f_.dots.packed_dtype(), 0))}; };
          Value is_there = e_.compare(mlir::arith::CmpIPredicate::slt, place, count);
          cells.push_back(is_whole ? at()[0] : e_.choose(is_there, at, zero)[0]);
        }
        Value grouped = f_.dots.grouped(cells);
        Value number = e_.add(e_.add(in_groups(first), e_.mul(panel, e_.i64(vector))),
                              e_.mul(in_groups(k), e_.i64(f_.lanes)));
        store(memory, DType::i32, number, grouped);
        f_.with_vector(columns, vector,
                       [&] { known.push_back(f_.dots.known(before[vector], grouped)); });
      });
    return known;
  };
  Values known = e_.loop(
      e_.i64(0), whole, nothing_known(columns),
      [&](Value k, ValueSpan state) { return pack_at(k, true, state); }, group);
  Value some = e_.compare(mlir::arith::CmpIPredicate::sgt, left, e_.i64(0));
  e_.with_lanes(f_.lanes, {}, [&] {
    known = e_.choose(some, [&] { return pack_at(whole, false, known); }, [&] { return known; });
  });
  return known;
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
Values PackedColumns::pack_transposed(Value memory, Value first, const Batch& batch,
                                      const Panel& columns) {
  auto pack_outer = [&](ValueSpan before, IndexSpan outer) {
    Index outer_start(outer);
    outer_start.push_back(e_.i64(0));
    Value row = e_.ravel(outer_start, f_.summed).base;
    Values known;
    for (int vector = 0; vector < columns.vectors; ++vector) {
      Values own = starts(batch, columns, vector, outer);
      Value panel = e_.add(first, e_.mul(panel_cells(), e_.i64(vector)));
      ValueSpan known_before = before.empty() ? before : before.slice(vector, 1);
      auto pack_square = [&](Value k, Value active, ValueSpan state) {
        Values next(state);
        for (auto [term, cells] : llvm::enumerate(square(own, k, active))) {
          Value place = e_.i64(static_cast<int64_t>(term)), held = f_.to_held(cells);
          Value own_row = f_.packed_place(e_.add(e_.add(row, k), place));
          store(memory, f_.arithmetic.held_dtype(),
                e_.add(panel, e_.mul(own_row, e_.i64(f_.lanes))), held);
          for (Value& least : next)
            f_.with_vector(columns, vector, [&] {
              Value with_term = least_magnitude(least, held, e_);
              least = !active
                          ? with_term
                          : mlir::arith::SelectOp::create(
                                e_.b, e_.compare(mlir::arith::CmpIPredicate::slt, place, active),
                                with_term, least);
            });
        }
        return next;
      };
      known.append(for_vectors(f_.summed.back(), known_before, e_, pack_square));
    }
    return known;
  };
  return emit_whole_space(ValueSpan(f_.summed).drop_back(), nothing_known(columns), pack_outer, e_);
}

} // namespace kolam::lower::cpu
