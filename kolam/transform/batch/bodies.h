/// Bodies of loops and branches, op by op for many instances.
#pragma once

#include "kolam/language/control.h"
#include "kolam/transform/batch/rules.h"

#include <functional>

namespace kolam::transform::batch {

/// What a region yields on these arguments: its ops by their rules, at the builder's place.
Results batch_region(mlir::Region& region, Operands arguments, Instances& all);

/// What `make` gives, of `types`; zeros where no instance of `running` is left.
Values where_any(Instances& all, Value running, mlir::TypeRange types,
                 const std::function<Values()>& make);
/// Whether what a region holds must not run where no instance asks for it: what may raise errors,
/// and loops, which may take long.
bool must_be_asked_for(mlir::Region& region);

/// Whether an op that multiplies its operands with one another stands in a region.
bool holds_factors(mlir::Region& region);

/// Whether operands or results are of each instance.
Flags flags_of(Operands operands);
/// The results with those of each instance where `flags` say so.
Values fit(Instances& all, const Results& results, const Flags& flags);
Results with_flags(mlir::ValueRange values, const Flags& flags);
llvm::SmallVector<mlir::Type> types_of(mlir::ValueRange values);

} // namespace kolam::transform::batch
