// The generated definitions of the interface.
#include "kolam/ir/signed_op.h"

#include "kolam/ir/signed_op.cpp.inc"
