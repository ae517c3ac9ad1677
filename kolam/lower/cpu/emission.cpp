// The interface of a nest function, and what the CPU says for itself of sums and memory.
#include "kolam/lower/cpu/emission.h"

#include "kolam/lower/cpu/apart.h"
#include "kolam/lower/cpu/fetch_ahead.h"
#include "kolam/lower/cpu/product.h"
#include "kolam/lower/cpu/reduction.h"
#include "kolam/lower/window.h"
#include "kolam/support/error.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kolam::lower::cpu {

Emission::Emission(mlir::OpBuilder& builder, const nest::Nest& nest, mlir::func::FuncOp function,
                   const Machine& machine, nest::Schedule schedule)
    : lower::Emission(function.getLoc(), builder, nest, machine), schedule(std::move(schedule)),
      function_(function) {
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
  if (!groups_.empty())
    cpu::tell_apart(function_, pointers_, groups_);
}

std::optional<int> Emission::parameter_of(Value input) const {
  auto found = parameters_.find(input.getAsOpaquePointer());
  return found == parameters_.end() ? std::nullopt : std::optional(found->second);
}

Value Emission::buffer_of(Value program_value) const {
  std::optional<int> parameter = parameter_of(program_value);
  return parameter ? pointers_[*parameter] : Value();
}

std::optional<int> Emission::output_of(Value result) const {
  auto found = llvm::find(nest_.outputs, result);
  if (found == nest_.outputs.end())
    return std::nullopt;
  return static_cast<int>(found - nest_.outputs.begin());
}

Value Emission::input_element(Value program_value, IndexSpan index) {
  auto found = parameters_.find(program_value.getAsOpaquePointer());
  if (found == parameters_.end())
    return {};
  if (Value known = cell_of_tile(program_value, found->second, index))
    return known;
  if (Value known = cell_of_rows(program_value, found->second, index))
    return known;
  return load(found->second, ir::dtype_of(program_value), element_number(program_value, index));
}

void Emission::store_result(Value result, IndexSpan index, Value cell) {
  if (std::optional<int> parameter = output_of(result))
    store(*parameter, ir::dtype_of(result), element_number(result, index), cell);
}

Values Emission::reduced(const ReductionCode& code, IndexSpan kept) {
  return emit_reductions(code, Index(kept), *this)[0];
}

Values Emission::sums(ProductArithmetic& product, const Accumulate& order, ValueSpan summed,
                      size_t sums, const Factors& factors) {
  return emit_sums(product, {order}, summed, sums, factors, *this);
}

/// vcvtneps2bf16, which takes denormals for zeros; such sums are flushed.
Value Emission::narrowed_pairs(Value sums) {
  auto vector = llvm::dyn_cast<mlir::VectorType>(sums.getType());
  if (!machine.has_bf16_dots || !vector || vector.getNumElements() != 16)
    return {};
  mlir::Type narrow = mlir::VectorType::get(vector.getShape(), b.getBF16Type());
  auto name = b.getStringAttr("llvm.x86.avx512bf16.cvtneps2bf16.512");
  auto call = mlir::LLVM::CallIntrinsicOp::create(b, narrow, name, mlir::ValueRange{sums});
  mlir::Type bits = mlir::VectorType::get(vector.getShape(), b.getI16Type());
  return mlir::LLVM::BitcastOp::create(b, bits, call.getResult(0));
}

void Emission::window_comes(const FarWindows& windows, IndexSpan batch) {
  if (are_fetched_ahead(windows, *this))
    emit_fetch_ahead(windows, batch, i64(0), extent(cells_in_a_row(windows)), {}, *this);
}

void Emission::keep(mlir::Operation* op, IndexSpan outer, Value first, ValueSpan pointers) {
  lower::Emission::keep(op, outer, [this, op, first, own = Values(pointers)](const Coordinate& i) {
    Values cells;
    for (auto [result, pointer] : llvm::zip(op->getResults(), own))
      cells.push_back(load(pointer, ir::dtype_of(result), sub(i, first)));
    return cells;
  });
}

Value Emission::is_cancelled() {
  mlir::Type i32 = b.getI32Type();
  if (!cancel_flag_) { // the context has none where nobody stops the call
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(anchor_);
    auto pointer = mlir::LLVM::LLVMPointerType::get(b.getContext());
    Value one = mlir::arith::ConstantIntOp::create(b, b.getI64Type(), 1);
    Value never = mlir::LLVM::AllocaOp::create(b, pointer, i32, one);
    mlir::LLVM::StoreOp::create(b, mlir::arith::ConstantIntOp::create(b, i32, 0), never);
    Value slot = mlir::LLVM::GEPOp::create(
        b, pointer, b.getI8Type(), context_,
        llvm::ArrayRef<mlir::LLVM::GEPArg>{static_cast<int32_t>(offsetof(abi::Context, cancel))});
    Value flag = mlir::LLVM::LoadOp::create(b, pointer, slot);
    Value null = mlir::LLVM::ZeroOp::create(b, pointer);
    Value has_none = mlir::LLVM::ICmpOp::create(b, mlir::LLVM::ICmpPredicate::eq, flag, null);
    cancel_flag_ = mlir::LLVM::SelectOp::create(b, has_none, never, flag);
  }
  Value set = mlir::LLVM::LoadOp::create(b, i32, cancel_flag_, /*alignment=*/4,
                                         /*isVolatile=*/true);
  return mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::ne, set,
                                     mlir::arith::ConstantIntOp::create(b, i32, 0));
}

void Emission::with_tile(ValueSpan rows, Value active, llvm::function_ref<void()> body) {
  tile_ = {Values(rows.begin(), rows.end()),
           frames_.size(),
           b.getInsertionBlock(),
           active,
           mask_.lanes,
           {},
           0};
  body();
  tile_.reset();
}

void Emission::with_streams(bool past_caches, llvm::function_ref<void()> body) {
  bool outer = std::exchange(past_caches_, past_caches);
  body();
  past_caches_ = outer;
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

} // namespace kolam::lower::cpu
