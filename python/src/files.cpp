// Arrays in NumPy's files.
#include "bind.h"
#include "modules.h"

namespace kolam::python {
namespace {

/// A path as text: a str or anything with __fspath__.
std::string path_from(nb::handle object) {
  nb::object path = nb::steal(PyOS_FSPath(object.ptr()));
  if (!path.is_valid()) {
    forget_error();
    fail_argument(ErrorKind::type, "argument-type", "path", "a path", object);
  }
  return FromPython<std::string>(path, "path").get();
}

nb::dict load_archive(nb::handle given) {
  std::string path = path_from(given);
  auto entries = released([&] { return runtime::load_npz(path); });
  nb::dict arrays;
  for (runtime::NamedArray& entry : entries)
    arrays[entry.name.c_str()] = to_python(std::move(entry.array));
  return arrays;
}

void save_archive(nb::handle given, nb::dict arrays) {
  std::string path = path_from(given);
  std::vector<runtime::NamedArray> entries;
  for (auto [name, array] : arrays)
    entries.push_back({FromPython<std::string>(name, "arrays").get(), to_array(array, "arrays")});
  released([&] { runtime::save_npz(path, entries); });
}

} // namespace

void bind_files(nb::module_& module) {
  bind(module, "runtime::load", "path", [](nb::handle given) {
    std::string path = path_from(given);
    return to_python(released([&] { return runtime::load(path); }));
  });
  bind(module, "runtime::save", "path, array", [](nb::handle given, const Array& array) {
    std::string path = path_from(given);
    released([&] { runtime::save(path, array); });
    return nb::none();
  });
  bind(module, "runtime::load_npz", "path", [](nb::handle path) { return load_archive(path); });
  bind(module, "runtime::save_npz", "path, arrays", [](nb::handle path, nb::handle arrays) {
    if (!nb::isinstance<nb::dict>(arrays))
      fail_argument(ErrorKind::type, "argument-type", "arrays", "a dict of arrays", arrays);
    save_archive(path, nb::borrow<nb::dict>(arrays));
    return nb::none();
  });
}

} // namespace kolam::python
