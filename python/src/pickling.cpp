// Arrays out of the bytes of a pickle, which may be anybody's: all that they say is checked.
#include "bind.h"
#include "modules.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <span>

namespace kolam::python {
namespace {

[[noreturn]] void fail_pickle(const std::string& expected, const std::string& actual) {
  fail(ErrorKind::value, "bad-pickle", "expected " + expected + ", but got " + actual);
}

/// A buffer of bytes, held while it lives.
class Bytes {
public:
  explicit Bytes(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) == 0)
      return;
    forget_error();
    fail_pickle("the bytes of an array", describe(object));
  }
  ~Bytes() { PyBuffer_Release(&view_); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  const void* data() const { return view_.buf; }
  int64_t size() const { return view_.len; }

private:
  Py_buffer view_{};
};

DType dtype_from_name(nb::handle name) {
  if (nb::isinstance<nb::str>(name))
    for (DType dtype : kDTypes)
      if (PyUnicode_CompareWithASCIIString(name.ptr(), kolam::name(dtype).data()) == 0)
        return dtype;
  fail_pickle("the name of a dtype", describe(name));
}

Array unpickled_array(nb::handle dtype_name, nb::handle extents, nb::handle content) {
  UserCall scope("unpickle");
  const DType dtype = dtype_from_name(dtype_name);
  if (!PyTuple_CheckExact(extents.ptr()))
    fail_pickle("a tuple of extents", describe(extents));
  auto shape = FromPython<std::vector<int64_t>>(extents, "shape").get();
  const int64_t count = runtime::checked_size(dtype, shape);
  const Bytes bytes(content);
  if (bytes.size() != count * byte_width(dtype))
    fail_pickle(std::to_string(count * byte_width(dtype)) + " bytes for " +
                    std::string(name(dtype)) + runtime::shape_text(shape),
                std::to_string(bytes.size()));
  const std::span<const uint8_t> given(static_cast<const uint8_t*>(bytes.data()),
                                       static_cast<size_t>(bytes.size()));
  auto is_boolean = [](uint8_t byte) { return byte <= 1; };
  if (dtype == DType::boolean && !std::ranges::all_of(given, is_boolean))
    fail_pickle("booleans of bytes 0 and 1", "others");
  return Array::copy_of(dtype, std::move(shape), bytes.data());
}

} // namespace

void bind_pickling(nb::module_& module) {
  module.def("_unpickled_array", &unpickled_array, nb::arg().none(), nb::arg().none(),
             nb::arg().none());
}

} // namespace kolam::python
