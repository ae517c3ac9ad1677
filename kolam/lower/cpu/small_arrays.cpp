// Numbers are bound by their places, arrays to loads; arrays of some more elements go by vectors.
#include "kolam/lower/cpu/small_arrays.h"

#include "kolam/ir/contract_spec.h"
#include "kolam/ir/element_loop.h"
#include "kolam/nest/lanes.h"

namespace kolam::lower::cpu {
namespace {

/// Whether an op sums rows that lie in memory as they are summed, by lanes of them.
bool sums_rows(mlir::Operation* op, const Machine& machine) {
  const int64_t width = byte_width(ir::dtype_of(op->getResult(0)));
  if (!nest::goes_by_lanes(op, 2 * machine.vector_bytes / width - 1))
    return false;
  if (auto product = llvm::dyn_cast<ir::ContractOp>(op)) {
    auto spec = *ir::parse_contract_spec(product.getSpec().str());
    return spec.lhs.back() >= spec.result_count && spec.rhs.back() >= spec.result_count;
  }
  auto reduce = llvm::dyn_cast<ir::ReduceOp>(op);
  return reduce && llvm::is_contained(reduce.getDims(), ir::rank_of(reduce.getInputs()[0]) - 1);
}

/// Size of code: vectors side by side of sums, each of which waits for the term before.
constexpr int64_t kSumsAtOnce = 4;

} // namespace

int64_t SmallArrays::few(mlir::Value value) { return *ir::few_elements(value); }

/// Where the element of a number, row-major, lies, behind a place along the first dims.
Index SmallArrays::place_of_number(const Shape& shape, int64_t number, IndexSpan outer) {
  Index index(outer);
  index.resize(shape.size());
  for (size_t dim = shape.size(); dim-- > outer.size(); number /= *shape[dim].constant())
    index[dim] = e_.i64(number % *shape[dim].constant());
  return index;
}

void SmallArrays::each_place(mlir::Value value, llvm::function_ref<void(const Index&)> body) {
  for (int64_t number = 0; number < few(value); ++number)
    body(place_of_number(ir::shape_of(value), number));
}

Values SmallArrays::cells_of(mlir::ValueRange values, const Places& places) {
  Values cells;
  for (auto [value, place] : llvm::zip(values, places))
    if (place.is_numbers())
      each_place(value,
                 [&, value = value](const Index& at) { cells.push_back(e_.cell(value, at)); });
  return cells;
}

ValueSpan SmallArrays::take(ValueSpan& cells, mlir::Value like) {
  ValueSpan own = cells.take_front(static_cast<size_t>(few(like)));
  cells = cells.drop_front(own.size());
  return own;
}

void SmallArrays::bind_few(mlir::Value value, ValueSpan cells) {
  e_.bind_cells(value, [this, value, own = Values(cells)](IndexSpan index) {
    if (own.size() == 1)
      return own[0];
    Values shape = e_.shape(value);
    const Coordinate number = e_.ravel(index, shape);
    // Outside it is asked for in a branch that is not taken.
    if (auto known = number.is_uniform() ? constant_of(number.base) : std::nullopt)
      return own[std::min(static_cast<size_t>(*known), own.size() - 1)];
    Value cell = number.is_uniform() ? own[0] : e_.spread(own[0]);
    for (size_t other = 1; other < own.size(); ++other)
      cell = s_.select(
          e_.compare(mlir::arith::CmpIPredicate::eq, number, e_.i64(static_cast<int64_t>(other))),
          number.is_uniform() ? own[other] : e_.spread(own[other]), cell);
    return cell;
  });
}

void SmallArrays::store_few(mlir::Value result, IndexSpan outer, ValueSpan cells) {
  const Shape shape = ir::shape_of(result);
  for (auto [number, cell] : llvm::enumerate(cells))
    e_.store_result(result, place_of_number(shape, static_cast<int64_t>(number), outer), cell);
}

void SmallArrays::bind_memory(mlir::Value value, const Place& place) {
  place_of_[value] = place;
  bind_kept(value, place);
}

void SmallArrays::bind_kept(mlir::Value value, const Place& place) {
  e_.bind_cells(value, [this, value, place](IndexSpan index) { return load(place, value, index); });
}

void SmallArrays::bind_same(mlir::Value argument, mlir::Value value) {
  if (changes_in_memory(value))
    return bind_memory(argument, place_of(value));
  e_.bind_cells(argument, [this, value](IndexSpan index) { return e_.cell(value, index); });
}

Coordinate SmallArrays::number_in(int result, IndexSpan index) {
  return e_.element_number(root_->getResult(static_cast<unsigned>(result)), index);
}

Value SmallArrays::load(const Place& place, mlir::Value like, IndexSpan index) {
  const DType dtype = ir::dtype_of(like);
  return place.result ? e_.load(*place.result, dtype, number_in(*place.result, index))
                      : e_.load(place.memory, dtype, e_.ravel(index, e_.shape(like)));
}

void SmallArrays::store(const Place& place, mlir::Value like, IndexSpan index, Value cell) {
  const DType dtype = ir::dtype_of(like);
  if (place.result)
    return e_.store(*place.result, dtype, number_in(*place.result, index), cell);
  e_.store(place.memory, dtype, e_.ravel(index, e_.shape(like)), cell);
}

Place SmallArrays::place_for(mlir::Value value) {
  return {{}, e_.scratch(ir::dtype_of(value), *ir::written_elements(value)), false};
}

void SmallArrays::write(const Place& place, mlir::Value value) {
  each_vector(ir::shape_of(value), value, [&](const Index& index) {
    store(place, value, index, e_.spread(e_.cell(value, index)));
  });
}

void SmallArrays::write(mlir::Operation* op) {
  mlir::ResultRange values = op->getResults();
  Places places = llvm::map_to_vector(values, [&](mlir::Value value) { return place_for(value); });
  const int64_t lanes = sums_rows(op, e_.machine) ? 1
                        : nest::has_loop(op)      ? kSumsAtOnce * lanes_of(values)
                                                  : lanes_of(values);
  each_vector(ir::shape_of(values[0]), lanes, [&](const Index& index) {
    for (auto [value, place, cell] : llvm::zip(values, places, e_.cells(op, index)))
      store(place, value, index, e_.spread(cell));
  });
  for (auto [value, place] : llvm::zip(values, places))
    bind_kept(value, place);
}

void SmallArrays::stack(mlir::Value whole, Value t, mlir::Value value) {
  if (ir::few_elements(value))
    return store_few(whole, {Coordinate(t)}, cells_of(value, {Place()}));
  each_vector(ir::shape_of(value), value, [&](const Index& index) {
    Index place{Coordinate(t)};
    place.append(index);
    e_.store_result(whole, place, e_.spread(e_.cell(value, index)));
  });
}

void SmallArrays::copy(int result, mlir::Value from) {
  const Shape shape = ir::shape_of(from);
  const DType dtype = ir::dtype_of(from);
  const int64_t lanes = lanes_of(from);
  Value count = e_.extent(element_count(shape));
  auto copy_from = [&](const Coordinate& number) {
    Index index(shape.size(), Coordinate(e_.i64(0)));
    index.back() = number; // row-major, beyond the last dim's extent
    e_.store(result, dtype, number, e_.cell(from, index));
  };
  Value whole = e_.sub(count, e_.b.createOrFold<mlir::arith::RemUIOp>(count, e_.i64(lanes)));
  e_.loop(
      e_.i64(0), whole,
      [&](Value i) {
        e_.with_lanes(static_cast<int>(lanes), {},
                      [&] { copy_from(Coordinate::progression(i, 1)); });
      },
      lanes);
  e_.loop(whole, count, [&](Value i) { copy_from(Coordinate(i)); });
}

void SmallArrays::copy(const Place& from, const Place& to, mlir::Value like) {
  each_vector(ir::shape_of(like), like,
              [&](const Index& index) { store(to, like, index, load(from, like, index)); });
}

int64_t SmallArrays::lanes_of(mlir::ValueRange values) const {
  int64_t width = 1;
  for (mlir::Value value : values)
    width = std::max<int64_t>(width, byte_width(ir::dtype_of(value)));
  return e_.machine.vector_bytes / width;
}

void SmallArrays::each_vector(const Shape& shape, mlir::ValueRange like,
                              llvm::function_ref<void(const Index& index)> body) {
  each_vector(shape, lanes_of(like), body);
}

/// For vectors of at most so many elements.
void SmallArrays::each_vector(const Shape& shape, int64_t most,
                              llvm::function_ref<void(const Index& index)> body) {
  Index index(shape.size(), Coordinate(e_.i64(0)));
  if (shape.empty())
    return body(index);
  size_t along = shape.size() - 1;
  while (along > 0 && shape[along].constant() == 1)
    --along;
  auto vectors = [&](Value first, int64_t lanes) {
    e_.with_lanes(static_cast<int>(lanes), {}, [&] {
      Index own(index);
      own[along] = lanes == 1 ? Coordinate(first) : Coordinate::progression(first, 1);
      body(own);
    });
  };
  auto row = [&] {
    const int64_t extent = *shape[along].constant();
    int64_t begin = 0;
    if (extent >= 2 * most) {
      begin = extent - extent % most;
      e_.loop(e_.i64(0), e_.i64(begin), [&](Value i) { vectors(i, most); }, most);
    }
    for (int64_t lanes = most; lanes > 0; lanes /= 2)
      for (; begin + lanes <= extent; begin += lanes)
        vectors(e_.i64(begin), lanes);
  };
  std::function<void(size_t)> from = [&](size_t dim) {
    if (dim == along)
      return row();
    e_.loop(e_.i64(0), e_.extent(shape[dim]), [&](Value i) {
      index[dim] = i;
      from(dim + 1);
    });
  };
  from(0);
}

} // namespace kolam::lower::cpu
