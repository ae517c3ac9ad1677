/// What ops and values cost: the one count of arithmetic and memory that fusion, loops, threads and
/// `cost` ask. Symbolic extents count as 1000.
#pragma once

#include "kolam/analysis/access.h"
#include "kolam/support/machine.h"

#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <string>

namespace kolam::analysis {

/// Arithmetic operations for one result element, operands given (ir::flops_per_point, by the points
/// of the signature).
double flops_per_cell(mlir::Operation* op);
double flops_per_cell(mlir::Operation* op, Signatures& signatures);

/// For all elements of the op's results, each computed once.
double flops_of(mlir::Operation* op);
double flops_of(mlir::Operation* op, Signatures& signatures);

/// For one of so many elements of the root, all elements of the ops inside computed once; 1 more,
/// for storing it.
double flops_each(mlir::Operation* root, llvm::ArrayRef<mlir::Operation*> inside, double elements,
                  Signatures& signatures);

/// The work of an element in the unit of Prices: of wider elements fewer fit into a register.
double work_per_cell(mlir::Operation* op, Signatures& signatures);

/// The extent at the sizes of its symbols; others count as 1000.
double rough_value(const Extent& extent, const std::map<std::string, int64_t>& sizes = {});
/// At least 1.
double elements_of(mlir::Value value);
double bytes_of(mlir::Value value);

/// Storing and fetching a byte of a value of so many, in the unit of Prices.
double price_of_byte(double bytes, const Machine& machine);
/// Storing an element in a nest of its own, and fetching it once: by the size of the whole value.
double price_of_memory(mlir::Value value, const Machine& machine);

} // namespace kolam::analysis
