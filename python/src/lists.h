/// Lists between Python and C++: with elements a kolam.List, inside a trace a kolam.TracedList.
#pragma once

#include "convert.h"

#include "kolam/frontend/fractal/list.h"

namespace kolam::python {

/// A list of a program being traced, as Python holds it.
struct TracedList {
  fractal::List list;
};

bool is_list(nb::handle object);
/// Throws `[not-a-list]`.
fractal::List list_from(nb::handle object, const char* argument);
/// Also how each is reached, where the list that holds them says so in `paths`
/// (kolam/fractal/values.py).
std::vector<fractal::List> lists_from(nb::handle objects, const char* argument = "xs");
/// A list or a tensor. Throws `[not-an-array]`.
fractal::Datum datum_from(nb::handle object, const char* argument);
fractal::Data data_from(nb::handle objects, const char* argument);

nb::object to_object(const fractal::List& list);
nb::object to_object(const fractal::Datum& datum);
template <class Values> nb::list to_objects(const Values& values) {
  nb::list objects;
  for (const auto& value : values)
    objects.append(to_object(value));
  return objects;
}

} // namespace kolam::python
