// Writes plans in Graphviz's language.
#include "kolam/plan/picture.h"

#include "kolam/plan/drawn.h"

#include <algorithm>

namespace kolam::plans {
namespace {

std::string tensor_node(const Drawn& drawn, size_t number) {
  const std::vector<Shard>& shards = drawn.shards[number];
  const bool is_drawn = shards.size() <= kDrawnShards;
  const std::vector<std::vector<Shard>> rows =
      is_drawn ? rows_of_shards(shards) : std::vector<std::vector<Shard>>{};
  size_t span = 1;
  for (const std::vector<Shard>& row : rows)
    span = std::max(span, row.size());
  std::string cells = "<tr><td colspan=\"" + std::to_string(span) + "\">" +
                      escaped(title_of(drawn.plan.tensors[number])) + "</td></tr>";
  if (!is_drawn)
    cells += "<tr><td>" + std::to_string(shards.size()) + " shards</td></tr>";
  for (const std::vector<Shard>& row : rows) {
    cells += "<tr>";
    for (const Shard& shard : row) {
      const std::string worker = std::to_string(shard.worker);
      cells += "<td bgcolor=\"" + colour_of(shard.worker) + "\" title=\"worker " + worker + ": " +
               space::to_string(shard.box) + "\" href=\"#\">" + worker + "</td>";
    }
    cells += "</tr>";
  }
  return "  t" + std::to_string(number) +
         " [label=<<table border=\"1\" cellborder=\"1\" cellspacing=\"0\">" + cells +
         "</table>>];\n";
}

std::string stage_node(const Drawn& drawn, size_t number) {
  const Stage& stage = drawn.plan.stages[number];
  const std::string own = "s" + std::to_string(number), dims = escaped(dims_text(stage.signature));
  std::string text = "  " + own +
                     " [shape=box, style=\"rounded,filled\", fillcolor=\"#f4f4f4\", label=<" +
                     escaped(stage.name) + "<br/>" + (dims.empty() ? " " : dims) + "<br/>" +
                     std::to_string(drawn.tasks[number]) + " tasks>];\n";
  for (const DrawnEdge& edge : drawn.edges[number]) {
    const std::string tensor = "t" + std::to_string(edge.tensor);
    text += "  " + (edge.is_written ? own + " -> " + tensor : tensor + " -> " + own) + " [label=\"";
    for (const std::string& row : edge.rows)
      text += "[" + row + "]\\l";
    text += "\"];\n";
  }
  return text;
}

} // namespace

std::string as_dot(const Plan& plan) {
  const Drawn drawn(plan);
  std::string text = "digraph plan {\n  rankdir=TB;\n"
                     "  node [shape=plain, fontname=\"sans-serif\"];\n"
                     "  edge [fontname=\"monospace\", fontsize=9];\n";
  for (size_t number = 0; number < plan.tensors.size(); ++number)
    text += tensor_node(drawn, number);
  for (size_t number = 0; number < plan.stages.size(); ++number)
    if (plan.stages[number].work != Work::load)
      text += stage_node(drawn, number);
  return text + "}\n";
}

} // namespace kolam::plans
