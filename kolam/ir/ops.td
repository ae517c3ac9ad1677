// All ops of the dialect, by family.
#ifndef KOLAM_IR_OPS
#define KOLAM_IR_OPS

include "kolam/ir/values.td"
include "kolam/ir/shape.td"
include "kolam/ir/work.td"
include "kolam/ir/control.td"
include "kolam/ir/lists.td"
include "kolam/ir/kernels.td"

#endif
