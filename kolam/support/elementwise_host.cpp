// Runs elementwise kernels block by block, so that a scalar operand becomes a short array.
#include "kolam/support/elementwise_host.h"

#include "kolam/support/elementwise_kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace kolam {

// Compiled in elementwise_kernels_*.cpp.
extern template ElementwiseKernel elementwise_kernel<bool>(Fn);
extern template CastKernel cast_kernel<bool>(DType);
extern template ElementwiseKernel elementwise_kernel<int8_t>(Fn);
extern template CastKernel cast_kernel<int8_t>(DType);
extern template ElementwiseKernel elementwise_kernel<int16_t>(Fn);
extern template CastKernel cast_kernel<int16_t>(DType);
extern template ElementwiseKernel elementwise_kernel<int32_t>(Fn);
extern template CastKernel cast_kernel<int32_t>(DType);
extern template ElementwiseKernel elementwise_kernel<int64_t>(Fn);
extern template CastKernel cast_kernel<int64_t>(DType);
extern template ElementwiseKernel elementwise_kernel<uint8_t>(Fn);
extern template CastKernel cast_kernel<uint8_t>(DType);
extern template ElementwiseKernel elementwise_kernel<uint16_t>(Fn);
extern template CastKernel cast_kernel<uint16_t>(DType);
extern template ElementwiseKernel elementwise_kernel<uint32_t>(Fn);
extern template CastKernel cast_kernel<uint32_t>(DType);
extern template ElementwiseKernel elementwise_kernel<uint64_t>(Fn);
extern template CastKernel cast_kernel<uint64_t>(DType);
extern template ElementwiseKernel elementwise_kernel<Float16>(Fn);
extern template CastKernel cast_kernel<Float16>(DType);
extern template ElementwiseKernel elementwise_kernel<BFloat16>(Fn);
extern template CastKernel cast_kernel<BFloat16>(DType);
extern template ElementwiseKernel elementwise_kernel<float>(Fn);
extern template CastKernel cast_kernel<float>(DType);
extern template ElementwiseKernel elementwise_kernel<double>(Fn);
extern template CastKernel cast_kernel<double>(DType);
namespace {

constexpr int64_t kBlock = 512;

/// Where one operand's next block lies.
struct Operand {
  const std::byte* data;
  int64_t step; ///< bytes from block element to element: 0 for a scalar that was spread
  alignas(64) std::byte spread[kBlock * 8];
};

void spread_scalar(Operand& operand, const void* scalar, int width, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(operand.spread + i * width, scalar, width);
  operand.data = operand.spread;
  operand.step = 0;
}

} // namespace

void apply_elementwise(Fn fn, DType dtype, std::span<const void* const> inputs,
                       std::span<const int64_t> strides, void* output, int64_t count) {
  KOLAM_CHECK(static_cast<int>(inputs.size()) == elementwise_row(fn).arity);
  KOLAM_CHECK(strides.size() == inputs.size());
  const ElementwiseKernel kernel = visit_dtype(
      dtype, [&](auto type) { return elementwise_kernel<typename decltype(type)::type>(fn); });
  KOLAM_CHECK(kernel != nullptr);

  Operand operands[3];
  bool has_scalar = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    KOLAM_CHECK(strides[i] == 0 || strides[i] == 1);
    const int width = fn == Fn::where && i == 0 ? 1 : byte_width(dtype);
    operands[i].data = static_cast<const std::byte*>(inputs[i]);
    operands[i].step = width;
    has_scalar |= strides[i] == 0;
    if (strides[i] == 0 && count > 0)
      spread_scalar(operands[i], inputs[i], width, std::min(count, kBlock));
  }

  const int result_width = byte_width(result_dtype(fn, dtype));
  const int64_t block = has_scalar ? kBlock : count;
  for (int64_t begin = 0; begin < count; begin += block) {
    const void* block_inputs[3] = {};
    for (size_t i = 0; i < inputs.size(); ++i)
      block_inputs[i] = operands[i].data + begin * operands[i].step;
    kernel(block_inputs, static_cast<std::byte*>(output) + begin * result_width,
           std::min(block, count - begin));
  }
}

void apply_cast(DType from, DType to, const void* input, void* output, int64_t count) {
  visit_dtype(from, [&](auto type) {
    cast_kernel<typename decltype(type)::type>(to)(input, output, count);
  });
}

} // namespace kolam
