// Views foreign memory as arrays, through Python's buffer protocol.
#include "buffer.h"

#include "errors.h"
#include "registered.h"

#include <bit>
#include <memory>

namespace kolam::python {
namespace {

/// The dtype of a PEP 3118 format of one native element; nullopt for anything else.
std::optional<DType> dtype_of_format(const char* format, Py_ssize_t width) {
  std::string_view text = format ? format : "B";
  bool foreign_order = false;
  if (!text.empty() && std::string_view("@=<>!").find(text[0]) != std::string_view::npos) {
    foreign_order = (text[0] == '>' || text[0] == '!') && width > 1;
    text.remove_prefix(1);
  }
  if (text.size() != 1 || foreign_order)
    return std::nullopt;
  auto find = [&](auto matches) -> std::optional<DType> {
    for (DType dtype : kDTypes)
      if (matches(dtype) && dtype != DType::bf16 && byte_width(dtype) == width)
        return dtype;
    return std::nullopt;
  };
  switch (text[0]) {
  case '?':
    return DType::boolean;
  case 'b':
  case 'h':
  case 'i':
  case 'l':
  case 'q':
  case 'n':
    return find(is_signed_integer);
  case 'B':
  case 'H':
  case 'I':
  case 'L':
  case 'Q':
  case 'N':
    return find(is_unsigned_integer);
  case 'e':
  case 'f':
  case 'd':
    return find(is_float);
  default:
    return std::nullopt;
  }
}

/// A buffer request that is released with the interpreter held.
struct Held {
  Py_buffer view{};
  ~Held() {
    if (!view.obj || !Py_IsInitialized())
      return;
    nb::gil_scoped_acquire gil;
    PyBuffer_Release(&view);
  }
};

Array array_from_view(std::shared_ptr<Held> held, DType dtype) {
  const Py_buffer& view = held->view;
  std::vector<int64_t> shape(view.shape, view.shape + view.ndim);
  if (PyBuffer_IsContiguous(&view, 'C'))
    return Array::adopt(dtype, std::move(shape), view.buf, [held]() mutable { held.reset(); });
  std::vector<int64_t> strides(view.strides, view.strides + view.ndim);
  return Array::copy_strided(dtype, std::move(shape), view.buf, strides);
}

/// The array in the object's own buffer, where it has one that needs no conversion.
std::optional<Array> array_from_buffer(nb::handle object, std::optional<DType> as) {
  if (!PyObject_CheckBuffer(object.ptr()))
    return std::nullopt;
  auto held = std::make_shared<Held>();
  if (PyObject_GetBuffer(object.ptr(), &held->view, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear(); // a dtype that has no format: bfloat16, datetime64
    return std::nullopt;
  }
  // A datetime64 scalar hands itself out as eight bytes.
  if (!as && held->view.itemsize == 1 && nb::hasattr(object, "itemsize") &&
      nb::cast<int64_t>(object.attr("itemsize")) != 1)
    return std::nullopt;
  std::optional<DType> dtype = as ? as : dtype_of_format(held->view.format, held->view.itemsize);
  if (!dtype)
    return std::nullopt;
  return array_from_view(std::move(held), *dtype);
}

const char* format_of(DType dtype) {
  constexpr const char* formats[] = {"?", "b", "h", "i", "q", "B", "H",
                                     "I", "Q", "e", "",  "f", "d"};
  return formats[static_cast<size_t>(dtype)];
}

/// What a view needs as long as it lives: the memory, also where the array is donated meanwhile,
/// and the extents, then the strides.
struct HandedOut {
  Array array;
  std::vector<Py_ssize_t> dims;
};

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  const Array& array = *nb::inst_ptr<Array>(self);
  view->obj = nullptr;
  if (!array) {
    PyErr_SetString(PyExc_BufferError, "an earlier call used this kolam.Array up");
    return -1;
  }
  if (flags & PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "a kolam.Array is read-only");
    return -1;
  }
  if (array.dtype() == DType::bf16) {
    PyErr_SetString(PyExc_BufferError, "buffers have no format for bfloat16; use numpy.asarray");
    return -1;
  }
  auto handed_out = std::make_unique<HandedOut>(array, std::vector<Py_ssize_t>(2 * array.rank()));
  Py_ssize_t* dims = handed_out->dims.data();
  Py_ssize_t stride = byte_width(array.dtype());
  for (int64_t d = array.rank() - 1; d >= 0; --d) {
    dims[d] = array.shape()[d];
    dims[array.rank() + d] = stride;
    stride *= array.shape()[d];
  }
  view->buf = const_cast<void*>(array.data());
  view->len = array.byte_count();
  view->itemsize = byte_width(array.dtype());
  view->readonly = 1;
  view->ndim = static_cast<int>(array.rank());
  view->format = flags & PyBUF_FORMAT ? const_cast<char*>(format_of(array.dtype())) : nullptr;
  view->shape = flags & PyBUF_ND ? dims : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? dims + array.rank() : nullptr;
  view->suboffsets = nullptr;
  view->internal = handed_out.release();
  view->obj = Py_NewRef(self);
  return 0;
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<HandedOut*>(view->internal); }

} // namespace

PyType_Slot array_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                             {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                             {0, nullptr}};

std::optional<Array> array_from_memory(nb::handle object, std::string_view argument) {
  if (nb::isinstance<nb::str>(object) || nb::isinstance<nb::bytes>(object))
    return std::nullopt;
  if (auto array = array_from_buffer(object, std::nullopt))
    return array;
  // (an object with a buffer, the dtype to read it as) or None, or (None, why not).
  nb::object plain = registered().as_plain(object);
  if (plain.is_none())
    return std::nullopt;
  nb::object memory = plain[0], dtype = plain[1];
  if (memory.is_none())
    fail(ErrorKind::type, "unsupported-dtype",
         (argument.empty() ? "" : "argument '" + std::string(argument) + "': ") +
             "expected elements of a dtype of Kolam, but got " +
             nb::cast<std::string>(nb::str(dtype)));
  if (PyObject_HasAttrString(memory.ptr(), "__dlpack__") && !PyObject_CheckBuffer(memory.ptr()))
    return array_from_dlpack(memory);
  std::optional<DType> as;
  if (!dtype.is_none())
    as = dtype_from(dtype);
  return array_from_buffer(memory, as);
}

std::optional<Array> array_of_numpy(nb::handle object) {
  if (object.type().ptr() != registered().ndarray.ptr())
    return std::nullopt;
  return array_from_buffer(object, std::nullopt);
}

Array owned(const Array& array) {
  return array && array.buffer()->is_foreign()
             ? Array::copy_of(array.dtype(), array.shape(), array.data())
             : array;
}

} // namespace kolam::python
