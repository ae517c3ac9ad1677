// Asks tensors for what they know.
#include "kolam/frontend/array/tensor.h"

#include "kolam/frontend/array/trace.h"
#include "kolam/support/axis.h"

namespace kolam {

DType Tensor::dtype() const { return traced_ ? traced_->spec.dtype : array_.dtype(); }

Shape Tensor::shape() const {
  if (traced_)
    return traced_->spec.shape;
  return Shape(array_.shape().begin(), array_.shape().end());
}

Extent Tensor::extent(int64_t axis, std::source_location here) const {
  if (!traced_)
    return array_.extent(axis, here);
  CallScope scope("extent", {here.file_name(), static_cast<int>(here.line())});
  return shape()[normalize_axis(axis, rank())];
}

const Array& Tensor::array() const {
  if (traced_)
    fail(ErrorKind::type, "traced-value",
         "expected an array, but got a traced value, whose elements only the running program "
         "knows; compute with kolam functions, or return it from the traced function");
  return array_;
}

std::string Tensor::to_string() const {
  if (!traced_)
    return array_ ? array_.to_string() : "Tensor()";
  return "Tensor(" + std::string(name(dtype())) + kolam::to_string(shape()) + ", traced)";
}

} // namespace kolam
