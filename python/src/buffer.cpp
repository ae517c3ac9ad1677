// Views foreign memory as arrays, through Python's buffer protocol.
#include "buffer.h"

#include "dlpack.h"
#include "errors.h"
#include "modules.h"
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
    forget_error(); // a dtype that has no format: bfloat16, datetime64
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
                                     "I", "Q", "e", "H", "f", "d"}; // bfloat16 has none: its bits
  return formats[static_cast<size_t>(dtype)];
}

/// The memory of an array as Python sees it (Note [No buffers]).
struct Memory {
  Array array;
  std::vector<Py_ssize_t> dims; ///< the extents, then the strides in bytes

  explicit Memory(const Array& given) : array(given), dims(2 * given.rank()) {
    Py_ssize_t stride = byte_width(array.dtype());
    for (int64_t d = array.rank() - 1; d >= 0; --d) {
      dims[d] = array.shape()[d];
      dims[array.rank() + d] = stride;
      stride *= array.shape()[d];
    }
  }
};

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  Memory& memory = *nb::inst_ptr<Memory>(self);
  const Array& array = memory.array;
  view->obj = nullptr;
  if (flags & PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "a kolam.Array is read-only");
    return -1;
  }
  Py_ssize_t* dims = memory.dims.data();
  view->buf = const_cast<void*>(array.data());
  view->len = array.byte_count();
  view->itemsize = byte_width(array.dtype());
  view->readonly = 1;
  view->ndim = static_cast<int>(array.rank());
  view->format = flags & PyBUF_FORMAT ? const_cast<char*>(format_of(array.dtype())) : nullptr;
  view->shape = flags & PyBUF_ND ? dims : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? dims + array.rank() : nullptr;
  view->suboffsets = nullptr;
  view->internal = nullptr;
  view->obj = Py_NewRef(self);
  return 0;
}

PyType_Slot memory_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                              {Py_tp_new, reinterpret_cast<void*>(refuse_new)},
                              {0, nullptr}};

/// What the Python half makes of an array-like object; None where it is no array.
nb::object as_plain(nb::handle object, std::string_view argument) {
  try {
    return registered().as_plain(object);
  } catch (nb::python_error& error) {
    fail_protocol(error, argument, "__array__");
  }
}

/// NumPy's struct of an array (its array interface, version 3).
struct Interface {
  int two = 2;
  int rank;
  char kind;
  int width;
  int flags = 0x001 | 0x100 | 0x200; // C-contiguous, aligned, native; not writeable
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  void* data;
  PyObject* description = nullptr;
  Memory memory;

  explicit Interface(const Array& array)
      : rank(static_cast<int>(array.rank())), kind(kind_of(array.dtype())),
        width(static_cast<int>(byte_width(array.dtype()))), data(const_cast<void*>(array.data())),
        memory(array) {
    shape = memory.dims.data();
    strides = shape + rank;
  }
  static char kind_of(DType dtype) {
    return dtype == DType::boolean    ? 'b'
           : is_float(dtype)          ? 'f'
           : is_signed_integer(dtype) ? 'i'
                                      : 'u';
  }
};

} // namespace

nb::object memory_of(const Array& array) { return nb::cast(Memory(array)); }

nb::object array_interface(const Array& array) {
  auto interface = std::make_unique<Interface>(array);
  nb::object capsule = nb::steal(PyCapsule_New(interface.get(), nullptr, [](PyObject* capsule) {
    delete static_cast<Interface*>(PyCapsule_GetPointer(capsule, nullptr));
  }));
  if (!capsule.is_valid())
    throw nb::python_error();
  interface.release();
  return capsule;
}

void bind_buffer(nb::module_& module) {
  nb::class_<Memory>(module, "_Memory", nb::type_slots(memory_slots));
}

std::optional<Array> array_from_memory(nb::handle object, std::string_view argument) {
  if (nb::isinstance<nb::str>(object) || nb::isinstance<nb::bytes>(object))
    return std::nullopt;
  if (auto array = array_from_buffer(object, std::nullopt))
    return array;
  // (an object with a buffer, the dtype to read it as) or None, or (None, why not).
  nb::object plain = as_plain(object, argument);
  if (plain.is_none())
    return std::nullopt;
  nb::object memory = plain[0], dtype = plain[1];
  if (memory.is_none())
    fail(ErrorKind::type, "unsupported-dtype",
         argument_prefix(argument) + "expected elements of a dtype of Kolam, but got " +
             nb::cast<std::string>(nb::str(dtype)));
  if (memory.type().ptr() != registered().ndarray.ptr()) // also where its own buffer lacks a format
    return array_from_dlpack(memory, argument);
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

// Note [No buffers]
// kolam.Array itself has no buffer: PyTorch's asarray asks for one before it asks for __dlpack__,
// and reads it as flat bytes. NumPy asks for __array_struct__, whose capsule keeps the memory, also
// where the array is donated meanwhile; __array__ goes through an object with a buffer.

} // namespace kolam::python
