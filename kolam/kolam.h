/// Kolam: a tensor compiler in which people write parallel patterns. The one header that programs include.
#pragma once

#include "kolam/frontend/array/associative_scan.h"
#include "kolam/frontend/array/contraction.h"
#include "kolam/frontend/array/control.h"
#include "kolam/frontend/array/convolution.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/gather.h"
#include "kolam/frontend/array/jit.h"
#include "kolam/frontend/array/program.h"
#include "kolam/frontend/array/scatter.h"
#include "kolam/frontend/array/tensor.h"
#include "kolam/runtime/npy.h"
#include "kolam/runtime/npz.h"
