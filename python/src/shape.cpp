// Functions that move the elements of tensors.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

/// A pair of numbers, or one for both sides.
template <> struct FromPython<PadWidth> : Converted<PadWidth> {
  FromPython(nb::handle object, const char* argument) {
    auto widths = FromPython<std::vector<int64_t>>(object, argument).get();
    if (widths.size() != 1 && widths.size() != 2)
      fail_argument(ErrorKind::type, "argument-type", argument, "an integer or pairs of integers",
                    object);
    value = {widths.front(), widths.back()};
  }
};

namespace {

/// NumPy's pad_width: a number, a pair for all dims, or pairs.
std::vector<PadWidth> pad_widths(nb::handle object) {
  bool is_pair = nb::isinstance<nb::sequence>(object) && nb::len(object) == 2 &&
                 try_integer(object[0], "pad_width") && try_integer(object[1], "pad_width");
  if (is_pair)
    return {FromPython<PadWidth>(object, "pad_width").get()};
  return FromPython<std::vector<PadWidth>>(object, "pad_width").get();
}

/// No bare literal, as std::bind would take that.
constexpr std::string_view kCopy = "copy=None";

} // namespace

void bind_shape(nb::module_& module) {
  bind(module, "atleast_1d", &atleast_1d);
  bind(module, "atleast_2d", &atleast_2d);
  bind(module, "broadcast_arrays", "*arrays",
       [](const std::vector<Operand>& arrays) { return ListOfTensors{broadcast_arrays(arrays)}; });
  bind(module, "broadcast_to", &broadcast_to);
  bind(module, "concat", &concat);
  bind(module, "expand_dims", "x, axis=0",
       [](const Operand& x, const Axes& axis) { return expand_dims(x, axis); });
  bind(module, "flip", "x, axis=None", [](const Operand& x, const std::optional<Axes>& axis) {
    return axis ? flip(x, *axis) : flip(x);
  });
  bind(module, "matrix_transpose", &matrix_transpose);
  bind(module, "moveaxis", &moveaxis);
  bind(module, "pad", "x, pad_width, mode='constant', constant_values=0",
       [](const Operand& x, nb::handle pad_width, const std::string& mode,
          const Operand& constant_values) {
         return pad(x, pad_widths(pad_width), mode, constant_values);
       });
  bind(module, "permute_dims", &permute_dims);
  bind(module, "repeat", "x, repeats, axis=None",
       [](const Operand& x, nb::handle repeats, std::optional<int64_t> axis) {
         if (nb::isinstance<Array>(repeats) || nb::isinstance<Traced>(repeats) ||
             nb::hasattr(repeats, "__array__"))
           return repeat(x, to_tensor(repeats, "repeats"), axis);
         if (PyList_Check(repeats.ptr()) || PyTuple_Check(repeats.ptr()))
           return repeat(x, FromPython<std::vector<int64_t>>(repeats, "repeats").get(), axis);
         return repeat(x, FromPython<int64_t>(repeats, "repeats").get(), axis);
       });
  bind(module, "reshape", &reshape, kCopy);
  bind(module, "roll", "x, shift, axis=None",
       [](const Operand& x, const Axes& shift, const std::optional<Axes>& axis) {
         if (axis)
           return roll(x, shift, *axis);
         if (shift.values().size() != 1)
           fail(ErrorKind::value, "rank-mismatch",
                "argument 'shift': expected one integer without an axis, but got " +
                    std::to_string(shift.values().size()));
         return roll(x, shift.values()[0]);
       });
  bind(module, "split", "x, indices_or_sections, axis=0",
       [](const Operand& x, nb::handle where, int64_t axis) {
         if (auto sections = try_integer(where, "indices_or_sections"))
           return split(x, *sections, axis);
         auto indices = FromPython<std::vector<int64_t>>(where, "indices_or_sections").get();
         return split(x, indices, axis);
       });
  bind(module, "materialize", &materialize);
  bind(module, "squeeze", "x, axis=None", [](const Operand& x, const std::optional<Axes>& axis) {
    return axis ? squeeze(x, *axis) : squeeze(x);
  });
  bind(module, "swapaxes", &swapaxes);
  bind(module, "stack", &stack);
  bind(module, "tile", &tile);
  bind(module, "unstack", &unstack);
}

} // namespace kolam::python
