// Draws the parallel functions of a program, one inside the other.
#include "kolam/driver/dot.h"
#include "kolam/driver/picture.h"

#include "kolam/ir/ops.h"

namespace kolam::driver {
namespace {

using analysis::Block;
using analysis::BlockGraph;
using analysis::Dim;
using analysis::DimKind;

constexpr size_t kMostWidth = 70;

bool is_nest(mlir::Operation* op) { return ir::facts_of(op).bodies == ir::Bodies::of_lists; }

/// What the graph knows of ops: dims of parallel functions, blocks at their first ops.
struct Known {
  explicit Known(const BlockGraph& graph) {
    for (const Block& block : graph.blocks) {
      if (block.cell.empty())
        continue;
      blocks[block.cell.front()] = &block;
      mlir::Operation* op = block.cell.front()->getParentOp();
      for (size_t dim = block.dims.size(); dim-- > 0; op = op->getParentOp())
        dims[op] = {dim, block.dims[dim]};
    }
  }
  llvm::DenseMap<mlir::Operation*, const Block*> blocks;
  llvm::DenseMap<mlir::Operation*, std::pair<size_t, Dim>> dims;
};

std::string title(mlir::Operation* op, const Known& known) {
  if (auto found = known.dims.find(op); found != known.dims.end()) {
    const auto& [number, dim] = found->second;
    std::string text = analysis::to_string(std::vector<Dim>{dim}), first = analysis::dim_name(0);
    return text.replace(text.find(first), first.size(), analysis::dim_name(number));
  }
  // Its body only says where elements are.
  auto scan = llvm::dyn_cast<ir::ListScanOp>(op);
  return llvm::isa<ir::ListMapOp>(op)      ? "map"
         : llvm::isa<ir::ListReduceOp>(op) ? "reduce"
         : scan.getReverse()               ? "scan from the last"
                                           : "scan";
}

std::string line_of(const Block& block) {
  std::string text = block.name + ":";
  for (mlir::Operation* op : block.cell) {
    if (text.size() > kMostWidth)
      return text + " ...";
    text += " " + analysis::label_of(op);
  }
  return text;
}

using Lines = std::vector<std::string>;

Lines boxed(const std::string& title, const Lines& inside) {
  size_t width = title.size() + 1;
  for (const std::string& line : inside)
    width = std::max(width, line.size());
  Lines result{"+- " + title + " " + std::string(width - title.size() - 1, '-') + "+"};
  for (const std::string& line : inside)
    result.push_back("| " + line + std::string(width - line.size(), ' ') + " |");
  result.push_back("+" + std::string(width + 2, '-') + "+");
  return result;
}

Lines draw(mlir::Block& body, const Known& known) {
  Lines lines;
  for (mlir::Operation& op : body) {
    if (auto block = known.blocks.find(&op); block != known.blocks.end())
      lines.push_back(line_of(*block->second));
    if (is_nest(&op))
      llvm::append_range(lines, boxed(title(&op, known), draw(op.getRegion(0).front(), known)));
  }
  return lines;
}

void draw_dot(mlir::Block& body, const Known& known, const std::string& indent, int& clusters,
              std::string& text) {
  for (mlir::Operation& op : body) {
    if (auto block = known.blocks.find(&op); block != known.blocks.end())
      text += indent + block->second->name + " [label=" + quoted(line_of(*block->second)) + "];\n";
    if (!is_nest(&op))
      continue;
    int number = clusters++;
    text += indent + "subgraph cluster_" + std::to_string(number) + " {\n" + indent +
            "  label=" + quoted(title(&op, known)) + ";\n" + indent + "  p" +
            std::to_string(number) + " [style=invis, shape=point];\n"; // graphviz drops empty ones
    draw_dot(op.getRegion(0).front(), known, indent + "  ", clusters, text);
    text += indent + "}\n";
  }
}

} // namespace

std::string structure_text(mlir::func::FuncOp function, const BlockGraph& graph) {
  std::string text;
  for (const std::string& line : draw(function.getBody().front(), Known(graph)))
    text += line + "\n";
  return text;
}

std::string structure_dot(mlir::func::FuncOp function, const BlockGraph& graph) {
  std::string text = "digraph structure {\n  node [shape=box];\n";
  int clusters = 0;
  draw_dot(function.getBody().front(), Known(graph), "  ", clusters, text);
  return text + "}\n";
}

} // namespace kolam::driver
