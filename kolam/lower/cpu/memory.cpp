// Emits loads and stores: of one element, of elements that follow one another, of elements
// anywhere.
#include "kolam/lower/cpu/emission.h"
#include "kolam/lower/cpu/masked_memory.h"
#include "kolam/lower/cpu/shuffles.h"
#include "kolam/nest/evaluations.h"
#include "kolam/support/error.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace kolam::lower::cpu {

mlir::Type memory_type(mlir::MLIRContext* context, DType dtype) {
  return dtype == DType::boolean ? mlir::IntegerType::get(context, 8)
                                 : register_type(context, dtype);
}

namespace {

/// Size of code: elements that are loaded one by one.
constexpr int kFewLanes = 16;

int byte_size(mlir::Type type) { return static_cast<int>((type.getIntOrFloatBitWidth() + 7) / 8); }

/// Where the elements of the numbers lie: a pointer, or a vector of pointers.
Value address_of(Value pointer, mlir::Type type, Value numbers, Emission& e) {
  mlir::Type result = pointer.getType();
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(numbers.getType()))
    result = vector.clone(result);
  return mlir::LLVM::GEPOp::create(e.b, result, type, pointer,
                                   llvm::ArrayRef<mlir::LLVM::GEPArg>{numbers});
}

/// The same of one number; what it adds to another is added to the address, which costs nothing.
Value near_address_of(Value pointer, mlir::Type type, Value number, Emission& e) {
  if (auto sum = number.getDefiningOp<mlir::arith::AddIOp>())
    if (constant_of(sum.getRhs()))
      return address_of(address_of(pointer, type, sum.getLhs(), e), type, sum.getRhs(), e);
  return address_of(pointer, type, number, e);
}

/// Vectors of `width` lanes as one; their number is a power of two.
Value joined(Values parts, int64_t width, Emission& e) {
  for (; parts.size() > 1; width *= 2) {
    llvm::SmallVector<int32_t> both(2 * width);
    std::iota(both.begin(), both.end(), 0);
    Values wider;
    for (size_t pair = 0; pair < parts.size(); pair += 2)
      wider.push_back(mlir::LLVM::ShuffleVectorOp::create(e.b, parts[pair], parts[pair + 1], both));
    parts = wider;
  }
  return parts[0];
}

Value load_steps(Value pointer, mlir::VectorType vector, Value first, int64_t step, Emission& e);

/// The same of several registers, one after the other.
Value load_register_steps(Value pointer, mlir::VectorType vector, Value first, int64_t step,
                          int64_t width, Emission& e) {
  auto part = mlir::VectorType::get({width}, vector.getElementType());
  Values parts;
  for (int64_t lane = 0; lane < vector.getNumElements(); lane += width)
    parts.push_back(load_steps(pointer, part, e.add(first, e.i64(lane * step)), step, e));
  return joined(std::move(parts), width, e);
}

/// Every step-th element from `first` on: out of as many vectors as the step says, of which the
/// last ends with the last element, so that nothing behind it is read.
Value load_steps(Value pointer, mlir::VectorType vector, Value first, int64_t step, Emission& e) {
  const int64_t lanes = vector.getNumElements(), last = (lanes - 1) * step;
  const int64_t width = e.machine.vector_bytes / byte_size(vector.getElementType());
  if (lanes > width && llvm::isPowerOf2_64(static_cast<uint64_t>(lanes)))
    return load_register_steps(pointer, vector, first, step, width, e);
  if (step >= lanes) { // a vector would give one of them
    Value cells = mlir::LLVM::PoisonOp::create(e.b, vector);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      mlir::Type cell = vector.getElementType();
      Value from = address_of(pointer, cell, e.add(first, e.i64(lane * step)), e);
      cells = mlir::LLVM::InsertElementOp::create(
          e.b, cells, mlir::LLVM::LoadOp::create(e.b, cell, from), e.i64(lane));
    }
    return cells;
  }
  auto load_from = [&](int64_t start) -> Value {
    Value address = address_of(pointer, vector.getElementType(), e.add(first, e.i64(start)), e);
    return mlir::LLVM::LoadOp::create(e.b, vector, address, byte_size(vector.getElementType()));
  };
  Value cells = load_from(0);
  int64_t end = lanes; // of what `cells` may come from
  for (int64_t part = 1; part < step; ++part) {
    const int64_t start = std::min(part * lanes, last + 1 - lanes);
    llvm::SmallVector<int32_t> from;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t place = lane * step;
      from.push_back(static_cast<int32_t>(place >= end ? lanes + std::min(place - start, lanes - 1)
                                          : part == 1  ? place
                                                       : lane));
    }
    cells = mlir::LLVM::ShuffleVectorOp::create(e.b, cells, load_from(start), from);
    end = start + lanes;
  }
  return cells;
}

/// body(first, width) for parts of 2^n lanes that make up the first `count`, the widest first.
void for_each_part(int count, llvm::function_ref<void(int first, int width)> body) {
  int first = 0;
  for (auto width = static_cast<int>(llvm::bit_floor(static_cast<unsigned>(count))); width > 0;
       width /= 2)
    if (first + width <= count) {
      body(first, width);
      first += width;
    }
}

/// The first `count` lanes of a vector, by parts of 2^n lanes that `part` gives, zeros elsewhere.
Value load_first(mlir::VectorType vector, int count, Emission& e,
                 llvm::function_ref<Value(int first, mlir::Type part)> part) {
  const auto lanes = static_cast<int>(vector.getNumElements());
  Value result = mlir::arith::ConstantOp::create(e.b, e.b.getZeroAttr(vector));
  for_each_part(count, [&](int first, int width) {
    if (width == 1) {
      result = mlir::LLVM::InsertElementOp::create(
          e.b, result, part(first, vector.getElementType()), e.i64(first));
      return;
    }
    Value own = part(first, mlir::VectorType::get({width}, vector.getElementType()));
    llvm::SmallVector<int32_t> wide(lanes, -1), from(lanes);
    std::iota(wide.begin(), wide.begin() + width, 0);
    std::iota(from.begin(), from.end(), 0);
    std::iota(from.begin() + first, from.begin() + first + width, lanes);
    if (width < lanes)
      own = mlir::LLVM::ShuffleVectorOp::create(e.b, own, own, wide);
    result = mlir::LLVM::ShuffleVectorOp::create(e.b, result, own, from);
  });
  return result;
}

/// Stores the first `count` lanes of a vector, by parts of 2^n lanes.
void store_first(Value vector, Value address, int count, Emission& e) {
  auto type = llvm::cast<mlir::VectorType>(vector.getType());
  mlir::Type cell = type.getElementType();
  for_each_part(count, [&](int first, int width) {
    Value own = e.lanes_from(vector, first, width)[0];
    Value at = address_of(address, cell, e.i64(first), e);
    mlir::LLVM::StoreOp::create(e.b, own, at, byte_size(cell));
  });
}

/// What the mask chooses of a run, zeros elsewhere, a register at a time: LLVM 22 takes undefined
/// lanes of a wider mask, which it splits, for true ones, and loads what the mask hides.
Value load_chosen(Value mask, Value address, mlir::VectorType type, Emission& e) {
  const int64_t lanes = type.getNumElements();
  const int alignment = byte_size(type.getElementType());
  const int64_t width = std::min<int64_t>(lanes, e.machine.vector_bytes / alignment);
  KOLAM_CHECK(lanes % width == 0 && llvm::isPowerOf2_64(static_cast<uint64_t>(lanes / width)));
  auto part = mlir::VectorType::get({width}, type.getElementType());
  Value nothing = mlir::arith::ConstantOp::create(e.b, e.b.getZeroAttr(part));
  auto load = [&](Value from, Value chosen) -> Value {
    return mlir::LLVM::MaskedLoadOp::create(e.b, part, from, chosen, nothing, alignment);
  };
  if (width == lanes)
    return load(address, mask);
  Values parts;
  for (int64_t lane = 0; lane < lanes; lane += width) {
    llvm::SmallVector<int32_t> own(width);
    std::iota(own.begin(), own.end(), static_cast<int32_t>(lane));
    Value chosen = mlir::LLVM::ShuffleVectorOp::create(e.b, mask, mask, own);
    parts.push_back(load(address_of(address, type.getElementType(), e.i64(lane), e), chosen));
  }
  return joined(std::move(parts), width, e);
}

} // namespace

Value Emission::load(Value pointer, DType dtype, const Coordinate& cell_number) {
  mlir::Type type = memory_type(b.getContext(), dtype);
  Value value =
      cell_number.is_uniform() && !mask_.may_be_empty
          ? mlir::LLVM::LoadOp::create(b, type, address_of(pointer, type, cell_number.base, *this))
                .getResult()
          : load_lanes(pointer, type, cell_number);
  return from_memory(value, dtype);
}

Value Emission::from_memory(Value value, DType dtype) {
  if (dtype != DType::boolean)
    return value;
  mlir::TypedAttr zero = b.getIntegerAttr(mlir::getElementTypeOrSelf(value), 0);
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(value.getType()))
    zero = mlir::DenseElementsAttr::get(vector, zero);
  return mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::ne, value,
                                     mlir::arith::ConstantOp::create(b, zero));
}

bool Emission::knows_first() const { return mask_.first > 0 && !machine.has_avx512(); }

Value Emission::load_lanes(Value pointer, mlir::Type type, const Coordinate& number) {
  auto vector = mlir::VectorType::get({lanes_}, type);
  int alignment = byte_size(type);
  Value nothing = mlir::arith::ConstantOp::create(b, b.getZeroAttr(vector));
  bool is_run = !number.lanes && (number.stride == 1 || number.stride == -1);
  if (is_run) {
    bool is_backward = number.stride == -1;
    Value first = is_backward ? sub(number.base, i64(lanes_ - 1)) : number.base;
    Value address = mask_.lanes ? near_address_of(pointer, type, first, *this)
                                : address_of(pointer, type, first, *this);
    Value mask = mask_.lanes && is_backward ? reversed(mask_.lanes, *this) : mask_.lanes;
    Value run;
    if (!mask)
      run = mlir::LLVM::LoadOp::create(b, vector, address, alignment);
    else if (knows_first() && !is_backward)
      run = load_first(vector, mask_.first, *this, [&](int lane, mlir::Type part) {
        return mlir::LLVM::LoadOp::create(b, part, address_of(address, type, i64(lane), *this),
                                          alignment);
      });
    else if (has_masked_moves(machine, 8 * alignment))
      run = load_chosen(mask, address, vector, *this);
    else
      run = load_run_where(mask, address, vector, lane_memory(), *this);
    return is_backward ? reversed(run, *this) : run;
  }
  const int64_t small = machine.has_avx512() ? 2 * nest::kSmallStep : nest::kSmallStep;
  if (!mask_.lanes && !number.lanes && number.stride > 1 && number.stride <= small)
    return load_steps(pointer, vector, number.base, number.stride, *this);
  if (mask_.first > 0 && !number.lanes && number.stride > 1 && number.stride <= small)
    return load_first(vector, mask_.first, *this, [&](int lane, mlir::Type part) -> Value {
      Value own = add(number.base, i64(lane * number.stride));
      if (auto several = llvm::dyn_cast<mlir::VectorType>(part))
        return load_steps(pointer, several, own, number.stride, *this);
      return mlir::LLVM::LoadOp::create(b, type, address_of(pointer, type, own, *this));
    });
  Value mask = mask_.lanes;
  if (mask_.first > 0 && number.is_uniform())
    return splat(
        mlir::LLVM::LoadOp::create(b, type, address_of(pointer, type, number.base, *this)));
  if (mask && number.is_uniform())
    return splat(load_where_any(mask, address_of(pointer, type, number.base, *this), type, *this));
  if (knows_first() && mask_.first <= kFewLanes && !has_masked_gathers(machine, 8 * alignment)) {
    Value numbers = lanes_of(number), cells = nothing;
    for (int lane = 0; lane < mask_.first; ++lane) {
      Value own = mlir::LLVM::ExtractElementOp::create(b, numbers, i64(lane));
      Value cell = mlir::LLVM::LoadOp::create(b, type, address_of(pointer, type, own, *this));
      cells = mlir::LLVM::InsertElementOp::create(b, cells, cell, i64(lane));
    }
    return cells;
  }
  if (mask && !has_masked_gathers(machine, 8 * alignment))
    return gather_where(mask, pointer, lanes_of(number), vector, lane_memory(), *this);
  Value addresses = address_of(pointer, type, lanes_of(number), *this);
  return mlir::LLVM::masked_gather::create(b, vector, addresses, active_or_all(), nothing,
                                           alignment);
}

namespace {

/// A number as a constant and multiples of other values, by address.
struct NumberSum {
  std::map<const void*, int64_t> terms;
  int64_t constant = 0;

  void add(Value number, int64_t factor) {
    if (auto known = constant_of(number)) {
      constant += factor * *known;
    } else if (auto sum = number.getDefiningOp<mlir::arith::AddIOp>()) {
      add(sum.getLhs(), factor);
      add(sum.getRhs(), factor);
    } else if (auto product = number.getDefiningOp<mlir::arith::MulIOp>();
               product && constant_of(product.getRhs())) {
      add(product.getLhs(), factor * *constant_of(product.getRhs()));
    } else if (int64_t& own = terms[number.getAsOpaquePointer()]; (own += factor) == 0) {
      terms.erase(number.getAsOpaquePointer());
    }
  }
};

/// Whether a value is computed from one of `of`; also where that is not known.
bool may_depend(Value value, const std::map<const void*, int64_t>& of, int depth = 0) {
  constexpr int kDeepest = 8; // bound: deeper is not known
  if (of.contains(value.getAsOpaquePointer()))
    return true;
  mlir::Operation* op = value.getDefiningOp();
  if (!op)
    return false; // of a loop around
  return depth == kDeepest || op->getNumRegions() > 0 ||
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return may_depend(operand, of, depth + 1); });
}

} // namespace

/// The key by which all rows of a tile find an element's tile: its index, along the last dim beside
/// the row's own number. Null where that depends on the row.
std::optional<Emission::CellKey> Emission::tile_key(Value input, IndexSpan index) {
  const Value row = tile_->rows[tile_->row];
  NumberSum own;
  own.add(row, 1);
  if (own.terms.empty() && index.back().base != row)
    return std::nullopt; // rows are constants, of which nothing shows what else depends on them
  CellKey key{input.getAsOpaquePointer(), {}};
  for (auto [dim, place] : llvm::enumerate(index)) {
    NumberSum sum;
    sum.add(place.base, 1);
    if (dim + 1 == index.size())
      sum.add(row, -1);
    for (auto [term, factor] : sum.terms) {
      if (may_depend(Value::getFromOpaquePointer(term), own.terms))
        return std::nullopt;
      key.second.push_back(term);
      key.second.push_back(reinterpret_cast<const void*>(factor));
    }
    key.second.push_back(nullptr);
    key.second.push_back(reinterpret_cast<const void*>(sum.constant));
    key.second.push_back(reinterpret_cast<const void*>(place.stride));
  }
  return key;
}

Value Emission::cell_of_tile(Value input, int parameter, IndexSpan index) {
  if (!tile_ || index.empty() || !index.back().is_uniform() ||
      static_cast<size_t>(lanes_) != tile_->rows.size() || mask_.lanes != tile_->mask ||
      llvm::any_of(index, [](const Coordinate& place) { return place.lanes != nullptr; }))
    return {};
  // The row that asks first loads for all: where one place in front steps with the lanes.
  auto steps = [](const Coordinate& place) { return place.stride != 0; };
  auto across = llvm::find_if(index, steps);
  if (llvm::count_if(index, steps) != 1 || nest_.layout_of(input)) // rows in another direction
    return {};
  std::optional<CellKey> key = tile_key(input, index);
  if (!key)
    return {};
  if (auto known = tile_->cells.find(*key); known != tile_->cells.end())
    return known->second[tile_->row];
  if (frames_.size() != tile_->depth || b.getInsertionBlock() != tile_->body)
    return {};
  const size_t dim = across - index.begin();
  DType dtype = ir::dtype_of(input);
  mlir::Type type = memory_type(b.getContext(), dtype);
  Index at(index);
  at[dim].stride = 0;
  at.back() = sub(index.back().base, i64(static_cast<int64_t>(tile_->row)));
  Coordinate number = element_number(input, at);
  Value pitch = mul(strides_of(input)[dim], i64(across->stride));
  Values columns;
  const Mask outer = std::exchange(mask_, Mask()); // of the rows' lanes
  for (int lane = 0; lane < lanes_; ++lane) {
    // Lanes that take no part show the last that does.
    Value own = tile_->active
                    ? b.createOrFold<mlir::arith::MinSIOp>(i64(lane), sub(tile_->active, i64(1)))
                    : i64(lane);
    columns.push_back(load_lanes(pointers_[parameter], type,
                                 Coordinate::progression(add(number.base, mul(own, pitch)), 1)));
  }
  mask_ = outer;
  Values& rows = tile_->cells[*key];
  for (Value cells : transposed(columns, *this))
    rows.push_back(from_memory(cells, dtype));
  return rows[tile_->row];
}

void Emission::store_tile(Value result, IndexSpan index, ValueSpan vectors) {
  std::optional<int> parameter = output_of(result);
  const auto* across =
      llvm::find_if(index, [](const Coordinate& place) { return !place.is_uniform(); });
  if (!parameter)
    return;
  Index at(index);
  const size_t dim = across - index.begin();
  at[dim].stride = 0;
  Value number = element_number(result, at).base, pitch = strides_of(result)[dim];
  for (Value row : transposed(Values(vectors), *this)) {
    store(*parameter, ir::dtype_of(result), Coordinate::progression(number, 1), row);
    number = add(number, pitch);
  }
}

void Emission::store(Value pointer, DType dtype, const Coordinate& number, Value value) {
  store_cells(pointer, dtype, number, value, /*past_caches=*/false);
}

void Emission::store_cells(Value pointer, DType dtype, const Coordinate& number, Value value,
                           bool past_caches) {
  mlir::Type type = memory_type(b.getContext(), dtype);
  if (!number.is_uniform())
    value = spread(value);
  mlir::Type stored = type;
  auto vector = llvm::dyn_cast<mlir::VectorType>(value.getType());
  if (vector)
    stored = vector.clone(type);
  if (dtype == DType::boolean)
    value = mlir::arith::ExtUIOp::create(b, stored, value);
  KOLAM_CHECK(number.is_uniform() == !vector);
  if (vector && (number.lanes || number.stride != 1))
    return scatter_lanes(pointer, type, number, value);
  Value address = address_of(pointer, type, number.base, *this);
  int alignment = byte_size(type);
  if (knows_first()) {
    store_first(value, address, mask_.first, *this);
  } else if (mask_.lanes && !has_masked_moves(machine, 8 * alignment)) {
    store_run_where(mask_.lanes, address, value, lane_memory(), *this);
  } else if (mask_.lanes) {
    mlir::LLVM::MaskedStoreOp::create(b, value, address, mask_.lanes, alignment);
  } else if (past_caches && vector) {
    int bytes = std::min(machine.vector_bytes, lanes_ * alignment);
    mlir::LLVM::StoreOp::create(b, value, address, bytes, /*isVolatile=*/false,
                                /*isNonTemporal=*/true);
    needs_fence_ = true;
  } else {
    mlir::LLVM::StoreOp::create(b, value, address, alignment);
  }
}

Value Emission::active_or_all() {
  if (mask_.lanes)
    return mask_.lanes;
  auto type = mlir::VectorType::get({lanes_}, b.getI1Type());
  return mlir::arith::ConstantOp::create(b, mlir::DenseElementsAttr::get(type, true));
}

void Emission::scatter_lanes(Value pointer, mlir::Type type, const Coordinate& number,
                             Value value) {
  mlir::LLVM::masked_scatter::create(b, value, address_of(pointer, type, lanes_of(number), *this),
                                     active_or_all(), byte_size(type));
}

Value Emission::load(int parameter, DType dtype, const Coordinate& cell_number) {
  prefetch_lanes(parameter, dtype, cell_number, /*to_write=*/false);
  return load(pointers_[parameter], dtype, cell_number);
}

void Emission::prefetch(Value program_value, Value bytes_ahead) {
  auto output = llvm::find(nest_.outputs, program_value);
  ahead_[output != nest_.outputs.end() ? static_cast<int>(output - nest_.outputs.begin())
                                       : parameters_.at(program_value.getAsOpaquePointer())] =
      bytes_ahead;
}

/// A hint that a line is soon read or written.
static void emit_hint(Value address, bool to_write, mlir::ImplicitLocOpBuilder& b,
                      int32_t level = 1) {
  mlir::LLVM::Prefetch::create(b, address, /*rw=*/b.getI32IntegerAttr(to_write ? 1 : 0),
                               /*hint=*/b.getI32IntegerAttr(4 - level),
                               /*cache=*/b.getI32IntegerAttr(1));
}

void Emission::ask_for(Value pointer, DType dtype, Value number, int64_t bytes) {
  Value address = address_of(pointer, memory_type(b.getContext(), dtype), number, *this);
  emit_hint(advanced(address, i64(bytes)), /*to_write=*/false, b, /*level=*/2);
}

void Emission::prefetch_lanes(int parameter, DType dtype, const Coordinate& number, bool to_write) {
  const int64_t kLine = machine.caches.line;
  auto ahead = ahead_.find(parameter);
  if (ahead == ahead_.end() || lanes_ == 1 || mask_.lanes || number.lanes || number.stride != 1)
    return;
  mlir::Type type = memory_type(b.getContext(), dtype);
  Value address =
      advanced(address_of(pointers_[parameter], type, number.base, *this), ahead->second);
  for (int64_t line = 0; line < int64_t{lanes_} * byte_size(type); line += kLine)
    emit_hint(line == 0 ? address : advanced(address, i64(line)), to_write, b);
}

void Emission::store(int parameter, DType dtype, const Coordinate& cell_number, Value value) {
  prefetch_lanes(parameter, dtype, cell_number, /*to_write=*/true);
  store_cells(pointers_[parameter], dtype, cell_number, value, past_caches_);
}

Value Emission::lies_apart(int number, Value input) {
  Value other = buffer_of(input);
  return other ? mlir::LLVM::ICmpOp::create(b, mlir::LLVM::ICmpPredicate::ne, pointers_[number],
                                            other)
                     .getResult()
               : constant(DType::boolean, 1);
}

Value Emission::advanced(Value pointer, Value bytes) {
  return mlir::LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                                   llvm::ArrayRef<mlir::LLVM::GEPArg>{bytes});
}

Value Emission::working_memory(Value bytes) {
  auto pointer = mlir::LLVM::LLVMPointerType::get(b.getContext());
  Value slot = advanced(context_, i64(offsetof(abi::Context, scratch)));
  Value function = mlir::LLVM::LoadOp::create(b, pointer, slot);
  auto type = mlir::LLVM::LLVMFunctionType::get(pointer, {b.getI64Type()});
  return mlir::LLVM::CallOp::create(b, type, mlir::ValueRange{function, bytes}).getResult();
}

void Emission::with_working_memory(Value bytes, llvm::function_ref<void(Value)> body) {
  Value memory = working_memory(bytes);
  Value none = mlir::LLVM::ZeroOp::create(b, memory.getType());
  Value is_there = mlir::LLVM::ICmpOp::create(b, mlir::LLVM::ICmpPredicate::ne, memory, none);
  Value failed = mlir::arith::ConstantIntOp::create(b, b.getI32Type(), abi::out_of_memory);
  status = mlir::arith::SelectOp::create(b, is_there, status, failed);
  when(is_there, [&] { body(memory); });
}

Value Emission::lane_memory() {
  if (!lane_memory_) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(anchor_);
    auto pointer = mlir::LLVM::LLVMPointerType::get(b.getContext());
    Value size = i64(kLaneMemory);
    lane_memory_ = mlir::LLVM::AllocaOp::create(b, pointer, b.getI8Type(), size, /*alignment=*/64);
  }
  return lane_memory_;
}

Value Emission::scratch(DType dtype, int64_t count) {
  Value cells = i64(count * lanes_);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(anchor_);
  auto pointer = mlir::LLVM::LLVMPointerType::get(b.getContext());
  return mlir::LLVM::AllocaOp::create(b, pointer, memory_type(b.getContext(), dtype), cells,
                                      /*alignment=*/64);
}

} // namespace kolam::lower::cpu
