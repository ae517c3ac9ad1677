// Reading lists by their parts (frontend/fractal/access.h): each function takes and gives lists of
// lists.
#include "errors.h"
#include "lists.h"
#include "modules.h"
#include "parameters.h"

#include "kolam/frontend/fractal/access.h"
#include "kolam/frontend/fractal/fractal_tensor.h"

#include <nanobind/stl/string.h>

namespace kolam::python {
namespace {

namespace detail = fractal::detail;
using detail::Parts;

/// Refuses what only the run knows, and says which functions of lists take it.
void require_known(nb::handle object, const char* argument, const char* instead) {
  if (nb::isinstance<Traced>(object))
    fail(ErrorKind::type, "traced-value",
         "argument '" + std::string(argument) +
             "': expected a number that is known when the function is traced, but got a traced "
             "value; " +
             instead + ", or make the argument of jit that it comes from static (static_argnames)");
}

int64_t integer(nb::handle object, const char* argument) {
  require_known(object, argument,
                "index(xs, i), gather(xs, places), repeat(x, n) and window(i, xs, window) take "
                "traced places and counts");
  return FromPython<int64_t>::convert(object, argument);
}

std::optional<Operand> bound(nb::handle object, const char* argument) {
  if (object.is_none())
    return std::nullopt;
  if (nb::isinstance<Traced>(object))
    return to_operand(object, argument);
  return Operand(FromPython<Extent>::convert(object, argument));
}

/// A number, or one before and one behind.
detail::Padding padding_from(nb::handle object) {
  if (!nb::isinstance<nb::tuple>(object) && !nb::isinstance<nb::list>(object))
    return integer(object, "padding");
  if (nb::len(object) != 2)
    fail_argument(ErrorKind::value, "list-argument", "padding",
                  "a number, or one before and one behind", object);
  return {integer(object[0], "padding"), integer(object[1], "padding")};
}

/// None, or what lies outside, for each part.
std::vector<Operand> values(nb::handle objects) {
  return FromPython<std::vector<Operand>>(objects, "value").get();
}

std::vector<Parts> parts_of_lists(nb::handle objects) {
  std::vector<Parts> lists;
  for (nb::handle parts : nb::borrow<nb::object>(objects))
    lists.push_back(lists_from(parts));
  return lists;
}

nb::list slice(nb::handle xs, nb::handle start, nb::handle stop, nb::handle step) {
  UserCall scope("index");
  detail::TracedSlice given{bound(start, "start"), bound(stop, "stop"),
                            step.is_none() ? 1 : integer(step, "step")};
  return to_objects(detail::slice_by_data(lists_from(xs), given));
}

nb::list gather(nb::handle xs, nb::handle places) {
  UserCall scope("gather");
  return to_objects(detail::gather(lists_from(xs), datum_from(places, "index")));
}

nb::list reverse(nb::handle xs) {
  UserCall scope("reverse");
  return to_objects(detail::reverse(lists_from(xs)));
}

nb::list slide(nb::handle xs, nb::handle window, nb::handle stride, nb::handle dilation,
               nb::handle padding, nb::handle value) {
  UserCall scope("slide");
  int64_t size = integer(window, "window");
  detail::SlideOptions options{integer(stride, "stride"), integer(dilation, "dilation"),
                               padding_from(padding), values(value)};
  return to_objects(detail::slide(lists_from(xs), size, options));
}

nb::list shifted_slide(nb::handle xs, nb::handle window, nb::handle dilation) {
  UserCall scope("shifted_slide");
  int64_t size = integer(window, "window");
  return to_objects(detail::shifted_slide(lists_from(xs), size, integer(dilation, "dilation")));
}

nb::list window(nb::handle i, nb::handle xs, nb::handle window, nb::handle dilation,
                nb::handle value) {
  UserCall scope("window");
  int64_t size = integer(window, "window"), step = integer(dilation, "dilation");
  return to_objects(detail::window(to_operand(i, "i"), lists_from(xs), size, step, values(value)));
}

nb::list shifted_window(nb::handle i, nb::handle xs, nb::handle window, nb::handle dilation) {
  UserCall scope("shifted_window");
  int64_t size = integer(window, "window"), step = integer(dilation, "dilation");
  return to_objects(detail::shifted_window(to_operand(i, "i"), lists_from(xs), size, step));
}

nb::list dilate(const std::string& function, nb::handle xs, nb::handle dilation) {
  UserCall scope(function);
  return to_objects(detail::dilate(lists_from(xs), integer(dilation, "dilation")));
}

nb::list interleave(nb::handle rows, nb::handle dilation) {
  UserCall scope("dilated_map");
  return to_objects(detail::interleave(lists_from(rows), integer(dilation, "dilation")));
}

nb::list split(nb::handle xs, nb::handle n) {
  UserCall scope("split");
  return to_objects(detail::split(lists_from(xs), integer(n, "n")));
}

nb::list zip(nb::handle lists) {
  UserCall scope("zip");
  return to_objects(detail::zip(parts_of_lists(lists)));
}

nb::list enumerate(nb::handle lists) {
  UserCall scope("enumerate");
  return to_objects(detail::enumerate(parts_of_lists(lists)));
}

void require_one_length(nb::handle xs, const std::string& function) {
  UserCall scope(function);
  detail::require_one_length(lists_from(xs), function.c_str());
}

nb::tuple product(nb::handle xs, nb::handle ys) {
  UserCall scope("product");
  auto [columns, rows] = detail::product(lists_from(xs), lists_from(ys, "ys"));
  return nb::make_tuple(to_objects(columns), to_objects(rows));
}

nb::list join(nb::handle lists) {
  UserCall scope("join");
  return to_objects(detail::join(parts_of_lists(lists)));
}

nb::object list_of(nb::handle elements) {
  UserCall scope("FractalTensor");
  return to_object(detail::list_of(data_from(elements, "nested")));
}

nb::list repeat(nb::handle element, nb::handle n) {
  UserCall scope("repeat");
  return to_objects(detail::repeat(data_from(element, "x"), to_operand(n, "n")));
}

nb::object flatten_leaves(nb::handle xs, nb::handle axis) {
  UserCall scope("flatten");
  return to_python(detail::flatten_leaves(list_from(xs, "xs"), integer(axis, "axis")));
}

nb::object stack(nb::handle xs, nb::handle axis) {
  UserCall scope("stack");
  return to_python(detail::stack(list_from(xs, "xs"), integer(axis, "axis")));
}

nb::object width_by_depth(nb::handle xs, nb::handle d, int64_t depth) {
  UserCall scope("width_by_depth");
  return to_object(detail::width_by_depth(lists_from(xs), integer(d, "d"), depth));
}

nb::object unbind(nb::handle x, nb::handle axis) {
  UserCall scope("unbind");
  return to_object(detail::unbind(to_tensor(x, "x"), integer(axis, "axis")));
}

nb::object slices(nb::handle x, nb::handle axis) {
  UserCall scope("slices");
  return to_object(detail::slices(to_tensor(x, "x"), integer(axis, "axis")));
}

/// The leaves, and the offsets of each level.
nb::list to_offsets(nb::handle list, nb::handle index_dtype) {
  UserCall scope("to_offsets");
  DType dtype = FromPython<DType>(index_dtype, "index_dtype").get();
  auto [leaves, offsets] =
      detail::to_offsets(list_from(list, "xs"), dtype, detail::Here::current());
  nb::list arrays;
  arrays.append(nb::cast(leaves)); // foreign memory is viewed, not copied
  for (const Array& level : offsets)
    arrays.append(nb::cast(level));
  return arrays;
}

} // namespace

void bind_list_access(nb::module_& module) {
  module.def("_list_slice", &slice, nb::arg(), nb::arg().none(), nb::arg().none(),
             nb::arg().none());
  module.def("_list_gather", &gather);
  module.def("_list_reverse", &reverse);
  module.def("_list_slide", &slide, nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
             nb::arg().none(), nb::arg().none());
  module.def("_list_shifted_slide", &shifted_slide, nb::arg(), nb::arg().none(), nb::arg().none());
  module.def("_list_window", &window, nb::arg().none(), nb::arg(), nb::arg().none(),
             nb::arg().none(), nb::arg().none());
  module.def("_list_shifted_window", &shifted_window, nb::arg().none(), nb::arg(), nb::arg().none(),
             nb::arg().none());
  module.def("_list_dilate", &dilate, nb::arg(), nb::arg(), nb::arg().none());
  module.def("_list_interleave", &interleave, nb::arg(), nb::arg().none());
  module.def("_list_split", &split, nb::arg(), nb::arg().none());
  module.def("_list_zip", &zip);
  module.def("_list_enumerate", &enumerate);
  module.def("_list_require_one_length", &require_one_length, nb::arg(),
             nb::arg("function") = "zip");
  module.def("_list_product", &product);
  module.def("_list_join", &join);
  module.def("_list_of", &list_of);
  module.def("_list_repeat", &repeat, nb::arg(), nb::arg().none());
  module.def("_list_flatten_leaves", &flatten_leaves, nb::arg(), nb::arg().none());
  module.def("_list_stack", &stack, nb::arg(), nb::arg().none());
  module.def("_list_width_by_depth", &width_by_depth);
  module.def("_list_unbind", &unbind, nb::arg().none(), nb::arg().none());
  module.def("_list_to_offsets", &to_offsets);
  module.def("_list_slices", &slices, nb::arg().none(), nb::arg().none());
}

} // namespace kolam::python
