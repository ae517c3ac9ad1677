// kolam.List: a nested ragged list of arrays, which kolam.fractal.FractalTensor wraps.
#include "buffer.h"
#include "convert.h"
#include "errors.h"
#include "interrupt.h"
#include "modules.h"
#include "parameters.h"
#include "registered.h"

#include "kolam/runtime/list_picture.h"
#include "kolam/runtime/memory.h"

#include <nanobind/operators.h>
#include <nanobind/stl/string.h>

namespace kolam::python {
namespace {

using runtime::List;

std::vector<Array> arrays_from(nb::handle items, const char* argument) {
  std::vector<Array> arrays;
  for (nb::handle item : nb::borrow<nb::object>(items)) {
    poll_signals(std::ssize(arrays));
    if (auto array = array_of_numpy(item)) // the usual case, found without a detour
      arrays.push_back(std::move(*array));
    else
      arrays.push_back(to_array(item, argument));
  }
  return arrays;
}

std::vector<List> lists_from(nb::handle items) {
  std::vector<List> lists;
  for (nb::handle item : nb::borrow<nb::object>(items)) {
    if (!nb::isinstance<List>(item))
      fail_argument(ErrorKind::type, "argument-type", "lists", "lists", item);
    lists.push_back(*nb::inst_ptr<List>(item));
  }
  return lists;
}

List from_offsets(nb::handle leaves, nb::handle offsets) {
  UserCall scope("from_offsets");
  Array values = to_array(leaves, "values");
  std::vector<Array> levels = arrays_from(offsets, "offsets");
  return released([&] { return List::from_offsets(values, levels); });
}

List from_leaves(nb::handle leaves) {
  UserCall scope("from_leaves");
  std::vector<Array> arrays = arrays_from(leaves, "leaves");
  return released([&] { return List::from_leaves(arrays); });
}

List from_lists(nb::handle items) {
  UserCall scope("from_lists");
  std::vector<List> lists = lists_from(items);
  return released([&] { return List::from_lists(lists); });
}

List join(nb::handle items) {
  UserCall scope("join");
  std::vector<List> lists = lists_from(items);
  return released([&] { return List::join(lists); });
}

List empty(int64_t depth, nb::handle dtype, nb::handle leaf_shape) {
  UserCall scope("empty");
  std::vector<int64_t> shape;
  for (nb::handle extent : nb::borrow<nb::object>(leaf_shape))
    shape.push_back(FromPython<int64_t>::convert(extent, "leaf_shape"));
  return List::empty({depth, dtype_from(dtype), std::move(shape)});
}

nb::tuple leaf_shape(const List& list) {
  nb::list extents;
  for (int64_t extent : list.leaf_shape())
    extents.append(extent);
  return nb::tuple(extents);
}

int64_t checked_level(const List& list, int64_t level) {
  if (level < 0 || level >= list.depth())
    fail(ErrorKind::value, "list-depth",
         "expected a level from 0 to " + std::to_string(list.depth() - 1) + ", but got " +
             std::to_string(level));
  return level;
}

/// What Kolam itself holds in an array; foreign memory is viewed, not copied.
nb::object viewed(const Array& array) { return nb::cast(array); }

nb::object offsets(const List& list, int64_t level) {
  UserCall scope("offsets");
  return viewed(list.offsets(checked_level(list, level)));
}

nb::object lengths(const List& list, int64_t level) {
  UserCall scope("lengths");
  return viewed(list.lengths(checked_level(list, level)));
}

/// `access`, of an element: the user's line is found only where it is refused.
template <class F> auto accessed(const F& access) {
  try {
    return access();
  } catch (const Error&) {
    UserCall scope("index");
    return access();
  }
}

nb::object leaf(const List& list, int64_t i) {
  return viewed(accessed([&] { return list.leaf(i); }));
}

List sublist(const List& list, int64_t i) {
  return accessed([&] { return list.sublist(i); });
}

List slice(const List& list, int64_t begin, int64_t end) {
  return accessed([&] { return list.slice(begin, end); });
}

List take(const List& list, nb::handle given) {
  UserCall scope("index");
  Array places = to_array(given, "index");
  if (places.dtype() != DType::i64 || places.rank() != 1)
    fail_argument(ErrorKind::type, "bad-index", "index", "places in int64[n]", given);
  return released([&] { return list.take(places.values<int64_t>()); });
}

List flattened(const List& list) {
  UserCall scope("flatten");
  return list.flattened();
}

} // namespace

void bind_list(nb::module_& module) {
  module.def(
      "_require_memory",
      [](int64_t bytes, const std::string& what) {
        UserCall scope("FractalTensor");
        runtime::require_memory(bytes, what);
      },
      "Throws where the machine has not so much memory left.");
  nb::class_<List> type(module, "List", nb::type_slots(made_by_kolam), nb::is_weak_referenceable(),
                        "A nested ragged list of arrays of one dtype and shape, its leaves.\n\n"
                        "One buffer of leaves and, for each level of nesting, offsets: what "
                        "kolam.fractal.FractalTensor wraps. Level 0 is the list itself, level "
                        "depth - 1 the lists of leaves.");
  type.def_static("from_offsets", &from_offsets, nb::arg("leaves").none(), nb::arg("offsets"),
                  "The list of leaves [n, leaf...], viewed, and the offsets of levels 1, 2, ...");
  type.def_static("from_leaves", &from_leaves, nb::arg("leaves"),
                  "The list of depth 1 of copies of arrays of one dtype and shape.");
  type.def_static("from_lists", &from_lists, nb::arg("lists"),
                  "The list of lists of one type, copied.");
  type.def_static("join", &join, nb::arg("lists"),
                  "The elements of lists of one type, one after the other, copied.");
  type.def_static("empty", &empty, nb::arg("depth"), nb::arg("dtype"), nb::arg("leaf_shape"),
                  "A list without elements.");
  type.def_prop_ro("depth", &List::depth);
  type.def_prop_ro("dtype", [](const List& list) { return dtype_object(list.dtype()); });
  type.def_prop_ro("leaf_shape", &leaf_shape);
  type.def_prop_ro("leaf_count", &List::leaf_count);
  type.def_prop_ro("type", [](const List& list) { return list.type().to_string(); });
  type.def("is_same_type", &List::is_same_type, nb::arg("other"),
           "True for equal depths, dtypes and leaf shapes; lengths are no part of the type.");
  type.def(
      "leaves", [](const List& list) { return viewed(list.leaves()); },
      "The leaves in order, [leaf_count, leaf...]: a view.");
  type.def("offsets", &offsets, nb::arg("level"),
           "Where the lists of a level start among the next level's: int64, from 0 on.");
  type.def("lengths", &lengths, nb::arg("level"), "The lengths of the lists of a level: int64.");
  type.def("sublist", &sublist, nb::arg("i"), "Element i of a list of depth > 1: a view.");
  type.def("leaf", &leaf, nb::arg("i"), "Element i of a list of depth 1: a view.");
  type.def("slice", &slice, nb::arg("begin"), nb::arg("end"), "Elements begin to end - 1: a view.");
  type.def("take", &take, nb::arg("places"), "The elements at places, int64[n], copied.");
  type.def("flattened", &flattened, "The elements of the elements: a view.");
  type.def("picture", &runtime::picture, "How it lies in memory, as text.");
  type.def("as_dot", &runtime::as_dot, "How it lies in memory, in graphviz's language.");
  type.def("__len__", &List::size);
  type.def(nb::self == nb::self,
           "Equal types, lengths and leaves: -0 equals 0, NaN equals nothing.");
  type.def("__repr__", &List::to_string);
}

} // namespace kolam::python
