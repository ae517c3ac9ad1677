/// Emitting one nest: loops, memory, extents, and the value of any cell of the program inside it.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/nest/nest.h"
#include "kolam/support/abi.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>
#include <map>
#include <vector>

namespace kolam::lower {

using mlir::Value;
using Values = llvm::SmallVector<Value>;
using ValueSpan = llvm::ArrayRef<Value>;

/// How a dtype is held in registers: the signless integer of its width, i1 for booleans, f32 and
/// f64 as they are; f16 and bf16 as i16 (support/scalar/convert.h computes on them).
mlir::Type register_type(mlir::MLIRContext* context, DType dtype);

/// The body of one nest function under construction. Index values and extents are i64.
///
/// A cell of a program value is found, in this order: in a buffer of the nest, as a bound region
/// argument, or by the cells of its op (one `emit_cells` per op, in the file of its name), so
/// producers are computed where they are consumed. A cell once computed is reused as long as its
/// block dominates.
class Emission {
public:
  Emission(mlir::OpBuilder& builder, const nest::Nest& nest, mlir::func::FuncOp function,
           bool has_fma);

  mlir::ImplicitLocOpBuilder b;
  const bool has_fma;

  Value i64(int64_t value);
  /// A constant of a register type of `dtype`; floats convert from `value`.
  Value constant(DType dtype, double value);
  Value extent(const Extent& extent);
  /// The extents of a program value.
  Values shape(Value program_value);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  /// min(max(x, 0), upper)
  Value clip(Value x, Value upper);

  /// One cell of one result of an op, or of a block argument.
  Value cell(Value program_value, ValueSpan index);
  /// The same cell of all results of an op.
  Values cells(mlir::Operation* op, ValueSpan index);
  /// A region over rank-0 values: its arguments bound to `arguments`, what it yields computed.
  /// `more` binds further arguments (captures) first.
  Values region(mlir::Region& region, ValueSpan arguments, mlir::ValueRange captures = {});
  /// What a block whose arguments are bound yields, as scalars. Scalars are computed where they
  /// stand, so that loops of later ops reuse them.
  Values yielded(mlir::Block& block);
  /// Makes `argument` stand for `f(index)` cells, and a symbol for a value, until `leave`.
  void enter();
  void leave();
  void bind_cells(Value argument, std::function<Value(ValueSpan)> cells);
  void bind_symbol(const std::string& symbol, Value value);
  /// The point of the iteration space that kolam.iter_index reads.
  std::vector<Value> point;

  /// for i in [lower, upper): body(i)
  void loop(Value lower, Value upper, llvm::function_ref<void(Value)> body);
  /// The same with carried values: state = body(i, state).
  Values loop(Value lower, Value upper, ValueSpan state,
              llvm::function_ref<Values(Value, ValueSpan)> body);
  /// Nested loops over a box, the last dim innermost.
  void loops(ValueSpan shape, llvm::function_ref<void(ValueSpan)> body);
  Values choose(Value condition, llvm::function_ref<Values()> yes, llvm::function_ref<Values()> no);
  void when(Value condition, llvm::function_ref<void()> body);

  /// Memory of the nest's buffers, by cell number.
  Value load(int parameter, DType dtype, Value cell_number);
  void store(int parameter, DType dtype, Value cell_number, Value value);
  /// Scratch memory on the stack, made once at the function's start.
  Value scratch(DType dtype, int64_t count);
  Value load(Value pointer, DType dtype, Value cell_number);
  void store(Value pointer, DType dtype, Value cell_number, Value value);
  Value ravel(ValueSpan index, ValueSpan shape);
  Values unravel(Value number, ValueSpan shape);

  /// Fills the error record: a check failed at `flat_index`. The caller also sets `status`.
  void record_error(mlir::Operation* op, Value flat_index);
  /// What the function returns: an ErrorCode.
  Value status;

  const nest::Nest& nest() const { return nest_; }
  Value begin() const { return begin_; }
  Value end() const { return end_; }
  void finish();

private:
  using CellKey = std::pair<const void*, std::vector<const void*>>;
  struct Scope {
    std::map<CellKey, Value> cells;
    std::map<const void*, std::function<Value(ValueSpan)>> bound;
    std::map<std::string, Value> symbols;
  };

  const nest::Nest& nest_;
  mlir::func::FuncOp function_;
  Value buffers_, extents_, begin_, end_, error_;
  std::vector<Scope> scopes_;
  std::map<const void*, int> parameters_; // program value to the nest's parameter that holds it
  std::vector<Value> pointers_;
};

} // namespace kolam::lower
