/// Composites with a derivative of their own: that of their ops would be wrong at edges, or waste.
#pragma once

#include "kolam/transform/derive/linearisation.h"

#include "kolam/ir/ops.h"

namespace kolam::transform::derive {

/// Sets the tangents of a composite's results, which stand for primal values already.
using NamedRule = void (*)(ir::CompositeOp op, Linearisation& at);

/// Of running results of an associative function f (frontend/array/associative_scan.h): composite
/// "associative_scan" of (xs..., what f captures...), along its `dims`, from the last row on with
/// `reverse`; its first rule is f over slices (a..., b..., captured...).
void associative_scan_rule(ir::CompositeOp op, Linearisation& at);

/// The rule of that name; null where there is none.
NamedRule named_rule(llvm::StringRef name);

} // namespace kolam::transform::derive
