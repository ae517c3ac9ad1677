// Host kernels for integers and booleans.
#include "kolam/support/elementwise_kernels.h"

namespace kolam {

template ElementwiseKernel elementwise_kernel<int8_t>(Fn);
template CastKernel cast_kernel<int8_t>(DType);
template ElementwiseKernel elementwise_kernel<int16_t>(Fn);
template CastKernel cast_kernel<int16_t>(DType);
template ElementwiseKernel elementwise_kernel<int32_t>(Fn);
template CastKernel cast_kernel<int32_t>(DType);
template ElementwiseKernel elementwise_kernel<int64_t>(Fn);
template CastKernel cast_kernel<int64_t>(DType);
template ElementwiseKernel elementwise_kernel<uint8_t>(Fn);
template CastKernel cast_kernel<uint8_t>(DType);
template ElementwiseKernel elementwise_kernel<uint16_t>(Fn);
template CastKernel cast_kernel<uint16_t>(DType);
template ElementwiseKernel elementwise_kernel<uint32_t>(Fn);
template CastKernel cast_kernel<uint32_t>(DType);
template ElementwiseKernel elementwise_kernel<uint64_t>(Fn);
template CastKernel cast_kernel<uint64_t>(DType);
template ElementwiseKernel elementwise_kernel<bool>(Fn);
template CastKernel cast_kernel<bool>(DType);

} // namespace kolam
