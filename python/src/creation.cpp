// Tensors made from shapes and numbers, and conversions of dtype.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

template <> struct FromPython<Indexing> : Converted<Indexing> {
  FromPython(nb::handle object, const char* argument) {
    auto name = FromPython<std::string>(object, argument).get();
    if (name != "xy" && name != "ij")
      fail_argument(ErrorKind::value, "unknown-mode", argument, "'xy' or 'ij'", object);
    value = name == "xy" ? Indexing::xy : Indexing::ij;
  }
};

namespace {

/// A diagonal's number: one beyond 64 bits lies outside of every matrix, as the largest one does.
struct Diagonal {
  int64_t number;
};

/// What an array is to be like: an array, or something that has but shape and dtype, as a Ref.
struct Prototype {
  std::optional<Operand> array;
  TensorSpec spec = {};
};

/// `like` of an array, `make` of a shape and a dtype.
template <class Like, class Make>
Tensor made_like(const Prototype& x, std::optional<DType> dtype, Like like, Make make) {
  return x.array ? like(*x.array, dtype) : make(x.spec.shape, dtype.value_or(x.spec.dtype));
}

} // namespace

template <> struct FromPython<Prototype> : Converted<Prototype> {
  FromPython(nb::handle object, const char* argument) : Converted{convert(object, argument)} {}
  static Prototype convert(nb::handle object, const char* argument) {
    auto operand = try_operand(object, argument);
    if (!operand && nb::hasattr(object, "dtype") && nb::hasattr(object, "shape"))
      return {std::nullopt,
              {FromPython<DType>(object.attr("dtype"), argument).get(),
               FromPython<Shape>(object.attr("shape"), argument).get()}};
    return {operand ? std::move(*operand) : to_operand(object, argument)};
  }
};

template <> struct FromPython<Diagonal> : Converted<Diagonal> {
  FromPython(nb::handle object, const char* argument) : Converted{convert(object, argument)} {}
  static Diagonal convert(nb::handle object, const char* argument) {
    int overflow = 0;
    if (PyLong_CheckExact(object.ptr()))
      PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    constexpr int64_t kOutside = int64_t{1} << 62;
    return {overflow ? overflow * kOutside : FromPython<int64_t>::convert(object, argument)};
  }
};

constexpr std::string_view kDevice = "device=None";

void bind_creation(nb::module_& module) {
  bind(module, "arange", "start, stop=None, step=1, dtype=None, device=None",
       [](const Number& start, const std::optional<Number>& stop, const Number& step,
          std::optional<DType> dtype) {
         return stop ? arange(start, *stop, step, dtype) : arange(0, start, step, dtype);
       });
  bind(module, "astype", &astype, std::string_view("copy=True, device=None"));
  bind(module, "bitcast", &bitcast);
  bind(module, "empty", &empty, kDevice);
  bind(module, "empty_like", "x, dtype=None, device=None",
       [](const Prototype& x, std::optional<DType> dtype) {
         return made_like(
             x, dtype, [](auto& array, auto own) { return empty_like(array, own); },
             [](auto& shape, auto own) { return empty(shape, own); });
       });
  bind(module, "extent", &extent);
  bind(module, "eye", "rows, columns=None, k=0, dtype='f32', device=None",
       [](const Extent& rows, const std::optional<Extent>& columns, Diagonal k, DType dtype) {
         return eye(rows, columns, k.number, dtype);
       });
  module.def("_fromfunction", [](nb::handle f, nb::handle shape) {
    UserCall scope("fromfunction");
    FromPython<std::function<Tensor(std::vector<Tensor>)>> body(f, "f");
    return to_python(fromfunction(body.get(), FromPython<Shape>(shape, "shape").get()));
  });
  bind(module, "full", &full, kDevice);
  bind(module, "full_like", "x, fill_value, dtype=None, device=None",
       [](const Prototype& x, const Operand& fill_value, std::optional<DType> dtype) {
         return made_like(
             x, dtype, [&](auto& array, auto own) { return full_like(array, fill_value, own); },
             [&](auto& shape, auto own) { return full(shape, fill_value, own); });
       });
  bind(module, "linspace", &linspace, kDevice);
  bind(module, "meshgrid", "*arrays, indexing='xy'",
       [](const std::vector<Operand>& arrays, Indexing indexing) {
         return ListOfTensors{meshgrid(arrays, indexing)};
       });
  bind(module, "one_hot", &one_hot);
  bind(module, "ones", &ones, kDevice);
  bind(module, "ones_like", "x, dtype=None, device=None",
       [](const Prototype& x, std::optional<DType> dtype) {
         return made_like(
             x, dtype, [](auto& array, auto own) { return ones_like(array, own); },
             [](auto& shape, auto own) { return ones(shape, own); });
       });
  bind(module, "tril", "x, k=0", [](const Operand& x, Diagonal k) { return tril(x, k.number); });
  bind(module, "triu", "x, k=0", [](const Operand& x, Diagonal k) { return triu(x, k.number); });
  bind(module, "zeros", &zeros, kDevice);
  bind(module, "zeros_like", "x, dtype=None, device=None",
       [](const Prototype& x, std::optional<DType> dtype) {
         return made_like(
             x, dtype, [](auto& array, auto own) { return zeros_like(array, own); },
             [](auto& shape, auto own) { return zeros(shape, own); });
       });
}

} // namespace kolam::python
