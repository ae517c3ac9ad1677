/// Dims that a reduction takes away and the same call gives back (`keepdims`): D may be one of
/// them.
#pragma once

#include "kolam/analysis/data_dim/problem.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <vector>

namespace kolam::analysis {

/// What D of a value may be beside its own dims, by kept_dim.
using KeptDims = std::vector<int>;
using KeptDimsByValue = llvm::DenseMap<mlir::Value, KeptDims>;

/// Which reductions keep their dims: those that the program says, or, to try it, all of them.
enum class Keeping : uint8_t { as_written, all };

/// Of the values of a region and of those inside: what is behind a reduction and in front of the
/// expand_dims of its call, through functions of elements. Where all are to keep their dims, what
/// is behind any reduction, as far as functions of elements go.
KeptDimsByValue find_kept_dims(mlir::Region& region, Keeping keeping);

/// Adds the rows of an op that makes such values, hands them on, or gives them their dims back.
void add_kept_rows(mlir::Operation* op, const KeptDimsByValue& kept,
                   const std::function<bool(mlir::Value)>& is_constant, Keeping keeping,
                   space::DataDimTable& table);

} // namespace kolam::analysis
