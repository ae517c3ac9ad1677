/// The monoids of reductions: named by an elementwise function, or given by regions.
#pragma once

#include "kolam/space/monoid.h"
#include "kolam/support/elementwise.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"

namespace kolam::ir {

/// The elementwise function of two arguments with an identity that has this name.
std::optional<Fn> parse_monoid(llvm::StringRef name);

/// The regions of a user's monoid; all are empty where the monoid is named.
struct MonoidRegions {
  mlir::Region &zero, &wrap, &merge, &unwrap, &wrap_all;
};

/// Checks that a named monoid takes one element of its dtype and has no regions, and that the
/// regions of any other fit together: elements to states to results. For `verifyRegions`.
/// `elements` and `results` are rank-0 tensor types.
llvm::LogicalResult expect_monoid(mlir::Operation* op, llvm::StringRef name,
                                  const MonoidRegions& regions, mlir::TypeRange elements,
                                  mlir::TypeRange results);

/// The dtype in which a named monoid accumulates: f32 for narrow floats where it rounds.
DType named_state(Fn fn, DType element);

/// Whether every grouping of a named monoid's elements gives the same bits.
bool is_exact(Fn fn, DType element);

/// What is known of the monoid.
space::Monoid monoid_descriptor(llvm::StringRef name, bool commutative,
                                const MonoidRegions& regions, mlir::TypeRange elements);
/// The monoid of sums of products.
space::Monoid sum_monoid(DType factor, DType result);
/// Operations for one element: wrap and merge.
double monoid_flops(llvm::StringRef name, const MonoidRegions& regions);

/// The rank-0 types with the dtypes of `types`.
llvm::SmallVector<mlir::Type> scalar_types(mlir::TypeRange types);

} // namespace kolam::ir
