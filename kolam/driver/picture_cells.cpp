// Draws what cells compute, as trees: results above their operands.
#include "kolam/driver/dot.h"
#include "kolam/driver/picture.h"

#include "kolam/ir/ops.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Format.h"

#include <deque>

namespace kolam::driver {
namespace {

using analysis::Block;
using analysis::BlockGraph;

/// Trees deeper than this go on further below.
constexpr size_t kMostDepth = 40;

bool is_outside(mlir::Operation* op, const llvm::DenseSet<mlir::Operation*>& cell) {
  return !op || !cell.contains(op);
}

/// What stands for an operand that the cell does not compute: where it is read, or a number.
std::string leaf_text(const BlockGraph& graph, const Block& block, mlir::Value value,
                      const llvm::DenseMap<mlir::Value, size_t>& reads) {
  if (auto found = reads.find(value); found != reads.end()) {
    std::string text;
    for (const analysis::Part& part : block.reads[found->second].parts)
      text += (text.empty() ? "" : " | ") + analysis::to_string(graph, part);
    return text;
  }
  mlir::Operation* op = value.getDefiningOp();
  while (op && llvm::isa<ir::BroadcastOp, ir::CastOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto constant = llvm::dyn_cast_if_present<ir::ConstantOp>(op);
  auto elements = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || !elements.isSplat())
    return "constant";
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(elements.getSplatValue<mlir::Attribute>()))
    stream << llvm::format("%g", number.getValueAsDouble());
  else if (auto number =
               llvm::dyn_cast<mlir::IntegerAttr>(elements.getSplatValue<mlir::Attribute>()))
    stream << number.getValue();
  return text;
}

/// A block's cell and its leaves.
struct Cell {
  Cell(const BlockGraph& graph, const Block& block) : graph(graph), block(block) {
    for (mlir::Operation* op : block.cell)
      ops.insert(op);
    for (auto [number, read] : llvm::enumerate(block.reads))
      if (read.value)
        reads[read.value] = number;
  }
  /// Ops that the others of the cell do not use.
  std::vector<mlir::Operation*> roots() const {
    std::vector<mlir::Operation*> result;
    for (mlir::Operation* op : block.cell)
      if (llvm::none_of(op->getUsers(), [&](mlir::Operation* user) { return ops.contains(user); }))
        result.push_back(op);
    return result;
  }
  std::string leaf(mlir::Value value) const { return leaf_text(graph, block, value, reads); }

  const BlockGraph& graph;
  const Block& block;
  llvm::DenseSet<mlir::Operation*> ops;
  llvm::DenseMap<mlir::Value, size_t> reads;
};

/// Trees of one cell. An op that is used twice has a number where it stands, `(1)`, and at other
/// places only that.
class Trees {
public:
  explicit Trees(const Cell& cell) : cell_(cell) {}

  std::string draw() {
    std::vector<mlir::Operation*> roots = cell_.roots();
    open_.assign(roots.begin(), roots.end());
    while (!open_.empty()) {
      mlir::Operation* root = open_.front();
      open_.pop_front();
      if (!drawn_.contains(root))
        add(root, "  ", "  ", 0);
    }
    return text_;
  }

private:
  void add(mlir::Operation* op, const std::string& first, const std::string& rest, size_t depth) {
    bool is_far = depth > kMostDepth;
    std::string label = analysis::label_of(op) + number_text(op, is_far);
    if (drawn_.contains(op) || is_far) {
      text_ += first + label + " again\n";
      if (is_far)
        open_.push_back(op);
      return;
    }
    drawn_.insert(op);
    text_ += first + label + "\n";
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      bool is_last = number + 1 == op->getNumOperands();
      std::string branch = rest + (is_last ? "`- " : "|- ");
      mlir::Operation* inner = operand.getDefiningOp();
      if (is_outside(inner, cell_.ops))
        text_ += branch + cell_.leaf(operand) + "\n";
      else
        add(inner, branch, rest + (is_last ? "   " : "|  "), depth + 1);
    }
  }

  std::string number_text(mlir::Operation* op, bool is_far) {
    int64_t uses = 0;
    for (mlir::OpOperand& use : op->getUses())
      uses += cell_.ops.contains(use.getOwner());
    if (uses < 2 && !is_far && !numbers_.contains(op))
      return "";
    auto number = numbers_.try_emplace(op, numbers_.size() + 1).first->second;
    return " (" + std::to_string(number) + ")";
  }

  const Cell& cell_;
  std::string text_;
  std::deque<mlir::Operation*> open_;
  llvm::DenseSet<mlir::Operation*> drawn_;
  llvm::DenseMap<mlir::Operation*, size_t> numbers_;
};

} // namespace

std::string cells_text(const BlockGraph& graph) {
  std::string text;
  for (const Block& block : graph.blocks) {
    text += block.name + ": " + analysis::to_string(block.dims) + "\n";
    text += block.cell.empty() ? "  moves a state\n" : Trees(Cell(graph, block)).draw();
  }
  return text;
}

std::string cells_dot(const BlockGraph& graph) {
  std::string text = "digraph cells {\n  node [shape=box];\n", edges;
  int next = 0;
  for (const Block& block : graph.blocks) {
    Cell cell(graph, block);
    llvm::DenseMap<mlir::Operation*, std::string> names;
    text += "  subgraph cluster_" + block.name + " {\n    label=" + quoted(block.name) + ";\n";
    auto add_node = [&](const std::string& label, const char* form) {
      std::string name = "n" + std::to_string(next++);
      text += "    " + name + " [label=" + quoted(label) + form + "];\n";
      return name;
    };
    for (mlir::Operation* op : block.cell)
      names[op] = add_node(analysis::label_of(op), "");
    for (mlir::Operation* op : block.cell)
      for (mlir::Value operand : op->getOperands()) {
        mlir::Operation* inner = operand.getDefiningOp();
        std::string from = is_outside(inner, cell.ops)
                               ? add_node(cell.leaf(operand), ", shape=plaintext")
                               : names[inner];
        edges += "  " + from + " -> " + names[op] + ";\n";
      }
    text += "  }\n";
  }
  return text + edges + "}\n";
}

} // namespace kolam::driver
