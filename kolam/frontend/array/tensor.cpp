// Asks tensors for what they know.
#include "kolam/frontend/array/tensor.h"

#include "kolam/frontend/array/trace.h"
#include "kolam/support/axis.h"

namespace kolam {

namespace {

[[noreturn]] void fail_empty(std::string_view function, const std::source_location& here) {
  CallScope scope(function, user_line(here));
  fail(ErrorKind::value, "empty-tensor", "expected a tensor, but got an empty handle");
}

} // namespace

DType Tensor::dtype(std::source_location here) const {
  if (is_empty())
    fail_empty("dtype", here);
  return traced_ ? traced_->spec.dtype : array_.dtype();
}

Shape Tensor::shape(std::source_location here) const {
  if (is_empty())
    fail_empty("shape", here);
  if (traced_)
    return traced_->spec.shape;
  return Shape(array_.shape().begin(), array_.shape().end());
}

Extent Tensor::extent(int64_t axis, std::source_location here) const {
  if (is_empty())
    fail_empty("extent", here);
  if (!traced_)
    return array_.extent(axis, here);
  return located("extent", here,
                 [&] { return shape()[static_cast<size_t>(normalize_axis(axis, rank()))]; });
}

const Array& Tensor::array(std::source_location here) const { return elements("array", here); }

const Array& Tensor::elements(std::string_view function, const std::source_location& here) const {
  if (traced_)
    located(function, here, [&] {
      fail(ErrorKind::type, "traced-value",
           "expected an array, but got a traced value, whose elements only the running program "
           "knows; compute with kolam functions, or return it from the traced function");
    });
  return array_;
}

std::string Tensor::to_string() const {
  if (!traced_)
    return array_ ? array_.to_string() : "Tensor()";
  return "Tensor(" + std::string(name(dtype())) + kolam::to_string(shape()) + ", traced)";
}

} // namespace kolam
