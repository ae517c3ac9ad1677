// Packs rows, and finds where the factors of tiles are.
#include "kolam/lower/cpu/tiled_product.h"

#include "kolam/lower/cpu/accumulation.h"
#include "kolam/lower/cpu/least_magnitude.h"
#include "kolam/lower/cpu/packed_columns.h"
#include "kolam/lower/cpu/shuffles.h"
#include "kolam/lower/scalar_builder.h"

namespace kolam::lower::cpu {

TiledProduct::TiledProduct(const nest::Product& product, Value packed_before, Emission& e)
    : f_(product, e), e_(e),
      place_(packed_before ? ColumnPlace::packed_before : ColumnPlace::working_memory),
      packed_(packed_before) {}

bool TiledProduct::has_direct_columns() {
  bool is_held = f_.factor == f_.arithmetic.held_dtype() || f_.are_flushed();
  return place_ != ColumnPlace::packed_before && !f_.dots.has_instruction() && f_.columns &&
         is_held && constant_of(f_.columns->strides[f_.shape.size() - 1]) == 1;
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
/// Behind that may be the least magnitude.
Value TiledProduct::row_width() {
  return e_.add(f_.count(), e_.i64((f_.are_flushed() ? 2 : 1) * f_.lanes));
}

Value TiledProduct::slot_bytes(const TileBounds& most) {
  int64_t bytes = int64_t{most.sums} * f_.lanes * byte_width(f_.arithmetic.sum_dtype());
  return e_.mul(chunk_slots(chunks(), merges_in_order(), e_), e_.i64(bytes));
}

Value TiledProduct::working_bytes(const TileBounds& most) {
  Value rows = kept_rows_ ? kept_rows_ : e_.i64(most.rows);
  Value row = e_.mul(row_width(), e_.i64(byte_width(f_.arithmetic.held_dtype())));
  return e_.add(e_.add(slot_bytes(most), panel_bytes(most.vectors)), e_.mul(rows, row));
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
      f_.with_vector(columns, vector, [&] { body(own); });
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

/// Packs rows from number `at` of the block on.
void TiledProduct::pack_rows(const Batch& batch, const Rows& rows, Value at) {
  const DType held = f_.arithmetic.held_dtype();
  auto pack_at = [&](Value row, Value number, Index summed, Value active) {
    number = e_.add(number, e_.ravel(summed, f_.summed).base);
    summed.back() = Coordinate::progression(summed.back().base, 1);
    Value cells = f_.to_held(f_.row_cells(batch, row, summed));
    if (active && (f_.dots.group() || f_.are_flushed())) // the last group ends in zeros
      cells =
          mlir::arith::SelectOp::create(e_.b, e_.active(), cells, e_.spread(e_.constant(held, 0)));
    e_.with_lanes(f_.lanes, {}, [&] {
      Value stored = are_pairs_swapped() ? neighbours_swapped(cells, e_) : cells;
      e_.store(block_, held, Coordinate::progression(number, 1), stored);
    });
    return cells;
  };
  e_.loop(e_.i64(0), e_.i64(rows.count), [&](Value r) {
    Value number = e_.mul(e_.add(at, r), row_width());
    auto pack_inner = [&](ValueSpan before, IndexSpan outer) {
      auto pack_vector = [&](Value k, Value active, ValueSpan least) {
        Index summed(outer);
        summed.push_back(k);
        Values known(least);
        e_.with_lanes(f_.lanes, active, [&] {
          Value cells = pack_at(e_.add(rows.first, r), number, summed, active);
          for (Value& own : known)
            own = least_magnitude(own, cells, e_);
        });
        return known;
      };
      return for_vectors(f_.summed.back(), before, e_, pack_vector);
    };
    e_.with_lanes(f_.lanes, {}, [&] {
      Values none = f_.are_flushed() ? Values{no_magnitude(e_)} : Values();
      for (Value least : emit_whole_space(ValueSpan(f_.summed).drop_back(), none, pack_inner, e_))
        e_.store(block_, DType::i32, least_of_row(number), least);
    });
  });
}

/// Where the least magnitude of a packed row is, behind its factors.
Coordinate TiledProduct::least_of_row(Value first) {
  return Coordinate::progression(e_.add(first, e_.sub(row_width(), e_.i64(f_.lanes))), 1);
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

bool TiledProduct::reads_rows() {
  return f_.rows && f_.factor == f_.arithmetic.held_dtype() && has_whole_groups();
}

int64_t TiledProduct::rows_worth_keeping() {
  constexpr int64_t kMostBytes = 8 << 20; // assumed: a core's share of the last cache
  auto width = constant_of(row_width());
  if (reads_rows() || !width)
    return 0;
  return kMostBytes / (*width * byte_width(f_.arithmetic.held_dtype()));
}

TiledProduct::Places TiledProduct::places(const Batch& batch, const Rows& rows,
                                          const Panel& columns) {
  Places at;
  at.batch = &batch;
  at.tile = rows;
  at.columns = at.tile_columns = columns;
  const bool has_rows = reads_rows();
  Value first = kept_rows_ ? e_.sub(rows.first, first_row_) : e_.i64(0);
  if (!has_rows) {
    auto pack = [&] { pack_rows(batch, rows, first); };
    kept_rows_ ? e_.when(are_new_, pack) : pack();
  }
  at.row_memory = has_rows ? f_.rows->pointer : block_;
  for (int r = 0; r < rows.count; ++r) {
    Values index = f_.result_index(batch, e_.add(rows.first, e_.i64(r)), e_.i64(0));
    at.rows.push_back(has_rows ? cell_number(*f_.rows, index, e_)
                               : e_.mul(e_.add(first, e_.i64(r)), row_width()));
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
  if (are_pairs_swapped()) {
    at.extents = {f_.packed_count()};
    at.row_strides = {e_.i64(1)};
    at.column_strides = {e_.i64(f_.lanes)};
    return at;
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

} // namespace kolam::lower::cpu
