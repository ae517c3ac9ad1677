// Finds and computes the elements of a nest function.
#include "kolam/lower/emission.h"

#include "kolam/lower/ops.h"
#include "kolam/support/error.h"

namespace kolam::lower {
mlir::Type register_type(mlir::MLIRContext* context, DType dtype) {
  switch (dtype) {
  case DType::boolean:
    return mlir::IntegerType::get(context, 1);
  case DType::f32:
    return mlir::Float32Type::get(context);
  case DType::f64:
    return mlir::Float64Type::get(context);
  default:
    return mlir::IntegerType::get(context, 8 * byte_width(dtype));
  }
}

Emission::Emission(mlir::OpBuilder& builder, const nest::Nest& nest, mlir::func::FuncOp function,
                   const Machine& machine, nest::Schedule schedule)
    : b(function.getLoc(), builder), machine(machine), schedule(std::move(schedule)), joined(nest),
      nest_(nest), function_(function) {
  mlir::Block* entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  context_ = entry->getArgument(0);
  buffers_ = entry->getArgument(1);
  extents_ = entry->getArgument(2);
  begin_ = entry->getArgument(3);
  end_ = entry->getArgument(4);
  error_ = entry->getArgument(5);
  status = mlir::arith::ConstantIntOp::create(b, b.getI32Type(), 0);
  anchor_ = status.getDefiningOp();
  scopes_.emplace_back();

  auto pointer = mlir::LLVM::LLVMPointerType::get(b.getContext());
  auto next_parameter = [&] {
    Value slot = mlir::LLVM::GEPOp::create(
        b, pointer, pointer, buffers_,
        llvm::ArrayRef<mlir::LLVM::GEPArg>{static_cast<int32_t>(pointers_.size())});
    pointers_.push_back(mlir::LLVM::LoadOp::create(b, pointer, slot));
    return pointers_.back();
  };
  packed_.resize(nest.products.size());
  if (nest.packs)
    packed_[0] = next_parameter();
  // An output is being written: its elements are read from its op, never from its buffer.
  for (size_t output = 0; output < nest.outputs.size(); ++output)
    next_parameter();
  for (Value input : nest.inputs) {
    parameters_.try_emplace(input.getAsOpaquePointer(), static_cast<int>(pointers_.size()));
    next_parameter();
  }
  for (auto [product, packed] : llvm::zip(nest.products, packed_))
    if (product.is_packed_before)
      packed = next_parameter();
  for (auto [number, symbol] : llvm::enumerate(nest.symbols)) {
    Value slot =
        mlir::LLVM::GEPOp::create(b, pointer, b.getI64Type(), extents_,
                                  llvm::ArrayRef<mlir::LLVM::GEPArg>{static_cast<int32_t>(number)});
    bind_symbol(symbol, mlir::LLVM::LoadOp::create(b, b.getI64Type(), slot));
  }
}

void Emission::finish() {
  if (needs_fence_)
    mlir::LLVM::FenceOp::create(b, mlir::LLVM::AtomicOrdering::seq_cst);
  if (cancel_flag_) {
    Value stopped = mlir::arith::ConstantIntOp::create(b, b.getI32Type(), abi::cancelled);
    status = mlir::arith::SelectOp::create(b, is_cancelled(), stopped, status);
  }
  mlir::func::ReturnOp::create(b, status);
}

Value Emission::i64(int64_t value) {
  Value& number = numbers_[value];
  if (!number) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(anchor_);
    number = mlir::arith::ConstantIntOp::create(b, b.getI64Type(), value);
  }
  return number;
}

Value Emission::constant(DType dtype, double value) {
  mlir::Type type = register_type(b.getContext(), dtype);
  KOLAM_CHECK(!is_narrow_float(dtype) || value == 0);
  if (auto float_type = llvm::dyn_cast<mlir::FloatType>(type))
    return mlir::arith::ConstantOp::create(b, b.getFloatAttr(float_type, value));
  return mlir::arith::ConstantIntOp::create(b, type, static_cast<int64_t>(value));
}

Value Emission::extent(const Extent& extent) {
  return extent.visit<Value>(
      [&](int64_t value) { return i64(value); },
      [&](const std::string& symbol) {
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
          if (auto found = scope->symbols.find(symbol); found != scope->symbols.end())
            return found->second;
        KOLAM_CHECK(!"a bound symbol");
        return Value();
      },
      [&](char op, Value x, Value y) -> Value {
        switch (op) {
        case '+':
          return add(x, y);
        case '*':
          return mul(x, y);
        case 'm':
          return mlir::arith::MinSIOp::create(b, x, y);
        case 'M':
          return mlir::arith::MaxSIOp::create(b, x, y);
        default: {
          // A divisor that is not positive gives 0.
          Value defined =
              mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::sgt, y, i64(0));
          Value divisor = mlir::arith::SelectOp::create(b, defined, y, i64(1));
          Value quotient = op == 'f' ? mlir::arith::FloorDivSIOp::create(b, x, divisor).getResult()
                                     : mlir::arith::CeilDivSIOp::create(b, x, divisor).getResult();
          return mlir::arith::SelectOp::create(b, defined, quotient, i64(0));
        }
        }
      });
}

std::optional<int> Emission::output_of(Value result) const {
  auto found = llvm::find(nest_.outputs, result);
  if (found == nest_.outputs.end())
    return std::nullopt;
  return static_cast<int>(found - nest_.outputs.begin());
}

Values Emission::shape(Value program_value) {
  Values result;
  for (const Extent& dim : ir::shape_of(program_value))
    result.push_back(extent(dim));
  return result;
}

Emission::CellKey Emission::key_of(Value program_value, IndexSpan index) const {
  CellKey key{program_value.getAsOpaquePointer(), {}};
  for (const Coordinate& i : index) {
    key.second.push_back(i.base.getAsOpaquePointer());
    key.second.push_back(i.lanes.getAsOpaquePointer());
    key.second.push_back(reinterpret_cast<const void*>(i.stride));
    if (i.is_uniform())
      continue;
    // Lanes that do not count have no elements.
    key.second.push_back(reinterpret_cast<const void*>(static_cast<intptr_t>(lanes_)));
    key.second.push_back(mask_.lanes.getAsOpaquePointer());
  }
  return key;
}

Value Emission::cell(Value program_value, IndexSpan index) {
  const void* key = program_value.getAsOpaquePointer();
  if (auto found = parameters_.find(key); found != parameters_.end()) {
    if (Value known = cell_of_tile(program_value, found->second, index))
      return known;
    DType dtype = ir::dtype_of(program_value);
    return load(found->second, dtype, ravel(index, shape(program_value)));
  }
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (auto found = scope->bound.find(key); found != scope->bound.end()) {
      auto cells = found->second; // a copy: emitting may add scopes
      return cells(index);
    }
  auto result = llvm::dyn_cast<mlir::OpResult>(program_value);
  KOLAM_CHECK(result);
  return cells(result.getOwner(), index)[result.getResultNumber()];
}

Values Emission::cells(mlir::Operation* op, IndexSpan index) {
  Values known;
  for (Value result : op->getResults()) {
    CellKey key = key_of(result, index);
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      auto found = scope->cells.find(key);
      if (found == scope->cells.end())
        continue;
      known.push_back(found->second);
      break;
    }
  }
  if (!known.empty() && known.size() == op->getNumResults())
    return known;
  if (Values kept = kept_cells(op, index); !kept.empty())
    return kept;
  auto emit = [&] {
    Values values = dispatch_cells(op, index, *this);
    for (auto [result, value] : llvm::zip(op->getResults(), values))
      scopes_.back().cells[key_of(result, index)] = value;
    return values;
  };
  return may_move(op, index) ? in_front(depth_of_cells(op, index), emit) : emit();
}

bool Emission::may_move(mlir::Operation* op, IndexSpan index) const {
  return llvm::all_of(index, [](const Coordinate& i) { return i.is_uniform(); }) &&
         op->getBlock() == nest_.root->getBlock() && !mask_.may_be_empty;
}

Values Emission::once_at(mlir::Operation* op, IndexSpan index, llvm::function_ref<Values()> emit) {
  CellKey key = key_of(op->getResult(0), index);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (auto found = scope->once.find(key); found != scope->once.end())
      return found->second;
  auto keep = [&] {
    Values values = emit(); // which may add scopes
    return scopes_.back().once[key] = values;
  };
  return may_move(op, index) ? in_front(depth_of_cells(op, index), keep) : keep();
}

void Emission::remember(Value program_value, IndexSpan index, Value cell) {
  scopes_.back().cells[key_of(program_value, index)] = cell;
}

void Emission::keep(mlir::Operation* op, IndexSpan outer, Value first, ValueSpan pointers) {
  scopes_.back().kept.push_back(
      {op, key_of(op->getResult(0), outer), first, Values(pointers.begin(), pointers.end())});
}

Values Emission::kept_cells(mlir::Operation* op, IndexSpan index) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    for (const KeptCells& kept : scope->kept) {
      if (kept.op != op || key_of(op->getResult(0), index.drop_back()) != kept.outer)
        continue;
      Values cells;
      for (auto [result, pointer] : llvm::zip(op->getResults(), kept.pointers))
        cells.push_back(load(pointer, ir::dtype_of(result), sub(index.back(), kept.first)));
      return cells;
    }
  return {};
}

Values Emission::region(mlir::Region& region, ValueSpan arguments, mlir::ValueRange captures) {
  enter();
  mlir::Block& block = region.front();
  auto parameters = block.getArguments();
  KOLAM_CHECK(parameters.size() == arguments.size() + captures.size());
  for (auto [parameter, argument] : llvm::zip(parameters, arguments))
    bind_cells(parameter, [argument](IndexSpan) { return argument; });
  for (auto [parameter, capture] : llvm::zip(parameters.drop_front(arguments.size()), captures))
    bind_cells(parameter, [this, capture](IndexSpan index) { return cell(capture, index); });
  Values results = yielded(block);
  leave();
  return results;
}

Values Emission::yielded(mlir::Block& block) {
  auto is_scalar = [](Value value) { return ir::rank_of(value) == 0; };
  for (mlir::Operation& op : block.without_terminator())
    if (llvm::all_of(op.getResults(), is_scalar))
      cells(&op, {});
  Values results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(cell(value, {}));
  return results;
}

void Emission::enter() { scopes_.emplace_back(); }
void Emission::leave() { scopes_.pop_back(); }

void Emission::bind_cells(Value argument, std::function<Value(IndexSpan)> cells) {
  scopes_.back().bound[argument.getAsOpaquePointer()] = std::move(cells);
}

void Emission::bind_symbol(const std::string& symbol, Value value) {
  scopes_.back().symbols[symbol] = value;
}

void Emission::record_error(mlir::Operation* op, Value flat_index) {
  auto pointer = error_.getType();
  auto put = [&](int64_t offset, Value value) {
    Value address =
        mlir::LLVM::GEPOp::create(b, pointer, b.getI8Type(), error_,
                                  llvm::ArrayRef<mlir::LLVM::GEPArg>{static_cast<int32_t>(offset)});
    mlir::LLVM::StoreOp::create(b, value, address);
  };
  auto i32 = [&](int64_t value) {
    return mlir::arith::ConstantIntOp::create(b, b.getI32Type(), value);
  };
  put(offsetof(abi::ErrorRecord, code), i32(abi::check_failed));
  put(offsetof(abi::ErrorRecord, op), i32(0));
  put(offsetof(abi::ErrorRecord, index), flat_index);
}

} // namespace kolam::lower
