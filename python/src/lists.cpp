// Converts lists between Python and C++.
#include "lists.h"

#include "errors.h"

#include <nanobind/stl/string.h>

namespace kolam::python {

using fractal::Data;
using fractal::Datum;
using fractal::List;

bool is_list(nb::handle object) {
  return nb::isinstance<runtime::List>(object) || nb::isinstance<TracedList>(object);
}

List list_from(nb::handle object, const char* argument) {
  if (nb::isinstance<TracedList>(object))
    return nb::inst_ptr<TracedList>(object)->list;
  if (nb::isinstance<runtime::List>(object))
    return List(*nb::inst_ptr<runtime::List>(object));
  fail_argument(ErrorKind::type, "not-a-list", argument, "a list", object);
}

std::vector<List> lists_from(nb::handle objects, const char* argument) {
  std::vector<List> lists;
  for (nb::handle object : nb::borrow<nb::object>(objects))
    lists.push_back(list_from(object, argument));
  nb::object paths = nb::getattr(objects, "paths", nb::none());
  for (size_t part = 0; part < lists.size() && !paths.is_none(); ++part)
    lists[part].set_path(nb::cast<std::string>(paths[part]));
  return lists;
}

Datum datum_from(nb::handle object, const char* argument) {
  if (is_list(object))
    return list_from(object, argument);
  return to_tensor(object, argument);
}

Data data_from(nb::handle objects, const char* argument) {
  Data data;
  for (nb::handle object : nb::borrow<nb::object>(objects))
    data.push_back(datum_from(object, argument));
  return data;
}

nb::object to_object(const List& list) {
  if (list.is_traced())
    return nb::cast(TracedList{list});
  return nb::cast(list.host());
}

nb::object to_object(const Datum& datum) {
  if (auto* tensor = std::get_if<Tensor>(&datum))
    return to_python(*tensor);
  return to_object(std::get<List>(datum));
}

} // namespace kolam::python
