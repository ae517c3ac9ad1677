// Finds and computes the elements of a nest function.
#include "kolam/lower/emission.h"

#include "kolam/lower/ops.h"
#include "kolam/nest/lanes.h"
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

Emission::Emission(mlir::Location loc, mlir::OpBuilder& builder, const nest::Nest& nest,
                   const Machine& machine)
    : b(loc, builder), machine(machine), functions(machine), joined(nest), nest_(nest) {
  scopes_.emplace_back();
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
  Value value = extent.visit<Value>(
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
  assume(value, extent, extent, 0);
  return value;
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
  if (Value element = input_cell(program_value, index))
    return element;
  const void* key = program_value.getAsOpaquePointer();
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (auto found = scope->bound.find(key); found != scope->bound.end()) {
      auto cells = found->second; // a copy: emitting may add scopes
      return cells(index);
    }
  auto result = llvm::dyn_cast<mlir::OpResult>(program_value);
  KOLAM_CHECK(result);
  return cells(result.getOwner(), index)[result.getResultNumber()];
}

Value Emission::input_cell(Value program_value, IndexSpan index) {
  const bool is_number = llvm::all_of(index, [](const Coordinate& i) { return i.is_uniform(); }) &&
                         (index.empty() || !mask_.may_be_empty);
  const size_t depth = is_number ? depth_of_index(index) : frames_.size();
  if (depth == frames_.size() || !buffer_of(program_value))
    return input_element(program_value, index);
  CellKey key = key_of(program_value, index);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (auto found = scope->cells.find(key); found != scope->cells.end())
      return found->second;
  return in_front(depth, [&] {
    return Values{scopes_.back().cells[key] = input_element(program_value, index)};
  })[0];
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
  if (may_move(op, index))
    return in_front(depth_of_cells(op, index), emit);
  // Sums of lanes stand in front of loops that go over other elements.
  return op->getBlock() == nest_.root->getBlock() && nest::has_loop(op)
             ? in_front_by_lanes(depth_of_lanes(index), emit)
             : emit();
}

bool Emission::may_move(mlir::Operation* op, IndexSpan index) const {
  return llvm::all_of(index, [](const Coordinate& i) { return i.is_uniform(); }) &&
         op->getBlock() == nest_.root->getBlock() && (index.empty() || !mask_.may_be_empty);
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

void Emission::keep(mlir::Operation* op, IndexSpan outer,
                    std::function<Values(const Coordinate&)> at) {
  scopes_.back().kept.push_back({op, key_of(op->getResult(0), outer), std::move(at)});
}

Values Emission::kept_cells(mlir::Operation* op, IndexSpan index) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    for (const KeptCells& kept : scope->kept)
      if (kept.op == op && key_of(op->getResult(0), index.drop_back()) == kept.outer) {
        auto at = kept.at; // a copy: emitting may add scopes
        return at(index.back());
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

void Emission::bind_segment(Value offsets, Value segment) {
  scopes_.back().segments[offsets.getAsOpaquePointer()] = segment;
}

Value Emission::segment_of(Value offsets) const {
  for (const Scope& scope : llvm::reverse(scopes_))
    if (auto found = scope.segments.find(offsets.getAsOpaquePointer());
        found != scope.segments.end())
      return found->second;
  return {};
}

} // namespace kolam::lower
