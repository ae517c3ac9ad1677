// x.at[...]: what python/kolam/_at.py calls, and put_along_axis.
#include "bind.h"
#include "index_item.h"
#include "modules.h"

namespace kolam::python {
namespace {

bool is_plain(nb::handle object) {
  return object.is_none() || object.ptr() == Py_Ellipsis || PySlice_Check(object.ptr()) ||
         PyLong_Check(object.ptr());
}

/// An item of an index; a mask stays one.
Index item_or_mask(nb::handle object) {
  if (is_plain(object))
    return index_item(object);
  if (std::optional<Operand> operand = try_operand(object, "index"))
    if (auto* tensor = std::get_if<Tensor>(&operand->value());
        tensor && tensor->dtype() == DType::boolean)
      return *tensor;
  return index_item(object);
}

std::vector<Index> items_of(nb::handle key) {
  if (!PyTuple_Check(key.ptr()))
    return {item_or_mask(key)};
  std::vector<Index> items;
  for (nb::handle item : nb::borrow<nb::tuple>(key))
    items.push_back(item_or_mask(item));
  return items;
}

using Method = Tensor (At::*)(const Operand&, std::string_view) const;

void define_update(nb::module_& module, const char* name, Method method) {
  std::string hidden = std::string("_at_") + name;
  module.def(
      hidden.c_str(),
      [method, scope_name = std::string("at.") + name](nb::handle x, nb::handle key,
                                                       nb::handle value, nb::handle mode) {
        UserCall scope(scope_name);
        At cells = at(to_operand(x, "x"), items_of(key));
        Operand given = to_operand(value, "value");
        std::string rule = mode.is_none() ? "" : FromPython<std::string>(mode, "mode").get();
        return to_python(released([&] { return (cells.*method)(given, rule); }));
      },
      nb::arg("x"), nb::arg("key").none(), nb::arg("value").none(), nb::arg("mode").none());
}

nb::object get(nb::handle x, nb::handle key, nb::handle mode, nb::handle fill_value) {
  UserCall scope("at.get");
  At cells = at(to_operand(x, "x"), items_of(key));
  auto fill = FromPython<std::optional<Operand>>(fill_value, "fill_value").get();
  std::string rule = mode.is_none() ? "" : FromPython<std::string>(mode, "mode").get();
  return to_python(released([&] { return cells.get(rule, fill); }));
}

nb::object apply(nb::handle x, nb::handle key, nb::handle f, nb::handle mode) {
  UserCall scope("at.apply");
  At cells = at(to_operand(x, "x"), items_of(key));
  auto function = FromPython<std::function<Tensor(Tensor)>>(f, "f").get();
  std::string rule = mode.is_none() ? "" : FromPython<std::string>(mode, "mode").get();
  return to_python(cells.apply(function, rule));
}

} // namespace

void bind_at(nb::module_& module) {
  define_update(module, "set", &At::set);
  define_update(module, "add", &At::add);
  define_update(module, "subtract", &At::subtract);
  define_update(module, "multiply", &At::multiply);
  define_update(module, "divide", &At::divide);
  define_update(module, "power", &At::power);
  define_update(module, "min", &At::min);
  define_update(module, "max", &At::max);
  module.def("_at_get", &get, nb::arg("x"), nb::arg("key").none(), nb::arg("mode").none(),
             nb::arg("fill_value").none());
  module.def("_at_apply", &apply, nb::arg("x"), nb::arg("key").none(), nb::arg("f").none(),
             nb::arg("mode").none());
  bind(module, "put_along_axis", &put_along_axis);
}

} // namespace kolam::python
