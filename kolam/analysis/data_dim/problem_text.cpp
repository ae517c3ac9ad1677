// Writes problems of data dimensions and their solutions: for people, as a graph, as JSON.
#include "kolam/analysis/data_dim/problem.h"

#include "kolam/space/data_dim_rules.h"
#include "kolam/support/short_location.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kolam::analysis {
namespace {

using space::kAnyDim;

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char letter : text) {
    if (letter == '"' || letter == '\\')
      result += '\\';
    if (static_cast<unsigned char>(letter) < 0x20)
      result += "\\u00" + std::string(letter < 0x10 ? "0" : "1") + "0123456789abcdef"[letter % 16];
    else
      result += letter;
  }
  return result + "\"";
}

template <class Items, class Text> std::string joined(const Items& items, const Text& text) {
  std::string result;
  for (const auto& item : items)
    result += (result.empty() ? "" : ", ") + text(item);
  return result;
}

std::string numbers(const std::vector<int>& items) {
  return "[" + joined(items, [](int item) { return std::to_string(item); }) + "]";
}

std::string where_json(const SourceLocation& where) {
  return where ? "[" + quoted(where.file) + ", " + std::to_string(where.line) + "]" : "null";
}

const char* kind_name(DataDimOp::Kind kind) {
  switch (kind) {
  case DataDimOp::Kind::argument:
    return "argument";
  case DataDimOp::Kind::result:
    return "result";
  case DataDimOp::Kind::pin:
    return "pin";
  default:
    return "op";
  }
}

std::string row_json(const PricedRow& row) {
  return "{\"dims\": " + numbers(row.dims) + ", \"cost\": " + quoted(space::to_string(row.cost)) +
         ", \"variant\": " + quoted(space::to_string(row.variant)) +
         ", \"time\": " + std::to_string(row.time) + ", \"memory\": " + std::to_string(row.memory) +
         "}";
}

std::string total_text(const DataDimSolution& solution) {
  std::string text = "total " + std::to_string(solution.total);
  return solution.is_exact ? text : text + ", at least " + std::to_string(solution.bound);
}

} // namespace

std::string shape_text(const DataDimValue& value, int dim) {
  const Shape& shape = value.shape;
  std::string text = "[";
  auto add = [&](const std::string& part) { text += (text.size() > 1 ? " " : "") + part; };
  for (size_t at = 0; at <= shape.size(); ++at) {
    if (is_kept(dim) && (dim - kKeptDim) / 16 == static_cast<int>(at))
      add("(1!)");
    if (at == shape.size())
      break;
    std::string word = value.names.empty() ? "" : value.names[at];
    if (word.empty())
      word = shape[at].to_string();
    if (word.find(' ') != std::string::npos)
      word = "(" + word + ")";
    add(word + (static_cast<int>(at) == dim ? "!" : ""));
  }
  return text + "]";
}

std::string names_text(const DataDimProblem& problem) {
  std::vector<std::pair<std::string, std::vector<std::string>>> known;
  for (const DataDimOp& op : problem.ops) {
    for (size_t dim = 0; dim < op.names.size(); ++dim) {
      if (op.names[dim].empty())
        continue;
      const int value = op.operands.empty() ? op.results[0] : op.operands[0];
      const std::string extent = problem.values[value].shape[dim].to_string();
      auto found = std::ranges::find(known, op.names[dim], [](auto& name) { return name.first; });
      if (found == known.end())
        known.push_back({op.names[dim], {extent}});
      else if (std::ranges::find(found->second, extent) == found->second.end())
        found->second.push_back(extent);
    }
  }
  return joined(known, [](const auto& name) {
    std::string text;
    for (const std::string& extent : name.second)
      text += (text.empty() ? name.first + " " : " or ") + extent;
    return text;
  });
}

std::string op_text(const DataDimProblem& problem, const DataDimOp& op, const PricedRow& row) {
  const bool is_pin = op.kind == DataDimOp::Kind::pin; // the same before and behind
  std::string text = op.name;
  if (op.kind == DataDimOp::Kind::argument || op.kind == DataDimOp::Kind::result)
    text = std::string(kind_name(op.kind)) + " " + op.name;
  for (size_t at = 0; at < op.operands.size() && !is_pin; ++at)
    text += " " + shape_text(problem.values[op.operands[at]], row.dims[at]);
  if (!op.results.empty() && op.kind == DataDimOp::Kind::op)
    text += " ->";
  for (size_t at = 0; at < op.results.size(); ++at)
    text += " " + shape_text(problem.values[op.results[at]], row.dims[op.operands.size() + at]);
  return text;
}

std::string relayout_text(const DataDimProblem& problem, const Relayout& relayout) {
  const DataDimValue& value = problem.values[relayout.value];
  std::string line = short_location(value.where);
  return shape_text(value, relayout.from) + " to " + shape_text(value, relayout.to) + ", time " +
         std::to_string(relayout.time) + (line.empty() ? "" : ", " + line);
}

std::string cost_text(const PricedRow& row) {
  std::string text = space::to_string(row.cost), variant = space::to_string(row.variant);
  if (!variant.empty())
    text += ", " + variant;
  if (row.time != 0)
    text += ", time " + std::to_string(row.time);
  if (row.memory != 0)
    text += ", memory " + std::to_string(row.memory);
  return text;
}

std::string head_text(const DataDimProblem& problem, const DataDimSolution& solution) {
  return "profile " + problem.profile + ", costs " + problem.costs + ", " + total_text(solution);
}

std::string to_string(const DataDimProblem& problem, const DataDimSolution& solution) {
  std::string text = "profile " + problem.profile + ", costs " + problem.costs + "\n";
  if (std::string names = names_text(problem); !names.empty())
    text += "names " + names + "\n";
  for (size_t number = 0; number < problem.ops.size(); ++number) {
    const DataDimOp& op = problem.ops[number];
    const PricedRow& row = op.rows[solution.chosen[number]];
    std::string line = short_location(op.where);
    text += "  " + op_text(problem, op, row) + "  " + cost_text(row) +
            (line.empty() ? "" : "  " + line) + "\n";
  }
  for (const Relayout& relayout : solution.relayouts)
    text += "  relayout " + relayout_text(problem, relayout) + "\n";
  return text + total_text(solution) + "\n";
}

std::string as_dot(const DataDimProblem& problem, const DataDimSolution& solution) {
  std::string text = "digraph layout {\n  node [shape=box];\n";
  std::map<int, std::string> makers;
  for (size_t number = 0; number < problem.ops.size(); ++number) {
    const DataDimOp& op = problem.ops[number];
    const PricedRow& row = op.rows[solution.chosen[number]];
    const std::string name = "op" + std::to_string(number);
    text += "  " + name + " [label=" +
            quoted(op.name + " (" + space::to_string(row.cost) + ", " + std::to_string(row.time) +
                   ")") +
            "];\n";
    for (int value : op.results)
      makers.try_emplace(value, name);
  }
  for (size_t number = 0; number < problem.ops.size(); ++number) {
    const DataDimOp& op = problem.ops[number];
    const PricedRow& row = op.rows[solution.chosen[number]];
    for (size_t at = 0; at < op.operands.size(); ++at) {
      const int value = op.operands[at];
      const bool moves = row.dims[at] != kAnyDim && row.dims[at] != solution.made[value];
      std::string label = shape_text(problem.values[value], solution.made[value]);
      if (moves)
        label += " to " + shape_text(problem.values[value], row.dims[at]);
      text += "  " + (makers.contains(value) ? makers[value] : "value" + std::to_string(value)) +
              " -> op" + std::to_string(number) + " [label=" + quoted(label) +
              (moves ? ", color=red" : "") + "];\n";
    }
  }
  return text + "}\n";
}

std::string as_json(const DataDimProblem& problem, const DataDimSolution& solution) {
  std::string text = "{\"profile\": " + quoted(problem.profile) + ", \"mode\": " +
                     quoted(problem.mode == LayoutMode::strict ? "strict" : "repair") +
                     ", \"costs\": " + quoted(problem.costs) + ",\n \"values\": [";
  bool is_first = true;
  auto separate = [&] { text += std::exchange(is_first, false) ? "\n  " : ",\n  "; };
  for (size_t number = 0; number < problem.values.size(); ++number) {
    const DataDimValue& value = problem.values[number];
    separate();
    std::string extents =
        joined(value.shape, [](const Extent& extent) { return quoted(extent.to_string()); });
    std::string names = joined(value.names, [](const std::string& name) {
      return name.empty() ? std::string("null") : quoted(name);
    });
    text += "{\"type\": " + quoted(value.type) + ", \"shape\": [" + extents + "], \"names\": [" +
            names + "], \"where\": " + where_json(value.where) +
            ", \"dims\": " + numbers(value.dims) +
            ", \"made\": " + std::to_string(solution.made[number]) + ", \"relayouts\": [" +
            joined(value.relayouts,
                   [](int64_t cost) {
                     return cost >= kForbidden ? std::string("null") : std::to_string(cost);
                   }) +
            "]}";
  }
  text += "],\n \"ops\": [";
  is_first = true;
  for (size_t number = 0; number < problem.ops.size(); ++number) {
    const DataDimOp& op = problem.ops[number];
    const PricedRow& row = op.rows[solution.chosen[number]];
    separate();
    text += "{\"kind\": " + quoted(kind_name(op.kind)) + ", \"name\": " + quoted(op.name) +
            ", \"text\": " + quoted(op_text(problem, op, row)) +
            ", \"where\": " + where_json(op.where) +
            ", \"pinned\": " + (op.is_pinned ? "true" : "false") +
            ", \"operands\": " + numbers(op.operands) + ", \"results\": " + numbers(op.results) +
            ", \"rows\": [" + joined(op.rows, row_json) +
            "], \"chosen\": " + std::to_string(solution.chosen[number]) +
            ", \"time\": " + std::to_string(row.time) +
            ", \"memory\": " + std::to_string(row.memory) + "}";
  }
  text += "],\n \"relayouts\": [";
  is_first = true;
  for (const Relayout& relayout : solution.relayouts) {
    separate();
    text += "{\"value\": " + std::to_string(relayout.value) +
            ", \"from\": " + std::to_string(relayout.from) +
            ", \"to\": " + std::to_string(relayout.to) +
            ", \"time\": " + std::to_string(relayout.time) + "}";
  }
  return text + "],\n \"inputs\": " + numbers(problem.arguments) +
         ", \"outputs\": " + numbers(problem.results) +
         ",\n \"total\": " + std::to_string(solution.total) +
         ", \"bound\": " + std::to_string(solution.bound) +
         ", \"exact\": " + (solution.is_exact ? "true" : "false") + "}\n";
}

} // namespace kolam::analysis
