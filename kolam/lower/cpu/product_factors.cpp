// Finds the factors of products.
#include "kolam/lower/cpu/product_factors.h"

#include "kolam/analysis/cost.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"

namespace kolam::lower::cpu {

/// Whether factors lie in an array that the near caches do not hold.
static bool are_far(const std::optional<Strided>& factors, Emission& e) {
  return factors && llvm::any_of(e.nest().inputs, [&](Value input) {
           return e.buffer_of(input) == factors->pointer &&
                  analysis::bytes_of(input) > static_cast<double>(e.machine.caches.second);
         });
}

/// See Note [Columns read once].
static std::optional<ProductFactors::Runs> runs_at_once(const ProductFactors& f) {
  auto columns = constant_of(f.shape.back()),
       terms = f.summed.size() == 1 ? constant_of(f.summed[0]) : std::nullopt;
  if (!columns || !terms || !f.batch_extents.empty())
    return std::nullopt;
  auto along = constant_of(f.columns->strides.back()),
       beside = constant_of(f.columns->strides[f.shape.size() - 1]);
  if (!along || !beside || (*along != 1 && *beside != 1))
    return std::nullopt;
  const int64_t width = byte_width(f.factor);
  ProductFactors::Runs runs = *beside == 1
                                  ? ProductFactors::Runs{*terms, *columns * width, *along}
                                  : ProductFactors::Runs{*columns, *terms * width, *beside};
  const bool is_short = runs.count * runs.bytes <= f.e.machine.caches.ahead;
  return is_short ? std::optional(runs) : std::nullopt;
}

static int64_t bytes_ahead(const ProductFactors& f) {
  constexpr int64_t kFewRows = 8; // assumed: beyond, arithmetic takes longer than memory
  if (!f.columns || !f.columns->windows.empty() || !f.columns->quotients.empty())
    return 0;
  int64_t rows = 1;
  for (Value extent : f.row_extents)
    rows *= std::min(constant_of(extent).value_or(INT32_MAX), int64_t{INT32_MAX});
  if (rows > kFewRows || !are_far(f.columns, f.e))
    return 0;
  // Of columns that are rows of memory, as many rows as so many bytes have.
  const int64_t ahead = f.e.machine.caches.ahead, width = byte_width(f.factor);
  auto columns = constant_of(f.shape.back()), apart = constant_of(f.columns->strides.back()),
       beside = constant_of(f.columns->strides[f.shape.size() - 1]);
  if (!columns || !apart || beside != 1 || *apart <= *columns || *columns * width >= ahead)
    return ahead;
  return ahead / (*columns * width) * *apart * width;
}

/// Whether columns that stay packed are pairs: few rows take no longer than reading the columns.
static bool keeps_pairs(const nest::Product& product, const Emission& e) {
  return (product.is_packed_before || e.nest().packs) &&
         nest::row_count(product).constant().value_or(0) <= kTiles.few_rows;
}

ProductFactors::ProductFactors(const nest::Product& product, Emission& e)
    : e(e), op(product.op), dims(product.dims), rows_of(product.rows_of),
      columns_of(product.columns_of), signature(llvm::cast<ir::SignedOp>(product.op).signature()),
      order(ir::accumulate_of(product.op->getAttrOfType<ir::AccumulateAttr>("accumulate"))),
      arithmetic(ir::dtype_of(op->getOperand(0)), ir::dtype_of(op->getResult(0)), e),
      dots(ir::dtype_of(op->getOperand(0)), ir::dtype_of(op->getResult(0)), keeps_pairs(product, e),
           e),
      factor(ir::dtype_of(op->getOperand(0))), shape(e.shape(op->getResult(0))),
      rows(strided_operand(op, rows_of, ir::rank_of(op->getResult(0)) - 1, e)),
      columns(strided_operand(op, columns_of, ir::rank_of(op->getResult(0)) - 1, e)),
      columns_row(e.i64(0)), lanes(e.machine.lanes()) {
  for (int dim : dims.rows)
    row_extents.push_back(shape[dim]);
  for (int dim : dims.batch)
    batch_extents.push_back(shape[dim]);
  for (size_t dim = shape.size(); dim < signature.dims.size(); ++dim)
    summed.push_back(e.extent(signature.dims[dim].extent));
  arithmetic.take_cast_factors(dots.has_instruction() ? dots.packed_dtype()
                                                      : arithmetic.sum_dtype());
  columns_ahead = bytes_ahead(*this);
  if (columns_ahead > 0 && (columns_at_once = runs_at_once(*this)))
    columns_ahead = 0;
  rows_are_far = are_far(rows, e);
}

Value ProductFactors::count() {
  Value count = e.i64(1);
  for (Value extent : summed)
    count = e.mul(count, extent);
  return count;
}

bool ProductFactors::are_pairs_swapped() const {
  // Packed rows go by vectors of the last dim, in which pairs must be whole.
  bool are_whole = summed.size() == 1 || constant_of(summed.back()).value_or(1) % 2 == 0;
  return are_flushed() && !dots.group() && are_whole && order.chunk % 2 == 0;
}

Value ProductFactors::packed_count() {
  return are_pairs_swapped()
             ? e.mul(e.b.createOrFold<mlir::arith::CeilDivSIOp>(count(), e.i64(2)), e.i64(2))
             : count();
}

Value ProductFactors::packed_place(Value number) {
  return are_pairs_swapped() ? e.b.createOrFold<mlir::arith::XOrIOp>(number, e.i64(1)) : number;
}

Values ProductFactors::result_index(const Batch& batch, Value row, Value column) {
  Values index(shape.size());
  for (auto [dim, place] : llvm::zip(dims.batch, batch))
    index[dim] = place;
  for (auto [dim, place] : llvm::zip(dims.rows, e.unravel(row, row_extents)))
    index[dim] = place.base;
  index.back() = column;
  return index;
}

/// The elements of an operand at the product's index and the summed dims.
Value ProductFactors::cells(unsigned operand, Index index, IndexSpan summed) {
  index.append(summed.begin(), summed.end());
  Index places;
  for (const space::AffineRow& row : signature.operands[operand].projection.map.rows) {
    Coordinate place = e.extent(row.offset);
    for (auto [i, coefficient] : llvm::zip(index, row.coefficients))
      if (coefficient != 0)
        place = e.add(e.mul(i, e.i64(coefficient)), place);
    places.push_back(place);
  }
  return e.cell(op->getOperand(operand), places);
}

void ProductFactors::with_vector(const Panel& columns, int vector,
                                 llvm::function_ref<void()> body) {
  e.with_lanes(lanes, vector + 1 == columns.vectors ? columns.active : Value(), body);
}

/// The elements of an operand at a row and one vector of columns.
Value ProductFactors::vector_cells(unsigned operand, const Batch& batch, Value row,
                                   const Panel& columns, int vector, IndexSpan summed) {
  Value result;
  with_vector(columns, vector, [&] {
    Index index(
        llvm::map_range(result_index(batch, row, e.i64(0)), [](Value i) { return Coordinate(i); }));
    index.back() = Coordinate::progression(e.add(columns.first, e.i64(vector * lanes)), 1);
    result = e.spread(cells(operand, index, summed));
  });
  return result;
}

Value ProductFactors::column_cells(const Batch& batch, const Panel& columns, int vector,
                                   IndexSpan summed) {
  return vector_cells(columns_of, batch, columns_row, columns, vector, summed);
}

Value ProductFactors::row_cells(const Batch& batch, Value row, IndexSpan summed) {
  return row_cells(rows_of, batch, row, summed);
}

/// The elements of an operand at a row, which columns do not change.
Value ProductFactors::row_cells(unsigned operand, const Batch& batch, Value row, IndexSpan summed) {
  Index index(
      llvm::map_range(result_index(batch, row, e.i64(0)), [](Value i) { return Coordinate(i); }));
  return cells(operand, index, summed);
}

/// The number of the operand that says which terms take part.
static constexpr unsigned kCounts = 2;

bool ProductFactors::masks_along(const std::vector<int>& own) const {
  return llvm::any_of(signature.operands[kCounts].projection.map.rows, [&](const auto& row) {
    return llvm::any_of(own, [&](int dim) { return row.coefficients[dim] != 0; });
  });
}

Value ProductFactors::counts(const Batch& batch, Value row, const Panel& columns, int vector,
                             IndexSpan summed) {
  return vector_cells(kCounts, batch, row, columns, vector, summed);
}

Value ProductFactors::counts(const Batch& batch, Value row, IndexSpan summed) {
  return row_cells(kCounts, batch, row, summed);
}

Value ProductFactors::to_held(Value cells) {
  ScalarBuilder s(e.b);
  return e.spread(cast<ScalarBuilder, Value>(s, factor, arithmetic.held_dtype(), cells));
}

Value quotient(Value x, int64_t by, Emission& e) {
  if (auto known = constant_of(x))
    return e.i64(*known / by); // a constant may stand in front of every loop
  return mlir::arith::DivUIOp::create(e.b, x, e.i64(by));
}

Values for_vectors(Value extent, ValueSpan state, Emission& e,
                   llvm::function_ref<Values(Value, Value, ValueSpan)> body) {
  int lanes = e.machine.lanes();
  Value left = e.b.createOrFold<mlir::arith::RemSIOp>(extent, e.i64(lanes));
  Value whole = e.sub(extent, left);
  Values after = e.loop(
      e.i64(0), whole, state,
      [&](Value first, ValueSpan before) { return body(first, {}, before); }, lanes);
  if (constant_of(left) == 0)
    return after;
  Value some =
      e.b.createOrFold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::sgt, left, e.i64(0));
  return e.choose_alike(some, [&] { return body(whole, left, after); }, [&] { return after; });
}

void for_vectors(Value extent, Emission& e, llvm::function_ref<void(Value, Value)> body) {
  for_vectors(extent, {}, e, [&](Value first, Value active, ValueSpan) {
    body(first, active);
    return Values();
  });
}

} // namespace kolam::lower::cpu

// Note [Columns read once]
// Few rows read each element of a matrix for few products, so that its memory takes longer than the
// arithmetic. Columns go by panels and packed ones by squares, each a part of a row behind the same
// part of the row before: processors see no end-to-end walk in that. Two pages are some rows ahead,
// and behind the last row of a block the first of the next, where blocks follow one another. Of a
// block that is shorter, whose neighbour in memory may be another one's, all is asked for first.
