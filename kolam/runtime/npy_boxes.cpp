// Reads and writes boxes of `.npy` files, run by run.
#include "kolam/runtime/npy_boxes.h"

#include "kolam/runtime/npy.h"
#include "kolam/runtime/strided_copy.h"

#include <algorithm>
#include <cstring>

namespace kolam::runtime {
namespace {

/// Calls `f(element, place, count)` for each run of a box's elements that lie one after the other
/// in the row-major array around: its first element there, its place in the box, its length.
template <class F>
void for_each_run(const std::vector<int64_t>& whole, const std::vector<int64_t>& start,
                  const std::vector<int64_t>& shape, const F& f) {
  if (std::ranges::count(shape, 0) > 0)
    return;
  size_t dim = shape.size(); // dims from here are whole
  int64_t run = 1;
  while (dim > 0 && shape[dim - 1] == whole[dim - 1])
    run *= shape[--dim];
  if (dim > 0)
    run *= shape[--dim];
  std::vector<int64_t> strides(whole.size());
  int64_t stride = 1;
  for (size_t at = whole.size(); at-- > 0; stride *= whole[at])
    strides[at] = stride;
  std::vector<int64_t> point(dim, 0);
  for (int64_t place = 0;; place += run) {
    int64_t element = 0;
    for (size_t at = 0; at < whole.size(); ++at)
      element += strides[at] * (start[at] + (at < dim ? point[at] : 0));
    f(element, place, run);
    size_t at = dim;
    for (; at > 0 && ++point[at - 1] == shape[at - 1]; --at)
      point[at - 1] = 0;
    if (at == 0)
      return;
  }
}

} // namespace

NpyReader::NpyReader(const std::string& path) : source_(ByteSource::open(path)) {
  const NpyLayout layout = npy_layout(source_);
  dtype_ = layout.header.dtype;
  shape_ = layout.header.shape;
  first_ = layout.first;
  big_endian_ = layout.header.big_endian;
  fortran_order_ = layout.header.fortran_order;
}

Array NpyReader::read(const std::vector<int64_t>& start, const std::vector<int64_t>& shape) const {
  auto in_file = [&](std::vector<int64_t> dims) {
    if (fortran_order_)
      std::ranges::reverse(dims);
    return dims;
  };
  const int width = byte_width(dtype_);
  Array box = Array::uninitialized(dtype_, in_file(shape));
  auto* to = static_cast<std::byte*>(box.mutable_data());
  for_each_run(in_file(shape_), in_file(start), in_file(shape),
               [&](int64_t element, int64_t place, int64_t count) {
                 source_.read_at(first_ + static_cast<uint64_t>(element * width),
                                 to + place * width, static_cast<size_t>(count * width));
               });
  if (dtype_ == DType::boolean)
    for (int64_t element = 0; element < box.size(); ++element)
      to[element] = static_cast<std::byte>(to[element] != std::byte{0});
  if (big_endian_)
    for (int64_t element = 0; element < box.size(); ++element)
      std::reverse(to + element * width, to + (element + 1) * width);
  if (!fortran_order_ || box.rank() < 2)
    return box;
  std::vector<int64_t> strides = row_major_strides(width, box.shape());
  std::ranges::reverse(strides);
  return Array::copy_strided(dtype_, shape, box.data(), strides);
}

NpyWriter::NpyWriter(const std::string& path, DType dtype, std::vector<int64_t> shape)
    : file_(path), shape_(std::move(shape)) {
  const std::string header = npy_header(dtype, shape_);
  file_.write(header.data(), header.size());
  first_ = header.size();
  file_.reserve(first_ + static_cast<uint64_t>(checked_size(dtype, shape_) * byte_width(dtype)));
}

void NpyWriter::write(const std::vector<int64_t>& start, const Array& box) {
  const int width = byte_width(box.dtype());
  const auto* from = static_cast<const std::byte*>(box.data());
  std::lock_guard lock(mutex_);
  for_each_run(shape_, start, box.shape(), [&](int64_t element, int64_t place, int64_t count) {
    file_.write_at(first_ + static_cast<uint64_t>(element * width), from + place * width,
                   static_cast<size_t>(count * width));
  });
}

void NpyWriter::commit() {
  std::lock_guard lock(mutex_);
  file_.commit();
}

} // namespace kolam::runtime
