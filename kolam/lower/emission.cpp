// Builds loops, memory accesses and cells of a nest function.
#include "kolam/lower/emission.h"

#include "kolam/lower/ops.h"
#include "kolam/support/error.h"

namespace kolam::lower {
namespace {

mlir::Type memory_type(mlir::MLIRContext* context, DType dtype) {
  return dtype == DType::boolean ? mlir::IntegerType::get(context, 8)
                                 : register_type(context, dtype);
}

bool is_constant(Value value, int64_t expected) {
  auto constant = value.getDefiningOp<mlir::arith::ConstantIntOp>();
  return constant && constant.value() == expected;
}

} // namespace

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
                   bool has_fma)
    : b(function.getLoc(), builder), has_fma(has_fma), nest_(nest), function_(function) {
  mlir::Block* entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  buffers_ = entry->getArgument(1);
  extents_ = entry->getArgument(2);
  begin_ = entry->getArgument(3);
  end_ = entry->getArgument(4);
  error_ = entry->getArgument(5);
  status = mlir::arith::ConstantIntOp::create(b, b.getI32Type(), 0);
  scopes_.emplace_back();

  auto pointer = mlir::LLVM::LLVMPointerType::get(b.getContext());
  auto add_parameter = [&](Value program_value) {
    int number = static_cast<int>(pointers_.size());
    Value slot = mlir::LLVM::GEPOp::create(b, pointer, pointer, buffers_,
                                           llvm::ArrayRef<mlir::LLVM::GEPArg>{number});
    pointers_.push_back(mlir::LLVM::LoadOp::create(b, pointer, slot));
    parameters_.try_emplace(program_value.getAsOpaquePointer(), number);
  };
  for (Value output : nest.outputs)
    add_parameter(output);
  // An output is being written: its cells are read from its op, never from its buffer.
  parameters_.clear();
  for (Value input : nest.inputs)
    add_parameter(input);
  for (auto [number, symbol] : llvm::enumerate(nest.symbols)) {
    Value slot =
        mlir::LLVM::GEPOp::create(b, pointer, b.getI64Type(), extents_,
                                  llvm::ArrayRef<mlir::LLVM::GEPArg>{static_cast<int32_t>(number)});
    bind_symbol(symbol, mlir::LLVM::LoadOp::create(b, b.getI64Type(), slot));
  }
}

void Emission::finish() { mlir::func::ReturnOp::create(b, status); }

Value Emission::i64(int64_t value) {
  return mlir::arith::ConstantIntOp::create(b, b.getI64Type(), value);
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

Values Emission::shape(Value program_value) {
  Values result;
  for (const Extent& dim : ir::shape_of(program_value))
    result.push_back(extent(dim));
  return result;
}

Value Emission::add(Value x, Value y) {
  if (is_constant(x, 0))
    return y;
  if (is_constant(y, 0))
    return x;
  return b.createOrFold<mlir::arith::AddIOp>(x, y);
}

Value Emission::sub(Value x, Value y) {
  return is_constant(y, 0) ? x : b.createOrFold<mlir::arith::SubIOp>(x, y);
}

Value Emission::mul(Value x, Value y) {
  if (is_constant(x, 1))
    return y;
  if (is_constant(y, 1))
    return x;
  return b.createOrFold<mlir::arith::MulIOp>(x, y);
}

Value Emission::clip(Value x, Value upper) {
  Value lifted = mlir::arith::MaxSIOp::create(b, x, i64(0));
  return mlir::arith::MinSIOp::create(b, lifted, upper);
}

Value Emission::cell(Value program_value, ValueSpan index) {
  const void* key = program_value.getAsOpaquePointer();
  if (auto found = parameters_.find(key); found != parameters_.end()) {
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

Values Emission::cells(mlir::Operation* op, ValueSpan index) {
  std::vector<const void*> key;
  for (Value i : index)
    key.push_back(i.getAsOpaquePointer());
  Values known;
  for (Value result : op->getResults()) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      auto found = scope->cells.find({result.getAsOpaquePointer(), key});
      if (found == scope->cells.end())
        continue;
      known.push_back(found->second);
      break;
    }
  }
  if (!known.empty() && known.size() == op->getNumResults())
    return known;
  Values values = dispatch_cells(op, index, *this);
  for (auto [result, value] : llvm::zip(op->getResults(), values))
    scopes_.back().cells[{result.getAsOpaquePointer(), key}] = value;
  return values;
}

Values Emission::region(mlir::Region& region, ValueSpan arguments, mlir::ValueRange captures) {
  enter();
  mlir::Block& block = region.front();
  auto parameters = block.getArguments();
  KOLAM_CHECK(parameters.size() == arguments.size() + captures.size());
  for (auto [parameter, argument] : llvm::zip(parameters, arguments))
    bind_cells(parameter, [argument](ValueSpan) { return argument; });
  for (auto [parameter, capture] : llvm::zip(parameters.drop_front(arguments.size()), captures))
    bind_cells(parameter, [this, capture](ValueSpan index) { return cell(capture, index); });
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

void Emission::bind_cells(Value argument, std::function<Value(ValueSpan)> cells) {
  scopes_.back().bound[argument.getAsOpaquePointer()] = std::move(cells);
}

void Emission::bind_symbol(const std::string& symbol, Value value) {
  scopes_.back().symbols[symbol] = value;
}

void Emission::loop(Value lower, Value upper, llvm::function_ref<void(Value)> body) {
  loop(lower, upper, {}, [&](Value i, ValueSpan) {
    body(i);
    return Values();
  });
}

Values Emission::loop(Value lower, Value upper, ValueSpan state,
                      llvm::function_ref<Values(Value, ValueSpan)> body) {
  auto loop = mlir::scf::ForOp::create(
      b, lower, upper, i64(1), state,
      [&](mlir::OpBuilder& inner, mlir::Location loc, Value i, mlir::ValueRange carried) {
        mlir::OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
        enter();
        Values next = body(i, Values(carried.begin(), carried.end()));
        leave();
        mlir::scf::YieldOp::create(b, next);
      });
  return Values(loop.getResults().begin(), loop.getResults().end());
}

void Emission::loops(ValueSpan shape, llvm::function_ref<void(ValueSpan)> body) {
  Values index;
  std::function<void(size_t)> nested = [&](size_t dim) {
    if (dim == shape.size())
      return body(index);
    loop(i64(0), shape[dim], [&](Value i) {
      index.push_back(i);
      nested(dim + 1);
      index.pop_back();
    });
  };
  nested(0);
}

Values Emission::choose(Value condition, llvm::function_ref<Values()> yes,
                        llvm::function_ref<Values()> no) {
  Values results;
  auto emit = [&](llvm::function_ref<Values()> branch) {
    return [&, branch](mlir::OpBuilder& inner, mlir::Location loc) {
      mlir::OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
      enter();
      Values values = branch();
      leave();
      mlir::scf::YieldOp::create(b, values);
    };
  };
  auto op = mlir::scf::IfOp::create(b, condition, emit(yes), emit(no));
  return Values(op.getResults().begin(), op.getResults().end());
}

void Emission::when(Value condition, llvm::function_ref<void()> body) {
  choose(
      condition,
      [&] {
        body();
        return Values();
      },
      [] { return Values(); });
}

Value Emission::load(Value pointer, DType dtype, Value cell_number) {
  mlir::Type type = memory_type(b.getContext(), dtype);
  Value address = mlir::LLVM::GEPOp::create(b, pointer.getType(), type, pointer,
                                            llvm::ArrayRef<mlir::LLVM::GEPArg>{cell_number});
  Value value = mlir::LLVM::LoadOp::create(b, type, address);
  if (dtype == DType::boolean)
    return mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::ne, value,
                                       mlir::arith::ConstantIntOp::create(b, type, 0));
  return value;
}

void Emission::store(Value pointer, DType dtype, Value cell_number, Value value) {
  mlir::Type type = memory_type(b.getContext(), dtype);
  if (dtype == DType::boolean)
    value = mlir::arith::ExtUIOp::create(b, type, value);
  Value address = mlir::LLVM::GEPOp::create(b, pointer.getType(), type, pointer,
                                            llvm::ArrayRef<mlir::LLVM::GEPArg>{cell_number});
  mlir::LLVM::StoreOp::create(b, value, address);
}

Value Emission::load(int parameter, DType dtype, Value cell_number) {
  return load(pointers_[parameter], dtype, cell_number);
}

void Emission::store(int parameter, DType dtype, Value cell_number, Value value) {
  store(pointers_[parameter], dtype, cell_number, value);
}

Value Emission::scratch(DType dtype, int64_t count) {
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function_.getBody().front());
  auto pointer = mlir::LLVM::LLVMPointerType::get(b.getContext());
  return mlir::LLVM::AllocaOp::create(b, pointer, memory_type(b.getContext(), dtype), i64(count));
}

Value Emission::ravel(ValueSpan index, ValueSpan shape) {
  Value flat = i64(0);
  for (auto [i, extent] : llvm::zip(index, shape))
    flat = add(mul(flat, extent), i);
  return flat;
}

Values Emission::unravel(Value number, ValueSpan shape) {
  Values index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (dim == 0) {
      index[0] = number;
      break;
    }
    // A zero extent has no cells; dividing by at least 1 keeps the code defined.
    Value extent = mlir::arith::MaxSIOp::create(b, shape[dim], i64(1));
    index[dim] = mlir::arith::RemSIOp::create(b, number, extent);
    number = mlir::arith::DivSIOp::create(b, number, extent);
  }
  return index;
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
