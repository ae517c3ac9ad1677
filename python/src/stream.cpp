// Streams: programs of whole sequences, one step at a time.
#include "kolam/frontend/array/stream.h"

#include "bind.h"
#include "buffer.h"
#include "modules.h"
#include "run_program.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace kolam::python {
namespace {

constexpr const char* kName = "layout.stream";

/// A number of Python takes the dtype of its sequence.
std::vector<Array> elements_of(const layout::Stream& stream, const nb::list& given) {
  const std::vector<TensorSpec> specs = stream.elements();
  std::vector<Array> arrays;
  for (nb::handle object : given) {
    auto scalar = try_scalar(object, "element");
    const size_t place = arrays.size();
    arrays.push_back(scalar && place < specs.size() && specs[place].shape.empty()
                         ? full({}, *scalar, specs[place].dtype).array()
                         : to_array(object, "element"));
  }
  return arrays;
}

std::vector<Array> arrays_of(const nb::list& given) {
  std::vector<Array> arrays;
  for (nb::handle object : given)
    arrays.push_back(to_array(object, "state"));
  return arrays;
}

nb::list objects_of(std::vector<Array> arrays) {
  nb::list objects;
  for (Array& array : arrays)
    objects.append(to_python(std::move(array)));
  return objects;
}

/// Whether a NumPy array is its memory, row by row, and may be written.
bool has_flags(nb::handle array) {
  nb::object flags = array.attr("flags");
  return nb::cast<bool>(flags.attr("writeable")) && nb::cast<bool>(flags.attr("c_contiguous")) &&
         nb::cast<bool>(flags.attr("aligned"));
}

/// The memory of NumPy arrays that may be written.
std::vector<layout::StepOutput> outputs_of(const nb::list& given) {
  std::vector<layout::StepOutput> outputs;
  for (nb::handle object : given) {
    std::optional<Array> array = array_of_numpy(object);
    if (!array || !has_flags(object))
      fail_argument(ErrorKind::type, "argument-type", "out",
                    "writable, aligned, C-contiguous NumPy arrays, one for each result", object);
    outputs.push_back(layout::StepOutput(*array));
  }
  return outputs;
}

} // namespace

void bind_stream(nb::module_& module) {
  nb::class_<layout::Stream>(module, "_Stream")
      .def_static("make",
                  [](const Program& program, const nb::list& arrays, int64_t axis,
                     const std::map<std::string, int64_t>& axes, const std::string& backend) {
                    UserCall scope(kName);
                    std::vector<Array> given;
                    for (nb::handle array : arrays)
                      given.push_back(to_array(array, "argument"));
                    Backend on = backend_from(backend);
                    return released(
                        [&] { return layout::stream(program, given, {axis, axes}, on); });
                  })
      .def("step",
           [](layout::Stream& stream, const nb::list& elements) {
             return located(kName,
                            [&] { return objects_of(stream(elements_of(stream, elements))); });
           })
      .def("step_into",
           [](layout::Stream& stream, const nb::list& outputs, const nb::list& elements) {
             located(kName, [&] {
               std::vector<Array> given = elements_of(stream, elements);
               std::vector<layout::StepInput> inputs(given.begin(), given.end());
               std::vector<layout::StepOutput> wanted = outputs_of(outputs);
               stream.into(wanted, inputs);
             });
           })
      .def("run",
           [](layout::Stream& stream, const nb::list& sequences) {
             return located(kName, [&] {
               std::vector<Array> given;
               for (nb::handle object : sequences)
                 given.push_back(to_array(object, "sequence"));
               return objects_of(stream.run(given));
             });
           })
      .def("step_from",
           [](const layout::Stream& stream, const nb::list& state, const nb::list& elements) {
             return located(kName, [&] {
               auto [next, results] = stream.step(arrays_of(state), elements_of(stream, elements));
               return nb::make_tuple(objects_of(std::move(next)), objects_of(std::move(results)));
             });
           })
      .def("reset", [](layout::Stream& stream) { located(kName, [&] { stream.reset(); }); })
      .def("initial", [](const layout::Stream& stream) { return objects_of(stream.initial()); })
      .def("state", [](const layout::Stream& stream) { return objects_of(stream.state()); })
      .def("set_state",
           [](layout::Stream& stream, const nb::list& state) {
             located(kName, [&] { stream.set_state(arrays_of(state)); });
           })
      .def("state_names", &layout::Stream::state_names)
      .def("result_axes", &layout::Stream::result_axes)
      .def("program", &layout::Stream::program)
      .def("explain",
           [](const layout::Stream& stream) { return released([&] { return stream.explain(); }); });
}

} // namespace kolam::python
