// Groups refusals by their reasons.
#include "kolam/driver/refusals.h"

#include "kolam/driver/op_names.h"
#include "kolam/nest/why_one_part.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>

namespace kolam::driver {
namespace {

/// A reason with n for each number: `each element is read n times and costs n operations`.
std::string without_numbers(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    bool is_word = i > 0 && (llvm::isAlnum(text[i - 1]) || text[i - 1] == '_');
    if (!llvm::isDigit(text[i]) || (is_word && !llvm::isDigit(text[i - 1])))
      result += text[i];
    else if (i == 0 || !llvm::isDigit(text[i - 1]))
      result += 'n';
  }
  return result;
}

/// The operations of a nest as the runtime counts them; nullopt where only a call knows.
std::optional<double> flops_of(const NestStep& step, const StepProgram& program) {
  if (step.buffers.empty())
    return std::nullopt;
  std::optional<int64_t> count = element_count(program.buffers[step.buffers[0]].shape).constant();
  return count ? std::optional(static_cast<double>(*count) * step.flops_per_cell) : std::nullopt;
}

} // namespace

void Refusals::add(const std::string& what, const std::string& reason, mlir::Operation* op) {
  std::string text = what + ": " + reason, key = without_numbers(text);
  Group& group = groups_[key];
  if (group.count++ == 0)
    group.shown = text;
  else if (group.shown != text)
    group.shown = key;
  if (std::string line = line_of(op); !line.empty() && !llvm::is_contained(group.lines, line))
    group.lines.push_back(line);
}

void Refusals::add_decisions(const std::vector<nest::Decision>& decisions) {
  for (const nest::Decision& decision : decisions)
    if (!decision.reason.empty())
      add("not fused", decision.reason, decision.producer);
}

void Refusals::add_walk(const nest::Nest& nest, const std::string& why_one_lane,
                        const std::vector<std::string>& fallbacks) {
  if (!why_one_lane.empty())
    add("one lane", why_one_lane, nest.root);
  for (const std::string& fallback : fallbacks)
    add("element by element", "it " + fallback, nest.root);
}

void Refusals::add_threads(const nest::NestList& nests) {
  for_each_step(nests.program.steps, [&](const Step& any) {
    const auto* step = std::get_if<NestStep>(&any.what);
    if (!step)
      return;
    const nest::Nest& nest = nests.nests[step->nest];
    std::optional<double> flops = flops_of(*step, nests.program);
    if (std::string reason = nest::why_one_part(nest); !reason.empty())
      add("one thread", reason, nest.root);
    else if (flops && *flops < step->least_flops)
      add("one thread",
          "it is less than " + std::to_string(static_cast<int64_t>(step->least_flops)) +
              " operations",
          nest.root);
  });
}

std::string Refusals::to_string() const {
  constexpr size_t kMostLines = 6;
  std::vector<const Group*> groups;
  for (const auto& [key, group] : groups_)
    groups.push_back(&group);
  llvm::sort(groups, [](const Group* a, const Group* b) {
    return std::pair(-a->count, a->shown) < std::pair(-b->count, b->shown);
  });
  std::string text = groups.empty() ? "" : "refused, by reason:\n";
  for (const Group* group : groups) {
    text += "  " + std::to_string(group->count) + (group->count == 1 ? " time " : " times ") +
            group->shown;
    for (size_t i = 0; i < group->lines.size(); ++i)
      text += i == kMostLines ? ", ..." : i > kMostLines ? "" : (i ? ", " : " (") + group->lines[i];
    text += group->lines.empty() ? "\n" : ")\n";
  }
  return text;
}

} // namespace kolam::driver
