// Host kernels for f16 and bf16.
#include "kolam/support/elementwise_kernels.h"

namespace kolam {

template ElementwiseKernel elementwise_kernel<Float16>(Fn);
template CastKernel cast_kernel<Float16>(DType);
template ElementwiseKernel elementwise_kernel<BFloat16>(Fn);
template CastKernel cast_kernel<BFloat16>(DType);

} // namespace kolam
