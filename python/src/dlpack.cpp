// Hands arrays out as DLPack capsules, and maps dtypes both ways.
#include "dlpack.h"

#include "convert.h"

#include <memory>

namespace kolam::python {

dlpack::Type dlpack::type_of(DType dtype) {
  const Code code = dtype == DType::boolean    ? Code::boolean
                    : dtype == DType::bf16     ? Code::bfloat
                    : is_float(dtype)          ? Code::floating
                    : is_signed_integer(dtype) ? Code::integer
                                               : Code::unsigned_integer;
  return {static_cast<uint8_t>(code), static_cast<uint8_t>(8 * byte_width(dtype)), 1};
}

std::optional<DType> dlpack::dtype_of(Type type) {
  for (DType dtype : kDTypes)
    if (type_of(dtype) == type)
      return dtype;
  return std::nullopt;
}

namespace {

/// A tensor with all that it points to. The array keeps the memory, also where it is donated
/// meanwhile; no object of Python is held, so that any thread may free it.
template <class Managed> struct Exported {
  Managed managed = {};
  Array array;
  std::vector<int64_t> shape, strides;

  explicit Exported(const Array& given)
      : array(given), shape(given.shape()), strides(shape.size()) {
    int64_t stride = 1;
    for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
      strides[d] = stride;
    managed.tensor = {const_cast<void*>(array.data()),
                      {dlpack::kCpu, 0},
                      static_cast<int32_t>(shape.size()),
                      dlpack::type_of(array.dtype()),
                      shape.data(),
                      strides.data(),
                      0};
    managed.manager = this;
    managed.deleter = [](Managed* self) { delete static_cast<Exported*>(self->manager); };
  }
};

/// Frees what nobody has consumed.
template <class Managed> void drop(PyObject* capsule, const char* name) {
  if (!PyCapsule_IsValid(capsule, name))
    return;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}

template <class Managed>
nb::object capsule_of(std::unique_ptr<Exported<Managed>> exported, const char* name,
                      PyCapsule_Destructor destructor) {
  nb::object capsule = nb::steal(PyCapsule_New(&exported->managed, name, destructor));
  if (!capsule.is_valid())
    throw nb::python_error();
  exported.release();
  return capsule;
}

/// The pair of integers that `given` is; nullopt else.
std::optional<std::pair<int64_t, int64_t>> pair_from(nb::handle given) {
  if (!PyTuple_Check(given.ptr()) || PyTuple_GET_SIZE(given.ptr()) != 2)
    return std::nullopt;
  auto first = try_integer(given[0], ""), second = try_integer(given[1], "");
  if (!first || !second)
    return std::nullopt;
  return std::pair(*first, *second);
}

} // namespace

nb::object dlpack_capsule(const Array& array, nb::handle max_version, nb::handle device,
                          nb::handle copy) {
  if (!device.is_none() && pair_from(device) != std::pair(int64_t{dlpack::kCpu}, int64_t{0}))
    throw nb::buffer_error("a kolam.Array lies on the CPU, device (1, 0)");
  bool is_versioned = false;
  if (!max_version.is_none()) {
    auto version = pair_from(max_version);
    if (!version)
      throw nb::type_error("max_version: expected None or a pair of integers");
    is_versioned = version->first >= dlpack::kMajorVersion;
  }
  const bool copies = copy.ptr() == Py_True;
  const Array exported =
      copies ? released([&] { return Array::copy_of(array.dtype(), array.shape(), array.data()); })
             : array;
  if (!is_versioned)
    return capsule_of(std::make_unique<Exported<dlpack::Managed>>(exported), "dltensor",
                      [](PyObject* capsule) { drop<dlpack::Managed>(capsule, "dltensor"); });
  auto versioned = std::make_unique<Exported<dlpack::Versioned>>(exported);
  versioned->managed.version = {dlpack::kMajorVersion, 0};
  versioned->managed.flags = copies ? dlpack::kIsCopied : dlpack::kReadOnly;
  return capsule_of(std::move(versioned), "dltensor_versioned", [](PyObject* capsule) {
    drop<dlpack::Versioned>(capsule, "dltensor_versioned");
  });
}

} // namespace kolam::python
