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
  if (nb::isinstance<Traced>(object) &&
      nb::inst_ptr<Traced>(object)->tensor.dtype() == DType::boolean)
    fail(ErrorKind::type, "traced-value",
         "argument 'index': expected a mask whose elements are known, but got a traced value: how "
         "many "
         "cells it keeps only the running program knows; use kolam.where(mask, x, y)");
  if (!nb::isinstance<Traced>(object) && !nb::isinstance<Array>(object))
    if (auto place = try_integer(object, "index"))
      return *place;
  if (PyBool_Check(object.ptr()))
    fail_argument(ErrorKind::type, "bad-index", "index", "integers, slices, ..., None or arrays",
                  object);
  return places_from(object);
}

bool is_mask(const Index& item) {
  auto* tensor = std::get_if<Tensor>(&item.value());
  return tensor && tensor->dtype() == DType::boolean && tensor->rank() > 0;
}

/// How many dims of the indexed tensor an item stands for; an ellipsis for none.
int64_t dims_of(const Index& item) {
  if (is_mask(item))
    return std::get<Tensor>(item.value()).rank();
  return std::holds_alternative<NewAxis>(item.value()) ||
                 std::holds_alternative<Ellipsis>(item.value())
             ? 0
             : 1;
}

/// The places of the true elements: an index array for each dim of the mask.
void add_places(const Array& mask, std::vector<Index>& items) {
  std::vector<std::vector<int64_t>> places(mask.rank());
  std::vector<int64_t> place(mask.rank());
  for (bool is_kept : mask.values<bool>()) {
    for (int64_t d = 0; is_kept && d < mask.rank(); ++d)
      places[d].push_back(place[d]);
    for (int64_t d = mask.rank() - 1; d >= 0 && ++place[d] == mask.shape()[d]; --d)
      place[d] = 0;
  }
  for (std::vector<int64_t>& along : places)
    items.emplace_back(Array::of(along));
}

/// Masks as index arrays, as NumPy has them. Throws `[shape-mismatch]` where a mask has other
/// extents than the dims of `shape` it stands for.
std::vector<Index> without_masks(const std::vector<Index>& items, const Shape& shape) {
  int64_t named = 0;
  for (const Index& item : items)
    named += dims_of(item);
  std::vector<Index> result;
  int64_t dim = 0;
  for (const Index& item : items) {
    if (is_mask(item)) {
      const Array& mask = std::get<Tensor>(item.value()).array();
      for (int64_t d = 0; d < mask.rank() && dim + d < std::ssize(shape); ++d)
        if (shape[dim + d] != Extent(mask.shape()[d]))
          fail(ErrorKind::index, "shape-mismatch",
               "argument 'index': expected a mask of extent " + shape[dim + d].to_string() +
                   " in dim " + std::to_string(d) + ", but got " + std::to_string(mask.shape()[d]));
      add_places(mask, result);
    } else {
      result.push_back(item);
    }
    dim +=
        std::holds_alternative<Ellipsis>(item.value()) ? std::ssize(shape) - named : dims_of(item);
  }
  return result;
}

std::vector<Index> items_from(nb::handle object, const Shape& shape) {
  std::vector<Index> items;
  if (!PyTuple_Check(object.ptr()))
    items = {item_from(object)};
  else
    for (nb::handle item : nb::borrow<nb::tuple>(object))
      items.push_back(item_from(item));
  return std::any_of(items.begin(), items.end(), is_mask) ? without_masks(items, shape) : items;
}

Shape shape_of(const Operand& x) {
  auto* tensor = std::get_if<Tensor>(&x.value());
  return tensor ? tensor->shape() : Shape();
}

nb::object get_item(nb::handle self, nb::handle key) {
  UserCall scope("index");
  Operand x = to_operand(self, "x");
  bool is_array = !PyTuple_Check(key.ptr()) && !PySlice_Check(key.ptr()) && !key.is_none();
  if (is_array && key.ptr() != Py_Ellipsis && !try_scalar(key, "index")) {
    Tensor places = places_from(key);
    if (places.rank() > 0 && places.dtype() != DType::boolean)
      return to_python(released([&] { return take(x, places, 0); }));
  }
  std::vector<Index> items = items_from(key, shape_of(x));
  return to_python(released([&] { return index(x, items); }));
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
  bind(module, "take", "x, indices, axis=0",
       [](const Operand& x, const Operand& indices, int64_t axis) {
         return take(x, indices, axis);
       });
  bind(module, "take_along_axis", &take_along_axis);
}

} // namespace kolam::python
