// Checks what verifiers share.
#include "kolam/ir/expectations.h"

namespace kolam::ir {
namespace {

std::string text_of(llvm::ArrayRef<int64_t> numbers) {
  return "[" +
         llvm::join(llvm::map_range(numbers, [](int64_t n) { return std::to_string(n); }), ", ") +
         "]";
}

} // namespace

bool surely_differ(const Extent& x, const Extent& y) {
  if (x.is_constant() && y.is_constant())
    return !(x == y);
  try {
    return (x - y).constant().value_or(0) != 0;
  } catch (const Error&) {
    return false;
  }
}

llvm::LogicalResult expect_rank(mlir::Operation* op, mlir::Value value, int64_t rank,
                                const llvm::Twine& what) {
  if (rank_of(value) == rank)
    return mlir::success();
  return op->emitOpError("expected ")
         << what << " to have rank " << rank << ", but got " << value.getType();
}

llvm::LogicalResult expect_shape(mlir::Operation* op, mlir::Value value, const Shape& shape,
                                 const llvm::Twine& what) {
  if (shape_of(value) == shape)
    return mlir::success();
  return op->emitOpError("expected ") << what << " to have shape " << to_string(shape)
                                      << ", but got " << to_string(shape_of(value));
}

llvm::LogicalResult expect_possible_shape(mlir::Operation* op, mlir::Value value,
                                          const Shape& shape, const llvm::Twine& what) {
  Shape actual = shape_of(value);
  bool possible = actual.size() == shape.size();
  for (size_t dim = 0; possible && dim < shape.size(); ++dim)
    possible = !surely_differ(actual[dim], shape[dim]);
  return possible ? mlir::success() : expect_shape(op, value, shape, what);
}

llvm::LogicalResult expect_dtype(mlir::Operation* op, mlir::Value value, DType dtype,
                                 const llvm::Twine& what) {
  if (dtype_of(value) == dtype)
    return mlir::success();
  return op->emitOpError("expected ") << what << " to have dtype " << llvm::StringRef(name(dtype))
                                      << ", but got " << llvm::StringRef(name(dtype_of(value)));
}

llvm::LogicalResult expect_dtype(mlir::Operation* op, mlir::Value value, bool (*holds)(DType),
                                 llvm::StringRef words, const llvm::Twine& what) {
  if (holds(dtype_of(value)))
    return mlir::success();
  return op->emitOpError("expected ")
         << what << " to have " << words << ", but got " << llvm::StringRef(name(dtype_of(value)));
}

llvm::LogicalResult expect_type_of(mlir::Operation* op, mlir::Value value, mlir::Value like,
                                   const llvm::Twine& what) {
  if (value.getType() == like.getType())
    return mlir::success();
  return op->emitOpError("expected ")
         << what << " to have type " << like.getType() << ", but got " << value.getType();
}

llvm::LogicalResult expect_factors(mlir::Operation* op, mlir::Value lhs, mlir::Value rhs,
                                   mlir::Value result) {
  DType dtype = dtype_of(lhs);
  auto is_number = [](DType given) { return given != DType::boolean; };
  if (failed(expect_dtype(op, lhs, is_number, "a dtype of numbers", "the first operand")) ||
      failed(expect_dtype(op, rhs, dtype, "the second operand")))
    return mlir::failure();
  return is_float(dtype) ? expect_dtype(op, result, is_float, "a dtype of floats", "the result")
                         : expect_dtype(op, result, is_integer, "an integer dtype", "the result");
}

llvm::LogicalResult expect_even_chunks(mlir::Operation* op, mlir::Value factor,
                                       const Accumulate& accumulate) {
  if (dtype_of(factor) != DType::bf16 || accumulate.chunk % 2 == 0)
    return mlir::success();
  return op->emitOpError("expected an even chunk for bfloat16, but got ") << accumulate.chunk;
}

llvm::LogicalResult expect_count(mlir::Operation* op, int64_t actual, int64_t expected,
                                 const llvm::Twine& what) {
  if (actual == expected)
    return mlir::success();
  return op->emitOpError("expected ") << expected << " " << what << ", but got " << actual;
}

llvm::LogicalResult expect_at_least(mlir::Operation* op, int64_t actual, int64_t least,
                                    const llvm::Twine& what) {
  if (actual >= least)
    return mlir::success();
  return op->emitOpError("expected at least ") << least << " " << what << ", but got " << actual;
}

llvm::LogicalResult expect_between(mlir::Operation* op, llvm::ArrayRef<int64_t> numbers,
                                   int64_t least, int64_t most, llvm::StringRef what) {
  for (int64_t number : numbers)
    if (number < least || number > most)
      return op->emitOpError("expected ")
             << what << " from " << least << " to " << most << ", but got " << number;
  return mlir::success();
}

llvm::LogicalResult expect_one_of(mlir::Operation* op, llvm::StringRef actual,
                                  llvm::ArrayRef<llvm::StringRef> expected, llvm::StringRef what) {
  if (llvm::is_contained(expected, actual))
    return mlir::success();
  return op->emitOpError("expected ") << what << " to be one of " << llvm::join(expected, ", ")
                                      << ", but got '" << actual << "'";
}

llvm::LogicalResult expect_dims(mlir::Operation* op, llvm::ArrayRef<int64_t> dims, int64_t rank,
                                DimOrder order, llvm::StringRef what) {
  bool sound = true;
  for (size_t i = 0; i < dims.size(); ++i) {
    sound &= dims[i] >= 0 && dims[i] < rank && !llvm::is_contained(dims.take_front(i), dims[i]);
    sound &= i == 0 || order == DimOrder::any || dims[i - 1] < dims[i];
  }
  if (sound)
    return mlir::success();
  return op->emitOpError("expected ")
         << what << " to be " << (order == DimOrder::any ? "distinct" : "strictly increasing")
         << " and below " << rank << ", but got " << text_of(dims);
}

llvm::LogicalResult expect_arguments(mlir::Operation* op, mlir::Region& region,
                                     mlir::TypeRange types, llvm::StringRef what) {
  if (!region.hasOneBlock())
    return op->emitOpError("expected ")
           << what << " to have one block, but got " << region.getBlocks().size();
  if (mlir::TypeRange(region.getArgumentTypes()) == types)
    return mlir::success();
  return op->emitOpError("expected ")
         << what << " to take (" << types << "), but got (" << region.getArgumentTypes() << ")";
}

mlir::TypeRange yielded_types(mlir::Region& region) {
  return region.front().getTerminator()->getOperandTypes();
}

llvm::LogicalResult expect_yields(mlir::Operation* op, mlir::Region& region, mlir::TypeRange types,
                                  llvm::StringRef what) {
  if (yielded_types(region) == types)
    return mlir::success();
  return op->emitOpError("expected ")
         << what << " to yield (" << types << "), but got (" << yielded_types(region) << ")";
}

} // namespace kolam::ir
