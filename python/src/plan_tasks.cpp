// The tasks of plans for engines of Python's world.
#include "kolam/frontend/array/plan_tasks.h"
#include "kolam/support/trace.h"

#include "bind.h"
#include "modules.h"
#include "registered.h"
#include "run_program.h"
#include "run_progress.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace kolam::python {
namespace {

nb::tuple block_object(const TaskBlock& block) {
  return nb::make_tuple(block.number, name(block.dtype), block.box.start(), block.box.end());
}

nb::tuple read_object(const TaskRead& read) {
  nb::list blocks;
  for (const TaskBlock& block : read.blocks)
    blocks.append(block_object(block));
  return nb::make_tuple(name(read.dtype), read.box.start(), read.box.end(), blocks);
}

nb::list task_objects(const Plan& plan) {
  nb::list all;
  for (const PlanTask& task : released([&] { return tasks_of(plan); })) {
    nb::list reads, writes;
    for (const TaskRead& read : task.reads)
      reads.append(read_object(read));
    for (const TaskBlock& block : task.writes)
      writes.append(block_object(block));
    all.append(nb::make_tuple(task.worker, task.piece, task.argument, reads, writes, task.offsets,
                              task.seconds, task.what, task.bytes));
  }
  return all;
}

/// What `name` gave.
DType dtype_of_name(nb::handle given) {
  const auto text = nb::cast<std::string>(given);
  const auto* found =
      std::ranges::find_if(kDTypes, [&](DType dtype) { return name(dtype) == text; });
  KOLAM_CHECK(found != std::end(kDTypes));
  return *found;
}

space::Box box_from(nb::handle start, nb::handle end) {
  return {nb::cast<std::vector<int64_t>>(start), nb::cast<std::vector<int64_t>>(end)};
}

/// Bytes as the array that they are; memory that starts at an odd place is copied.
Array array_of_bytes(nb::handle given, DType dtype, const space::Box& box) {
  const Array bytes = to_array(given, "block");
  const std::vector<int64_t> shape = space::shape(box);
  const int64_t expected = runtime::checked_size(dtype, shape) * byte_width(dtype);
  if (bytes.byte_count() != expected)
    fail(ErrorKind::value, "buffer-mismatch",
         "expected a block of " + std::to_string(expected) + " bytes, but got " +
             std::to_string(bytes.byte_count()));
  const bool is_aligned =
      reinterpret_cast<uintptr_t>(bytes.data()) % static_cast<uintptr_t>(byte_width(dtype)) == 0;
  return is_aligned ? Array::view(bytes.buffer(), bytes.byte_offset(), dtype, shape)
                    : Array::copy_of(dtype, shape, bytes.data());
}

/// (dtype, start, end, [(bytes, start, end)]): a box of blocks.
Array read_from(nb::handle given) {
  const DType dtype = dtype_of_name(given[0]);
  std::vector<PlacedBlock> blocks;
  for (nb::handle block : given[3]) {
    const space::Box box = box_from(block[1], block[2]);
    blocks.push_back({array_of_bytes(block[0], dtype, box), box});
  }
  return assembled(dtype, box_from(given[1], given[2]), blocks);
}

Array as_bytes(const Array& array) {
  return Array::view(array.buffer(), array.byte_offset(), DType::u8, {array.byte_count()});
}

} // namespace

void bind_plan_tasks(nb::module_& module) {
  module.def("_plan_tasks", task_objects);
  module.def("_plan_pieces", pieces_of);
  module.def("_plan_results", [](const Plan& plan) {
    nb::list all;
    for (const PlanResult& result : results_of(plan))
      all.append(nb::make_tuple(read_object(result.whole), result.numbers, result.argument));
    return all;
  });
  module.def("_plan_captured", [](const Plan& plan) {
    nb::list all;
    for (const Array& array : captured_of(plan))
      all.append(to_python(Array(array)));
    return all;
  });
  module.def(
      "_run_piece",
      [](const std::string& text, const nb::list& reads, const std::vector<int64_t>& offsets,
         const nb::object& kept) {
        std::vector<Array> arrays;
        for (nb::handle read : reads)
          arrays.push_back(read_from(read));
        const KeptResults* store = kept.is_none() ? nullptr : nb::cast<const KeptResults*>(kept);
        PieceResults given =
            located("Plan.run", [&] { return run_piece(text, std::move(arrays), offsets, store); });
        nb::list all;
        for (const Array& result : given.results)
          all.append(to_python(as_bytes(result)));
        return nb::make_tuple(all, given.is_found);
      },
      nb::arg("text"), nb::arg("reads"), nb::arg("offsets"), nb::arg("kept").none());
  module.def("_collect_trace", collect_trace);
  module.def("_has_trace", is_tracing);
  module.def("_take_trace", [] {
    nb::list all;
    for (const TraceEvent& event : take_trace())
      all.append(nb::make_tuple(event.name, event.category, event.start, event.duration,
                                event.process, event.thread));
    return all;
  });
  module.def("_add_to_trace", [](const nb::list& given) {
    std::vector<TraceEvent> events;
    for (nb::handle event : given)
      events.push_back({.name = nb::cast<std::string>(event[0]),
                        .category = nb::cast<std::string>(event[1]),
                        .start = nb::cast<int64_t>(event[2]),
                        .duration = nb::cast<int64_t>(event[3]),
                        .process = nb::cast<int64_t>(event[4]),
                        .thread = nb::cast<int64_t>(event[5])});
    add_to_trace(events);
  });
  module.def("_assembled", [](const nb::tuple& read) { return to_python(read_from(read)); });
  module.def("_box_of_array", [](nb::handle given, const std::vector<int64_t>& start,
                                 const std::vector<int64_t>& end) {
    const Array whole = to_array(given, "argument");
    const space::Box all = space::Box::of_shape(whole.shape());
    return to_python(as_bytes(assembled(whole.dtype(), {start, end}, {{whole, all}})));
  });
  module.def("_box_of_file", [](const std::string& path, const std::vector<int64_t>& start,
                                const std::vector<int64_t>& end) {
    const space::Box box(start, end);
    return to_python(as_bytes(runtime::NpyReader(path).read(start, space::shape(box))));
  });
  nb::class_<TaskClock>(module, "_TaskClock")
      .def(
          "__init__",
          [](TaskClock* clock, int64_t tasks, int64_t bytes, const nb::object& progress) {
            new (clock) TaskClock(tasks, bytes, teller(progress));
          },
          nb::arg("tasks"), nb::arg("bytes"), nb::arg("progress").none())
      .def("ended", &TaskClock::ended)
      .def("finish", &TaskClock::finish)
      .def("seconds", &TaskClock::seconds);
  nb::class_<runtime::NpyWriter>(module, "_NpyWriter")
      .def("__init__",
           [](runtime::NpyWriter* writer, const std::string& path, const std::string& dtype,
              const std::vector<int64_t>& shape) {
             UserCall scope("Plan.run");
             new (writer) runtime::NpyWriter(path, dtype_of_name(nb::cast(dtype)), shape);
           })
      .def("write",
           [](runtime::NpyWriter& writer, const std::string& dtype,
              const std::vector<int64_t>& start, const std::vector<int64_t>& end,
              nb::handle bytes) {
             UserCall scope("Plan.run");
             writer.write(start,
                          array_of_bytes(bytes, dtype_of_name(nb::cast(dtype)), {start, end}));
           })
      .def("commit", [](runtime::NpyWriter& writer) {
        UserCall scope("Plan.run");
        writer.commit();
      });
}

} // namespace kolam::python
