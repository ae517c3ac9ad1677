// Reads and writes the steps of traces.
#include "kolam/planner/rewritten.h"

namespace kolam::planner {

plans::Choice trace_of(const rewrite::Taken& taken) {
  plans::Choice entry{.name = taken.step.name,
                      .stage = taken.what,
                      .parameters = {{"op", std::to_string(taken.step.op)}},
                      .exact = taken.is_exact};
  for (const auto& [name, numbers] : taken.step.parameters) {
    std::string& text = entry.parameters[name];
    for (size_t i = 0; i < numbers.size(); ++i)
      text += (i ? "," : "") + std::to_string(numbers[i]);
  }
  return entry;
}

bool is_cut(const plans::Choice& entry) { return entry.name == "cut"; }

void rewrite_as(mlir::func::FuncOp main, const std::vector<plans::Choice>& trace) {
  for (const plans::Choice& entry : trace) {
    if (is_cut(entry) || entry.name == "spread") // said of the plan, not of the program
      continue;
    auto op = entry.parameters.find("op");
    std::string text = entry.name + " " + (op == entry.parameters.end() ? "?" : op->second);
    for (const auto& [name, numbers] : entry.parameters)
      if (name != "op")
        text += " " + name + "=" + numbers;
    rewrite::take(main, rewrite::parse_step(text),
                  entry.exact ? rewrite::Keeps::exact : rewrite::Keeps::reassociates);
  }
}

} // namespace kolam::planner
