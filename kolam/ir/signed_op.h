/// The interface of every op that says which indices it has and what each index touches.
#pragma once

#include "kolam/space/signature.h"

#include "mlir/IR/OpDefinition.h"

#include "kolam/ir/signed_op.h.inc"
