// Host kernels for f64.
#include "kolam/support/elementwise_kernels.h"

namespace kolam {

template ElementwiseKernel elementwise_kernel<double>(Fn);
template CastKernel cast_kernel<double>(DType);

} // namespace kolam
