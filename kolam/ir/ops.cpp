// The generated definitions of the ops.
#include "kolam/ir/ops.h"

#define GET_OP_CLASSES
#include "kolam/ir/ops.cpp.inc"
