/// Sums of products in a nest, seen as products of matrices.
#pragma once

#include "kolam/nest/relation.h"
#include "kolam/support/accumulate.h"
#include "kolam/support/dtype.h"
#include "kolam/support/extent.h"
#include "kolam/support/machine.h"

#include "mlir/IR/Operation.h"

#include <optional>
#include <vector>

namespace kolam::nest {

/// Which dims of a result are which of the dims of a batch of matrices. The columns are the last
/// dim, along which one factor alone changes; the rows are the dims along which the other alone
/// does; what is left is the batch.
///
/// Grouped: data chooses the columns of each place along the first dim of the rows. Neighbours with
/// the same columns are one matrix, found when the nest runs.
struct MatrixDims {
  std::vector<int> batch, rows;
  bool is_grouped = false;
  friend bool operator==(const MatrixDims&, const MatrixDims&) = default;
};

/// A contraction, or a convolution without padding, whose sums go by chains:
///
///     result[batch, rows, column] = sum over summed of rows_of[batch, rows, summed]
///                                                    * columns_of[batch, summed, column]
struct Product {
  mlir::Operation* op;
  unsigned rows_of, columns_of; ///< the operands' numbers
  MatrixDims dims;
  /// The columns are read from a buffer into which another nest has packed them.
  bool is_packed_before = false;
};

/// The op as a product of matrices; nullopt where it is none.
std::optional<Product> as_product(mlir::Operation* op, analysis::Signatures& signatures);

/// The rows of each matrix, and how many products an element sums.
Extent row_count(const Product& product);
Extent summed_count(const Product& product);

/// What sums are held in, and what factors are held in while they wait for it: bf16 and f16
/// accumulate in f32.
DType sum_dtype(const Product& product);
DType held_dtype(const Product& product, const Machine& machine);
/// How many factors the machine multiplies and adds in one lane of 32 bits; 0 where it cannot.
int dot_group(DType factor, DType result, const Machine& machine);
/// In which order products are summed, and whether that is one chain: where there are no more than
/// a chunk, and of integers, whose order shows in no bit.
Accumulate accumulate_of(const Product& product);
bool is_one_chain(const Product& product);

/// The rows and columns of one unit of the parallel range of a nest's products. Units are numbered
/// batch by batch, then by columns, then by rows, so that neighbours share columns. Tiles divide
/// units.
struct UnitShape {
  int64_t rows, columns;
};
/// Small units where there are few and tiles of them are as good, so that threads get equal parts.
/// Rows of which there are at most kTiles.few_rows are one unit.
UnitShape unit_of(llvm::ArrayRef<Product> products);
Extent product_units(llvm::ArrayRef<Product> products);
/// The same of a nest that packs all columns.
Extent packing_units(const Product& product);

/// Room for the packed columns of a product, in whatever way a machine packs them
/// (lower/cpu/packed_columns.h).
/// Format: for each column, so many elements behind what it sums.
inline constexpr int64_t kPackedBehind = 36;
Extent packed_bytes(const Product& product);

/// The products of matrices that a nest computes at its root's own index, where it is to be run by
/// their tiles; all have the same dims.
std::vector<Product> products_of(mlir::Operation* root, llvm::ArrayRef<mlir::Operation*> fused,
                                 const NestRelation& relation, analysis::Signatures& signatures);

} // namespace kolam::nest
