/// Reductions by users' monoids, to derivatives.
#pragma once

#include "kolam/transform/derive/linearisation.h"

#include "kolam/ir/ops.h"

namespace kolam::transform::derive {

/// The regions of a monoid.
struct MonoidRegions {
  mlir::Region &zero, &wrap, &merge, &unwrap;
};

/// The results of the reduction `op`, a kolam.reduce or kolam.zip_map_reduce, over `inputs`: wrap
/// of each element, composite "monoid", which merges states, and unwrap of what it gives.
///
///     unwrap(merge(wrap(x_0), wrap(x_1), ...))
///
/// Throws `[not-differentiable]` where a function cannot run for all elements at once.
Values reduced_by_monoid(mlir::Operation* op, Builder& b, const Values& inputs,
                         llvm::ArrayRef<int64_t> dims, const MonoidRegions& regions);

/// Of composite "monoid". With S what it gives, e_i the states that it merges:
///
/// | merge | S~ to e_i |
/// |---|---|
/// | x + y of each float state | S~ |
/// | any other | the transpose of merge(merge(l_i, e), r_i) at e_i; l_i and r_i are the merged
/// states before and behind, in the order of `associative_scan` |
void monoid_rule(ir::CompositeOp op, Linearisation& at);

} // namespace kolam::transform::derive
