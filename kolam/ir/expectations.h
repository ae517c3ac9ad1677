/// What verifiers expect of an op; where it is not so, a diagnostic says what was expected and what
/// came.
#pragma once

#include "kolam/ir/types.h"
#include "kolam/support/accumulate.h"
#include "kolam/support/error.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"

namespace kolam::ir {

/// "expected <what> to be ...". In each, `what` names the thing: "the result", "update 1".
llvm::LogicalResult expect_rank(mlir::Operation* op, mlir::Value value, int64_t rank,
                                const llvm::Twine& what);
llvm::LogicalResult expect_shape(mlir::Operation* op, mlir::Value value, const Shape& shape,
                                 const llvm::Twine& what);
/// Lets extents pass of which only the run can see that they differ.
llvm::LogicalResult expect_possible_shape(mlir::Operation* op, mlir::Value value,
                                          const Shape& shape, const llvm::Twine& what);
llvm::LogicalResult expect_dtype(mlir::Operation* op, mlir::Value value, DType dtype,
                                 const llvm::Twine& what);
llvm::LogicalResult expect_dtype(mlir::Operation* op, mlir::Value value, bool (*holds)(DType),
                                 llvm::StringRef words, const llvm::Twine& what);
/// Dtype and extents of `like`.
llvm::LogicalResult expect_type_of(mlir::Operation* op, mlir::Value value, mlir::Value like,
                                   const llvm::Twine& what);
/// Two factors of one dtype of numbers, and a result of the same kind.
llvm::LogicalResult expect_factors(mlir::Operation* op, mlir::Value lhs, mlir::Value rhs,
                                   mlir::Value result);
/// bf16 factors are taken in pairs, which no chunk may part.
llvm::LogicalResult expect_even_chunks(mlir::Operation* op, mlir::Value factor,
                                       const Accumulate& accumulate);
llvm::LogicalResult expect_count(mlir::Operation* op, int64_t actual, int64_t expected,
                                 const llvm::Twine& what);
llvm::LogicalResult expect_at_least(mlir::Operation* op, int64_t actual, int64_t least,
                                    const llvm::Twine& what);
/// Each number in [least, most].
llvm::LogicalResult expect_between(mlir::Operation* op, llvm::ArrayRef<int64_t> numbers,
                                   int64_t least, int64_t most, llvm::StringRef what);
llvm::LogicalResult expect_one_of(mlir::Operation* op, llvm::StringRef actual,
                                  llvm::ArrayRef<llvm::StringRef> expected, llvm::StringRef what);

enum class DimOrder : uint8_t { increasing, any };
/// Distinct dims in [0, rank).
llvm::LogicalResult expect_dims(mlir::Operation* op, llvm::ArrayRef<int64_t> dims, int64_t rank,
                                DimOrder order, llvm::StringRef what = "dims");

/// A region of one block with these arguments.
llvm::LogicalResult expect_arguments(mlir::Operation* op, mlir::Region& region,
                                     mlir::TypeRange types, llvm::StringRef what);
/// A region whose block yields these types. For `verifyRegions`, after the region itself was
/// verified.
llvm::LogicalResult expect_yields(mlir::Operation* op, mlir::Region& region, mlir::TypeRange types,
                                  llvm::StringRef what);
mlir::TypeRange yielded_types(mlir::Region& region);

/// Whether two extents are surely different: they differ by a number.
bool surely_differ(const Extent& x, const Extent& y);

/// Runs a verifier that computes with extents: their overflow becomes a diagnostic.
template <class F> llvm::LogicalResult without_overflow(mlir::Operation* op, F&& verify) {
  try {
    return verify();
  } catch (const Error& error) {
    return op->emitOpError(error.message());
  }
}

} // namespace kolam::ir
