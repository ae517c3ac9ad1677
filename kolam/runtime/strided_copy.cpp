// Copies strided memory line by line.
#include "kolam/runtime/strided_copy.h"

#include <algorithm>
#include <cstring>

namespace kolam::runtime {
namespace {

/// One dim of a copy, after dims that step as one on both sides have been merged.
struct CopyDim {
  int64_t extent, to_stride, from_stride;
};

template <int Width> void copy_line(std::byte* to, const std::byte* from, const CopyDim& line) {
  for (int64_t i = 0; i < line.extent; ++i)
    std::memcpy(to + i * line.to_stride, from + i * line.from_stride, Width);
}

void copy_line(int width, std::byte* to, const std::byte* from, const CopyDim& line) {
  if (line.to_stride == width && line.from_stride == width)
    std::memcpy(to, from, static_cast<size_t>(line.extent) * static_cast<size_t>(width));
  else if (width == 1)
    copy_line<1>(to, from, line);
  else if (width == 2)
    copy_line<2>(to, from, line);
  else if (width == 4)
    copy_line<4>(to, from, line);
  else
    copy_line<8>(to, from, line);
}

bool steps_as_one(int64_t outer_stride, int64_t inner_stride, int64_t inner_extent) {
  int64_t steps = 0;
  return !__builtin_mul_overflow(inner_stride, inner_extent, &steps) && outer_stride == steps;
}

std::vector<CopyDim> merge_dims(const std::vector<int64_t>& shape,
                                const std::vector<int64_t>& to_strides,
                                const std::vector<int64_t>& from_strides) {
  std::vector<CopyDim> dims;
  for (size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == 1)
      continue;
    const CopyDim dim{shape[k], to_strides[k], from_strides[k]};
    if (!dims.empty() && steps_as_one(dims.back().to_stride, dim.to_stride, dim.extent) &&
        steps_as_one(dims.back().from_stride, dim.from_stride, dim.extent))
      dims.back() = {dims.back().extent * dim.extent, dim.to_stride, dim.from_stride};
    else
      dims.push_back(dim);
  }
  if (dims.empty())
    dims.push_back({1, 0, 0});
  return dims;
}

} // namespace

std::vector<int64_t> row_major_strides(int width, const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = width;
  for (size_t k = shape.size(); k-- > 0;) {
    strides[k] = stride;
    stride *= std::max<int64_t>(shape[k], 1);
  }
  return strides;
}

void copy_strided(int width, const std::vector<int64_t>& shape, std::byte* to,
                  const std::vector<int64_t>& to_strides, const std::byte* from,
                  const std::vector<int64_t>& from_strides) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return;
  const std::vector<CopyDim> dims = merge_dims(shape, to_strides, from_strides);
  const size_t outer = dims.size() - 1;
  std::vector<int64_t> index(outer, 0);
  while (true) {
    copy_line(width, to, from, dims[outer]);
    size_t k = outer;
    for (; k > 0; --k) {
      to += dims[k - 1].to_stride;
      from += dims[k - 1].from_stride;
      if (++index[k - 1] < dims[k - 1].extent)
        break;
      to -= dims[k - 1].to_stride * dims[k - 1].extent;
      from -= dims[k - 1].from_stride * dims[k - 1].extent;
      index[k - 1] = 0;
    }
    if (k == 0)
      return;
  }
}

} // namespace kolam::runtime
