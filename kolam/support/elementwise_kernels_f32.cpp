// Host kernels for f32.
#include "kolam/support/elementwise_kernels.h"

namespace kolam {

template ElementwiseKernel elementwise_kernel<float>(Fn);
template CastKernel cast_kernel<float>(DType);

} // namespace kolam
