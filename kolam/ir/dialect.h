/// The kolam dialect, its attributes and its type.
#pragma once

#include "kolam/support/accumulate.h"
#include "kolam/support/extent.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"

#include "kolam/ir/dialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "kolam/ir/attributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "kolam/ir/types.h.inc"

namespace kolam::ir {

AccumulateAttr accumulate_attr(mlir::MLIRContext* context, const Accumulate& accumulate);
Accumulate accumulate_of(AccumulateAttr attr);

} // namespace kolam::ir
