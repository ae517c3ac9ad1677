/// All ops of the dialect.
#pragma once

#include "kolam/ir/dialect.h"
#include "kolam/ir/signed_op.h"
#include "kolam/ir/types.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "kolam/ir/ops.h.inc"
