// Draws programs.
#include "kolam/driver/dot.h"

#include "kolam/driver/explain.h"

#include "kolam/ir/argument_names.h"
#include "kolam/language/lists.h"

namespace kolam::driver {
namespace {

class Drawing {
public:
  std::string draw(mlir::func::FuncOp main) {
    draw(main.getBody().front(), "return", "  ");
    return "digraph program {\n  compound=true;\n  node [shape=box];\n" + nodes_ + edges_ + "}\n";
  }

private:
  std::string add_node(const std::string& label, const std::string& indent) {
    std::string node = "n" + std::to_string(next_++);
    nodes_ += indent + node + " [label=" + quoted(label) + "];\n";
    return node;
  }

  /// Of a body's argument the number.
  static std::string argument_name(mlir::BlockArgument argument) {
    auto main = llvm::dyn_cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
    return main ? ir::argument_names(main)[argument.getArgNumber()]
                : std::to_string(argument.getArgNumber());
  }

  void draw(mlir::Block& block, const std::string& end, const std::string& indent) {
    for (mlir::BlockArgument argument : block.getArguments())
      names_[argument] = add_node(ir::argument_text(argument_name(argument)), indent);
    for (mlir::Operation& op : block) {
      bool is_end = op.hasTrait<mlir::OpTrait::IsTerminator>();
      std::string node = add_node(is_end ? end : label_of(&op), indent);
      for (mlir::Value operand : op.getOperands())
        edges_ += "  " + names_[operand] + " -> " + node +
                  " [label=" + quoted(language::describe_type(operand.getType())) + "];\n";
      for (mlir::Value result : op.getResults())
        names_[result] = node;
      for (mlir::Region& region : op.getRegions())
        if (!region.empty())
          draw_body(op, region, node, indent);
    }
  }

  /// A cluster, which the op points at.
  void draw_body(mlir::Operation& op, mlir::Region& region, const std::string& node,
                 const std::string& indent) {
    std::string cluster = "cluster_" + std::to_string(clusters_++);
    std::string label = label_of(&op);
    if (op.getNumRegions() > 1)
      label += " " + std::to_string(region.getRegionNumber());
    nodes_ += indent + "subgraph " + cluster + " {\n" + indent + "  label=" + quoted(label) + ";\n";
    std::string first = "n" + std::to_string(next_);
    draw(region.front(), "yield", indent + "  ");
    nodes_ += indent + "}\n";
    edges_ += "  " + node + " -> " + first + " [style=dashed, lhead=" + cluster + "];\n";
  }

  llvm::DenseMap<mlir::Value, std::string> names_;
  std::string nodes_, edges_;
  int next_ = 0, clusters_ = 0;
};

} // namespace

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c == '\n' ? "\\n" : std::string(1, c);
  }
  return result + "\"";
}

std::string as_dot(const Module& program) { return Drawing().draw(program.main()); }

} // namespace kolam::driver
