// x[...], and boxes at places that only the run knows.
#include "bind.h"
#include "index_item.h"
#include "modules.h"

namespace kolam::python {
namespace {

std::optional<Extent> bound(nb::handle object) {
  if (object.is_none())
    return std::nullopt;
  return FromPython<Extent>(object, "index").get();
}

Slice slice_from(nb::handle object) {
  Slice slice;
  slice.start = bound(object.attr("start"));
  slice.stop = bound(object.attr("stop"));
  nb::object step = object.attr("step");
  if (!step.is_none())
    slice.step = FromPython<int64_t>::convert(step, "index");
  return slice;
}

/// An index array. An empty list holds integers, as it cannot say so itself.
Tensor places_from(nb::handle object) {
  Tensor places = to_tensor(object, "index");
  bool is_empty = PyList_Check(object.ptr()) && !places.is_traced() && places.array().size() == 0;
  return is_empty ? Tensor(Array::zeros(DType::i32, places.array().shape())) : places;
}

Index item_from(nb::handle object) {
  if (object.is_none())
    return newaxis;
  if (object.ptr() == Py_Ellipsis)
    return ellipsis;
  if (PySlice_Check(object.ptr()))
    return slice_from(object);
  if (!nb::isinstance<Traced>(object) && !nb::isinstance<Array>(object))
    if (auto place = try_integer(object, "index"))
      return *place;
  if (PyBool_Check(object.ptr()))
    return Tensor(Array::scalar(object.ptr() == Py_True));
  return places_from(object);
}

std::vector<Index> items_from(nb::handle object) {
  std::vector<Index> items;
  if (!PyTuple_Check(object.ptr()))
    return {item_from(object)};
  for (nb::handle item : nb::borrow<nb::tuple>(object))
    items.push_back(item_from(item));
  return items;
}

nb::object make_item(nb::handle self, nb::handle key) {
  UserCall scope("index");
  Operand x = to_operand(self, "x");
  std::vector<Index> items = items_from(key);
  if (auto* places = items.size() == 1 ? std::get_if<Tensor>(&items[0].value()) : nullptr)
    if (places->rank() > 0 && places->dtype() != DType::boolean)
      return to_python(released([&] { return take(x, *places, 0); }));
  return to_python(released([&] { return index(x, items); }));
}

nb::object get_item(nb::handle self, nb::handle key) {
  static const char function = 0; // has the address that tells it apart
  return known_or_made(&function, {self, key}, [&] { return make_item(self, key); });
}

} // namespace

Index index_item(nb::handle object) { return item_from(object); }

void bind_index(nb::module_& module) {
  for (const char* type : {"Array", "Tensor"})
    module.attr(type).attr("__getitem__") = nb::cpp_function(
        &get_item, nb::name("__getitem__"), nb::is_method(), nb::arg("index").none());
  bind(module, "dynamic_slice", &dynamic_slice);
  bind(module, "dynamic_update_slice", &dynamic_update_slice);
  bind(module, "embedding", &embedding);
  bind(module, "take", "x, indices, axis=None",
       [](const Operand& x, const Operand& indices, std::optional<int64_t> axis) {
         return axis ? take(x, indices, *axis) : take(ravel(x), indices, 0);
       });
  bind(module, "take_along_axis", &take_along_axis);
}

} // namespace kolam::python
