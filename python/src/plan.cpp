// Plans of programs.
#include "kolam/frontend/array/plan.h"

#include "bind.h"
#include "custom_partitioning.h"
#include "modules.h"
#include "registered.h"
#include "run_program.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace kolam::python {
namespace {

constexpr const char* kName = "plan";

PlanOptions options_from(const nb::dict& given) {
  PlanOptions options;
  options.workers = nb::cast<int64_t>(given["workers"]);
  options.memory_per_worker = nb::cast<int64_t>(given["memory_per_worker"]);
  options.objective = nb::cast<std::string>(given["objective"]);
  options.limits = nb::cast<std::map<std::string, double>>(given["limits"]);
  options.allow = nb::cast<std::string>(given["allow"]);
  options.seed = nb::cast<uint64_t>(given["seed"]);
  options.seconds = nb::cast<double>(given["seconds"]);
  options.steps = nb::cast<int64_t>(given["steps"]);
  options.keeps_results = nb::cast<bool>(given["keeps_results"]);
  options.choices = nb::cast<std::vector<std::string>>(given["choices"]);
  if (!given["machine"].is_none())
    options.machine = plans::machine_from_json(nb::cast<std::string>(given["machine"]));
  return options;
}

/// Arrays, and files by their path.
std::vector<PlanInput> inputs_from(const nb::list& given) {
  std::vector<PlanInput> inputs;
  for (nb::handle object : given)
    if (nb::isinstance<nb::str>(object))
      inputs.push_back(PlanInput::file(nb::cast<std::string>(object)));
    else
      inputs.push_back(to_array(object, "argument"));
  return inputs;
}

nb::list alternatives_of(const Plan& plan) {
  nb::list all;
  for (const PlanAlternative& one : plan.alternatives())
    all.append(nb::make_tuple(one.what, one.cost, one.why_not));
  return all;
}

nb::dict as_dict(const plans::Simulated& simulated) {
  nb::dict facts;
  facts["time"] = simulated.time;
  facts["busy"] = simulated.busy;
  facts["bytes_in"] = simulated.bytes_in;
  facts["peak_memory"] = simulated.peak_memory;
  nb::list timeline;
  for (const plans::Span& span : simulated.timeline)
    timeline.append(nb::make_tuple(span.worker, span.start, span.end, span.family, span.is_move));
  facts["timeline"] = timeline;
  return facts;
}

nb::list specs_of(const std::vector<TensorSpec>& specs) {
  nb::list all;
  for (const TensorSpec& spec : specs) {
    nb::list shape;
    for (const Extent& extent : spec.shape)
      shape.append(*extent.constant());
    all.append(nb::make_tuple(dtype_object(spec.dtype), nb::tuple(shape)));
  }
  return all;
}

} // namespace

void bind_plan(nb::module_& module) {
  bind_custom_partitioning(module);
  nb::class_<Plan>(module, "_Plan")
      .def_static("make",
                  [](const Program& program, const nb::dict& options) {
                    UserCall scope(kName);
                    const PlanOptions asked = options_from(options);
                    return released([&] { return kolam::plan(program, asked); });
                  })
      .def_static("random",
                  [](const Program& program, int64_t workers, uint64_t seed) {
                    UserCall scope("random_plan");
                    return released([&] { return random_plan(program, workers, seed); });
                  })
      .def_static("load",
                  [](const std::string& path) {
                    UserCall scope("Plan.load");
                    return Plan::load(path);
                  })
      .def_static("from_json",
                  [](const std::string& text) {
                    UserCall scope("Plan.from_json");
                    return Plan::from_json(text);
                  })
      .def("save",
           [](const Plan& plan, const std::string& path) {
             UserCall scope("Plan.save");
             plan.save(path);
           })
      .def("as_json", &Plan::as_json)
      .def("to_string", &Plan::to_string)
      .def("explain", &Plan::explain)
      .def("check", [](const Plan& plan) { return released([&] { return plan.check(); }); })
      .def("check_program",
           [](const Plan& plan, const Program& program) {
             return released([&] { return plan.check(program); });
           })
      .def("workers", [](const Plan& plan) { return plan.data().workers; })
      .def("cost", &Plan::cost)
      .def("front", &Plan::front)
      .def("alternatives", alternatives_of)
      .def("parameters", [](const Plan& plan) { return specs_of(plan.parameters()); })
      .def("results", [](const Plan& plan) { return specs_of(plan.results()); })
      .def("simulate",
           [](const Plan& plan, const std::string& machine) {
             UserCall scope("Plan.simulate");
             return as_dict(plan.simulate(plans::machine_from_json(machine)));
           })
      .def("run", [](const Plan& plan, const nb::list& given,
                     const std::map<int64_t, std::string>& out, const std::string& backend) {
        UserCall scope("Plan.run");
        std::vector<PlanInput> inputs = inputs_from(given);
        const Backend on = backend_from(backend);
        std::vector<Array> results =
            located("Plan.run", [&] { return plan.run(std::move(inputs), out, on); });
        nb::list objects;
        for (Array& array : results)
          objects.append(array ? to_python(std::move(array)) : nb::none());
        return objects;
      });
  module.def("_choice_rows", [] {
    nb::list rows;
    for (const ChoiceRow& row : choice_rows())
      rows.append(nb::make_tuple(row.name, row.equation, row.condition, row.parameters,
                                 row.is_exact, row.is_searched));
    return rows;
  });
  module.def("_possible_choices", [](const Program& program, const std::vector<std::string>& names,
                                     int64_t workers, const std::string& allow) {
    UserCall scope("possible_choices");
    nb::list all;
    for (const PossibleChoice& one :
         released([&] { return possible_choices(program, names, workers, allow); }))
      all.append(nb::make_tuple(one.text, one.what, one.is_exact));
    return all;
  });
  module.def("_rewritten", [](const Program& program, const std::vector<std::string>& choices,
                              int64_t workers, const std::string& allow) {
    UserCall scope("rewritten");
    return released([&] { return rewritten(program, choices, workers, allow); });
  });
  module.def("_local_machine", [](int64_t workers) {
    return released([&] { return plans::to_json(local_machine(workers)); });
  });
  module.def("_check_machine", [](const std::string& text) {
    UserCall scope("Machine");
    return plans::to_json(plans::machine_from_json(text));
  });
  module.def("_npy_spec", [](const std::string& path) {
    UserCall scope("source");
    const runtime::NpyReader reader(path);
    nb::list shape;
    for (int64_t extent : reader.shape())
      shape.append(extent);
    return nb::make_tuple(dtype_object(reader.dtype()), nb::tuple(shape));
  });
}

} // namespace kolam::python
