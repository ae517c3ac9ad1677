// Turns rows into vectors and back: whole rows by their factors, or squares.
#include "kolam/lower/cpu/short_rows.h"

#include "kolam/lower/cpu/shuffles.h"
#include "kolam/nest/lanes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/bit.h"

namespace kolam::lower::cpu {
namespace {

/// Size of code: elements of a row of an input.
constexpr int64_t kMostLoaded = 64;

/// Vectors of all rows, moved to and from memory as it lies.
class RowMemory {
public:
  RowMemory(const ShortRows& rows, Emission& e)
      : rows_(rows), e_(e), lanes_(e.lanes()), type_(mlir::VectorType::get({lanes_}, rows.type)) {}

  int64_t lanes() const { return lanes_; }
  Value nothing() { return mlir::LLVM::PoisonOp::create(e_.b, type_); }

  /// A vector from the element of a number on; behind the last one of all rows anything.
  Value load(int64_t number) {
    const int64_t last = lanes_ * (rows_.width - 1); // of a vector that ends with the rows
    Value vector =
        mlir::LLVM::LoadOp::create(e_.b, type_, address(std::min(number, last)), alignment());
    return number <= last ? vector : lanes_from(vector, number - last, lanes_);
  }

  /// The first `count` lanes, from the element of a number on. What lies behind may be overwritten,
  /// but nothing behind the rows.
  void store(int64_t number, int64_t count, Value vector) {
    if (number <= lanes_ * (rows_.width - 1))
      return store_at(number, vector);
    for (int64_t done = 0, part; done < count; done += part) {
      part = static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(count - done)));
      store_at(number + done, lanes_from(vector, done, part));
    }
  }

private:
  int alignment() const { return static_cast<int>(rows_.type.getIntOrFloatBitWidth() + 7) / 8; }
  Value address(int64_t number) {
    return mlir::LLVM::GEPOp::create(
        e_.b, rows_.pointer.getType(), rows_.type, rows_.pointer,
        llvm::ArrayRef<mlir::LLVM::GEPArg>{e_.add(rows_.number, e_.i64(number))});
  }
  void store_at(int64_t number, Value vector) {
    mlir::LLVM::StoreOp::create(e_.b, vector, address(number), alignment());
  }
  Value lanes_from(Value vector, int64_t first, int64_t count) {
    llvm::SmallVector<int32_t> lanes;
    for (int64_t lane = first; lane < first + count; ++lane)
      lanes.push_back(static_cast<int32_t>(std::min(lane, lanes_ - 1)));
    return mlir::LLVM::ShuffleVectorOp::create(e_.b, vector, vector, lanes);
  }

  const ShortRows& rows_;
  Emission& e_;
  const int64_t lanes_;
  mlir::VectorType type_;
};

/// Shuffles of squares of lanes, which processors have instructions for.
int64_t shuffles_of_squares(int64_t width, int64_t lanes) {
  return (width + lanes - 1) / lanes * lanes * (llvm::bit_width(static_cast<uint64_t>(lanes)) - 1);
}

/// Shuffles by the factors of the width, of lanes anywhere: one instruction of AVX-512.
int64_t shuffles_by_factors(int64_t width, const Machine& machine) {
  constexpr int64_t kWithoutAvx512 = 3; // assumed: two permutations and a choice
  return interleaving_shuffles(width) * (machine.has_avx512() ? 1 : kWithoutAvx512);
}

bool goes_by_factors(int64_t width, int64_t lanes, const Machine& machine) {
  return width <= kShortRun ||
         shuffles_by_factors(width, machine) < shuffles_of_squares(width, lanes);
}

} // namespace

int64_t shuffles_of_rows(int64_t width, const Machine& machine) {
  const int64_t lanes = machine.lanes();
  return goes_by_factors(width, lanes, machine) ? shuffles_by_factors(width, machine)
                                                : shuffles_of_squares(width, lanes);
}

RowElements load_rows(const ShortRows& rows, int64_t element, Emission& e) {
  RowMemory memory(rows, e);
  const int64_t lanes = memory.lanes();
  Values vectors;
  if (goes_by_factors(rows.width, lanes, e.machine)) {
    for (int64_t number = 0; number < rows.width; ++number)
      vectors.push_back(memory.load(number * lanes));
    return {0, deinterleaved(vectors, e)};
  }
  const int64_t first = element / lanes * lanes;
  for (int64_t row = 0; row < lanes; ++row)
    vectors.push_back(memory.load(row * rows.width + first));
  vectors = transposed(vectors, e);
  vectors.truncate(std::min(lanes, rows.width - first));
  return {first, vectors};
}

void store_rows(const ShortRows& rows, ValueSpan vectors, Emission& e) {
  RowMemory memory(rows, e);
  const int64_t lanes = memory.lanes();
  if (goes_by_factors(rows.width, lanes, e.machine)) {
    for (auto [number, vector] : llvm::enumerate(interleaved(vectors, e)))
      memory.store(static_cast<int64_t>(number) * lanes, lanes, vector);
    return;
  }
  std::vector<Values> squares;
  for (int64_t first = 0; first < rows.width; first += lanes) {
    Values square(vectors.drop_front(first).take_front(lanes));
    square.resize(lanes, memory.nothing());
    squares.push_back(transposed(square, e));
  }
  // In order: each store overwrites what the one before has left behind its lanes.
  for (int64_t row = 0; row < lanes; ++row)
    for (auto [number, square] : llvm::enumerate(squares)) {
      const int64_t first = static_cast<int64_t>(number) * lanes;
      memory.store(row * rows.width + first, std::min(lanes, rows.width - first), square[row]);
    }
}

Value Emission::cell_of_rows(Value input, int parameter, IndexSpan index) {
  if (!rows_ || mask_.lanes || frames_.size() != rows_->depth ||
      b.getInsertionBlock() != rows_->body || nest_.layout_of(input))
    return {};
  // Lanes along one dim, numbers behind it.
  Index place(index), first(index);
  Shape shape = ir::shape_of(input);
  int64_t width = 1, element = 0;
  size_t across = index.size();
  while (across-- > 0 && place[across].is_uniform()) {
    auto number = constant_of(place[across].base), extent = shape[across].constant();
    if (!number || !extent || *number < 0 || *number >= *extent)
      return {};
    place[across] = Coordinate(i64(*number));
    first[across] = Coordinate(i64(0));
    element += *number * width;
    width *= *extent;
  }
  if (across >= index.size() || place[across].lanes || place[across].stride != 1 || width < 2 ||
      width > kMostLoaded ||
      llvm::any_of(index.take_front(across), [](const Coordinate& i) { return !i.is_uniform(); }))
    return {};
  if (auto known = rows_->cells.find(key_of(input, place)); known != rows_->cells.end())
    return known->second;
  first[across].stride = 0;
  DType dtype = ir::dtype_of(input);
  ShortRows rows{pointers_[parameter], memory_type(b.getContext(), dtype),
                 element_number(input, first).base, width};
  auto [start, vectors] = load_rows(rows, element, *this);
  Values extents;
  for (size_t dim = across + 1; dim < index.size(); ++dim)
    extents.push_back(extent(shape[dim]));
  Index at(place);
  for (auto [number, vector] : llvm::enumerate(vectors)) {
    int64_t left = start + static_cast<int64_t>(number);
    for (size_t dim = index.size(); --dim > across; left /= *shape[dim].constant())
      at[dim] = Coordinate(i64(left % *shape[dim].constant()));
    rows_->cells[key_of(input, at)] = from_memory(vector, dtype);
  }
  return rows_->cells.at(key_of(input, place));
}

void Emission::store_rows(Value result, IndexSpan index, ValueSpan vectors) {
  std::optional<int> parameter = output_of(result);
  if (!parameter)
    return;
  DType dtype = ir::dtype_of(result);
  mlir::Type type = memory_type(b.getContext(), dtype);
  Values cells;
  for (Value vector : vectors) {
    vector = spread(vector);
    auto in_memory = llvm::cast<mlir::VectorType>(vector.getType()).clone(type);
    cells.push_back(dtype == DType::boolean ? mlir::arith::ExtUIOp::create(b, in_memory, vector)
                                            : vector);
  }
  ShortRows rows{pointers_[*parameter], type, element_number(result, index).base,
                 static_cast<int64_t>(cells.size())};
  cpu::store_rows(rows, cells, *this);
}

void Emission::with_rows(llvm::function_ref<void()> body) {
  rows_ = {frames_.size(), b.getInsertionBlock(), {}};
  turn_by_turn(nest::kMostInterleaved, body);
  rows_.reset();
}

} // namespace kolam::lower::cpu
