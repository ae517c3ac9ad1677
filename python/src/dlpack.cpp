// Arrays through DLPack, in and out.
#include "buffer.h"
#include "errors.h"

#include <nanobind/ndarray.h>

#include <memory>

namespace kolam::python {
namespace {

using Code = nb::dlpack::dtype_code;

nb::dlpack::dtype dlpack_dtype(DType dtype) {
  Code code = dtype == DType::boolean    ? Code::Bool
              : dtype == DType::bf16     ? Code::Bfloat
              : is_float(dtype)          ? Code::Float
              : is_signed_integer(dtype) ? Code::Int
                                         : Code::UInt;
  return {static_cast<uint8_t>(code), static_cast<uint8_t>(8 * byte_width(dtype)), 1};
}

std::optional<DType> dtype_of_dlpack(nb::dlpack::dtype given) {
  for (DType dtype : kDTypes)
    if (dlpack_dtype(dtype) == given)
      return dtype;
  return std::nullopt;
}

} // namespace

Array array_from_dlpack(nb::handle object) {
  using Memory = nb::ndarray<nb::ro, nb::device::cpu>;
  if (!PyObject_HasAttrString(object.ptr(), "__dlpack__"))
    fail_argument(ErrorKind::type, "not-an-array", "x", "an object with __dlpack__", object);
  auto memory = std::make_unique<Memory>();
  if (!nb::try_cast<Memory>(object, *memory))
    fail_argument(ErrorKind::type, "not-an-array", "x", "an array in memory of the CPU", object);
  std::optional<DType> dtype = dtype_of_dlpack(memory->dtype());
  if (!dtype)
    fail_argument(ErrorKind::type, "unsupported-dtype", "x", "elements of a dtype of Kolam",
                  object);
  std::vector<int64_t> shape, strides;
  int64_t expected = 1;
  for (size_t d = 0; d < memory->ndim(); ++d) {
    shape.push_back(static_cast<int64_t>(memory->shape(d)));
    strides.push_back(memory->stride(d) * byte_width(*dtype));
  }
  bool contiguous = true;
  for (size_t d = memory->ndim(); d-- > 0;) {
    contiguous &= shape[d] == 1 || memory->stride(d) == expected;
    expected *= shape[d];
  }
  void* data = const_cast<void*>(memory->data());
  if (!contiguous && expected != 0)
    return Array::copy_strided(*dtype, std::move(shape), data, strides);
  return Array::adopt(*dtype, std::move(shape), data, [held = memory.release()] {
    if (!Py_IsInitialized())
      return;
    nb::gil_scoped_acquire gil;
    delete held;
  });
}

nb::object dlpack_exporter(const Array& array, nb::handle owner) {
  std::vector<size_t> shape(array.shape().begin(), array.shape().end());
  using Memory = nb::ndarray<nb::array_api, nb::ro, nb::device::cpu>;
  return nb::cast(Memory(array.data(), shape.size(), shape.data(), owner, nullptr,
                         dlpack_dtype(array.dtype())));
}

} // namespace kolam::python
