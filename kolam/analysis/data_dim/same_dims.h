/// Which dims of the values that an op touches are the same dim: what names travel along.
#pragma once

#include "kolam/analysis/data_dim/problem.h"

#include "mlir/IR/Operation.h"

#include <functional>

namespace kolam::analysis {

/// Runs of dims that an op makes one another, of values as `number_of` numbers them, -1 for those
/// that do not count; those of loops, branches and functions on lists by one of their tables.
///
/// A dim of an operand and one of a result are the same where one index dim of the op's signature
/// walks both, all of either, as in elementwise functions, transposes, products, reductions, and by
/// windows that are combined, as in convolutions; and
/// where every point owns both whole, as in sorts. Of a reshape runs of dims are the same:
/// [8, 64] and [512]. Of loops, branches, functions on lists, and where data decide places, those
/// that the op's table of data dimensions ties. Dims of unequal extents are never the same,
/// but for a kernel's blocks, whose dims are those of their arrays.
std::vector<SameDims> same_dims(mlir::Operation* op, const space::DataDimTable& table,
                                const std::function<int(mlir::Value)>& number_of);

} // namespace kolam::analysis
