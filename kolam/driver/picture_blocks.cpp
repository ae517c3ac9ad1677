// Draws blocks and buffers, with the access maps of edges.
#include "kolam/driver/dot.h"
#include "kolam/driver/picture.h"

#include <set>

namespace kolam::driver {

using analysis::Block;
using analysis::Part;

std::string blocks_dot(const analysis::BlockGraph& graph) {
  std::string text = "digraph blocks {\n", edges;
  std::set<int> buffers;
  auto buffer = [&](int number) {
    buffers.insert(number);
    return number == analysis::kUnlisted ? std::string("unlisted") : "v" + std::to_string(number);
  };
  auto map_text = [&](const Part& part, const std::vector<analysis::Dim>& dims) {
    std::string map = analysis::to_string(graph, part), where = to_string(part.where, dims);
    map.erase(0, std::min(map.find('['), map.size()));
    if (!where.empty())
      map += (map.empty() ? "" : "\n") + where.substr(1);
    return quoted(map);
  };
  for (const Block& block : graph.blocks) {
    text += "  " + block.name +
            " [shape=box, label=" + quoted(block.name + "\n" + analysis::to_string(block.dims)) +
            "];\n";
    for (const analysis::Read& read : block.reads)
      for (const Part& part : read.parts)
        edges += "  " + buffer(part.buffer) + " -> " + block.name +
                 " [label=" + map_text(part, block.dims) + "];\n";
    for (const analysis::Write& write : block.writes)
      edges += "  " + block.name + " -> " + buffer(write.part.buffer) +
               " [label=" + map_text(write.part, block.dims) + "];\n";
  }
  for (const auto& [result, parts] : graph.shown)
    for (const Part& part : parts)
      edges += "  " + buffer(part.buffer) + " -> " + buffer(result) +
               " [style=dashed, label=" + map_text(part, {}) + "];\n";
  for (int number : buffers) {
    std::string label = "more parts than are listed";
    if (number != analysis::kUnlisted) {
      std::string type;
      for (const Extent& length : graph.buffers[number].lengths)
        type += "[" + length.to_string() + "]";
      type += graph.buffers[number].leaf;
      label = graph.buffers[number].name + (type.empty() ? "" : "\n" + type);
    }
    text += "  " + buffer(number) + " [shape=ellipse, label=" + quoted(label) + "];\n";
  }
  return text + edges + "}\n";
}

} // namespace kolam::driver
