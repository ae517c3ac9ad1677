// Takes tensors out of DLPack capsules. What a capsule says is checked before anything is read.
#include "convert.h"
#include "dlpack.h"
#include "errors.h"
#include "registered.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kolam::python {
namespace {

[[noreturn]] void fail_capsule(std::string_view argument, const std::string& expected,
                               const std::string& actual) {
  fail(ErrorKind::value, "bad-dlpack",
       argument_prefix(argument) + "expected a DLPack capsule " + expected + ", but got " + actual);
}

std::string tuple_text(const int64_t* numbers, int32_t count) {
  return runtime::shape_text({numbers, numbers + count});
}

/// What a capsule holds, before it is ours.
struct Content {
  dlpack::Managed* managed = nullptr;
  dlpack::Versioned* versioned = nullptr;

  const dlpack::Tensor& tensor() const { return managed ? managed->tensor : versioned->tensor; }
};

/// The capsule of a version that we read; marks nothing.
Content content_of(nb::handle capsule, std::string_view argument) {
  if (!PyCapsule_CheckExact(capsule.ptr()))
    fail_argument(ErrorKind::type, "bad-dlpack", argument, "a capsule from __dlpack__", capsule);
  const char* name = PyCapsule_GetName(capsule.ptr());
  if (!name && PyErr_Occurred())
    throw nb::python_error();
  const std::string_view text = name ? name : "";
  Content content;
  if (text == "dltensor")
    content.managed = static_cast<dlpack::Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
  else if (text == "dltensor_versioned")
    content.versioned = static_cast<dlpack::Versioned*>(PyCapsule_GetPointer(capsule.ptr(), name));
  else if (text == "used_dltensor" || text == "used_dltensor_versioned")
    fail_capsule(argument, "that nobody has consumed", "one that was used before");
  else
    fail_capsule(argument, "named 'dltensor' or 'dltensor_versioned'",
                 "one named '" + std::string(text) + "'");
  if (content.versioned && content.versioned->version.major != dlpack::kMajorVersion)
    fail_capsule(argument, "of version 1",
                 "version " + std::to_string(content.versioned->version.major) + "." +
                     std::to_string(content.versioned->version.minor));
  return content;
}

/// A tensor whose fields make sense: where its elements start, extents, and strides in bytes.
struct Checked {
  DType dtype;
  std::vector<int64_t> shape, byte_strides;
  std::byte* data;
  bool is_contiguous = true;
};

Checked checked(const dlpack::Tensor& tensor, std::string_view argument) {
  if (tensor.device.type != dlpack::kCpu)
    fail_capsule(argument, "on the CPU", "device " + std::to_string(tensor.device.type));
  if (tensor.ndim < 0 || tensor.ndim > dlpack::kMostDims)
    fail_capsule(argument, "of 0 to " + std::to_string(dlpack::kMostDims) + " dims",
                 "ndim " + std::to_string(tensor.ndim));
  if (tensor.ndim > 0 && !tensor.shape)
    fail_capsule(argument, "with a shape",
                 "a null pointer for " + std::to_string(tensor.ndim) + " dims");
  std::optional<DType> dtype = dlpack::dtype_of(tensor.type);
  if (!dtype)
    fail(ErrorKind::type, "unsupported-dtype",
         argument_prefix(argument) +
             "expected elements of a dtype of Kolam, but got DLPack's code " +
             std::to_string(tensor.type.code) + " of " + std::to_string(tensor.type.bits) +
             " bits in " + std::to_string(tensor.type.lanes) + " lanes");
  Checked result{*dtype, {}, {}, nullptr};
  if (tensor.ndim > 0)
    result.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  const int64_t count = runtime::checked_size(*dtype, result.shape);
  if (count > 0 && !tensor.data)
    fail_capsule(argument, "with memory",
                 "a null pointer for " + std::to_string(count) + " elements");
  if (tensor.byte_offset > static_cast<uint64_t>(INT64_MAX))
    fail_capsule(argument, "with an offset within its memory", std::to_string(tensor.byte_offset));
  result.data = static_cast<std::byte*>(tensor.data);
  if (tensor.data)
    result.data += tensor.byte_offset;
  int64_t dense = 1;
  result.byte_strides.resize(result.shape.size());
  for (size_t d = result.shape.size(); d-- > 0;) {
    const int64_t stride = tensor.strides ? tensor.strides[d] : dense;
    result.is_contiguous &= result.shape[d] == 1 || stride == dense;
    // The way to the last element along the dim is a number of bytes.
    int64_t reach = 0;
    if (__builtin_mul_overflow(stride, int64_t{byte_width(*dtype)}, &result.byte_strides[d]) ||
        (count > 0 && __builtin_mul_overflow(result.byte_strides[d], result.shape[d] - 1, &reach)))
      fail_capsule(argument, "with strides within an address space",
                   "strides " + tuple_text(tensor.strides, tensor.ndim));
    dense *= std::max<int64_t>(result.shape[d], 1);
  }
  result.is_contiguous |= count == 0;
  return result;
}

/// Frees a tensor that was taken out of its capsule, once.
class Taken {
public:
  Taken(Content content, nb::handle capsule) : content_(content) {
    PyCapsule_SetName(capsule.ptr(), content.managed ? "used_dltensor" : "used_dltensor_versioned");
  }
  ~Taken() {
    if (!Py_IsInitialized())
      return; // who made it is gone
    nb::gil_scoped_acquire gil;
    if (content_.managed && content_.managed->deleter)
      content_.managed->deleter(content_.managed);
    if (content_.versioned && content_.versioned->deleter)
      content_.versioned->deleter(content_.versioned);
  }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;

private:
  Content content_;
};

/// What the object's own methods answer: its capsule.
nb::object capsule_of(nb::handle object, std::string_view argument, Copy copy) {
  try {
    return registered().dlpack_capsule(object, copy == Copy::never ? nb::object(nb::bool_(false))
                                                                   : nb::none());
  } catch (nb::python_error& error) {
    fail_protocol(error, argument, "__dlpack__");
  }
}

} // namespace

Array array_from_dlpack(nb::handle object, std::string_view argument, Copy copy) {
  nb::object capsule = capsule_of(object, argument, copy);
  const Content content = content_of(capsule, argument);
  Checked tensor = checked(content.tensor(), argument);
  auto taken = std::make_shared<Taken>(content, capsule);
  auto refuse_copy = [&](const char* why) {
    if (copy == Copy::never)
      fail(ErrorKind::value, "needs-copy",
           argument_prefix(argument) + "expected memory that can be viewed (copy=False), but got " +
               why + "; leave copy out, or pass True");
  };
  if (!tensor.is_contiguous) {
    refuse_copy("elements that are not contiguous in row-major order");
    return released([&] {
      return Array::copy_strided(tensor.dtype, tensor.shape, tensor.data, tensor.byte_strides);
    });
  }
  if (copy == Copy::always)
    return released([&] { return Array::copy_of(tensor.dtype, tensor.shape, tensor.data); });
  Array array =
      Array::adopt(tensor.dtype, tensor.shape, tensor.data, [taken]() mutable { taken.reset(); });
  if (array.size() > 0 && array.data() != tensor.data)
    refuse_copy("misaligned elements, or booleans of bytes other than 0 and 1");
  return array;
}

} // namespace kolam::python
