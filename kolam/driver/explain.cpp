// Explains programs.
#include "kolam/driver/explain.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/ops.h"
#include "kolam/nest/nest.h"
#include "kolam/rewrite/simplify.h"

namespace kolam::driver {
namespace {

constexpr double kUnknownTurns = 1e5;

double count(const Shape& shape) {
  double product = 1;
  for (const Extent& extent : shape)
    product *= static_cast<double>(extent.constant().value_or(1000));
  return product;
}

double bytes(mlir::Value value) {
  return count(ir::shape_of(value)) * byte_width(ir::dtype_of(value));
}

double flops(mlir::Operation* op) {
  if (op->getNumResults() == 0)
    return 0;
  return count(ir::shape_of(op->getResult(0))) * std::max(1.0, analysis::flops_per_cell(op));
}

/// How often an op runs, by the loops around it; a loop whose end only the run knows counts as
/// kUnknownTurns.
double turns(mlir::Operation* op) {
  double product = 1;
  for (mlir::Operation* outer = op->getParentOp(); outer; outer = outer->getParentOp()) {
    if (auto scan = llvm::dyn_cast<ir::ScanOp>(outer))
      product *= count(scan.getLength().shape());
    else if (llvm::isa<ir::ForOp, ir::WhileOp>(outer))
      product *= kUnknownTurns;
  }
  return product;
}

std::string label(mlir::Operation* op) {
  if (auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op))
    return elementwise.getFunction().str();
  return op->getName().stripDialect().str();
}

nest::NestList nests_of(const Module& program, mlir::OwningOpRef<mlir::ModuleOp>& copy) {
  copy = program.module.get().clone();
  rewrite::simplify(*copy);
  return nest::form_nests(copy->lookupSymbol<mlir::func::FuncOp>("main"));
}

} // namespace

std::string explain(const Module& program, const Options&) {
  mlir::OwningOpRef<mlir::ModuleOp> copy;
  nest::NestList nests = nests_of(program, copy);
  std::string text = nest::to_string(nests);
  for (const nest::Nest& nest : nests.nests) {
    double moved = 0, work = flops(nest.root);
    for (mlir::Value value : nest.outputs)
      moved += bytes(value);
    for (mlir::Value value : nest.inputs)
      moved += bytes(value);
    for (mlir::Operation* op : nest.fused)
      work += flops(op);
    text += nest.name + ": " + std::to_string(static_cast<int64_t>(moved)) + " bytes, " +
            std::to_string(static_cast<int64_t>(work)) + " flops\n";
  }
  for (const nest::Decision& decision : nests.decisions)
    text += label(decision.producer) + " -> " + label(decision.consumer) + ": " +
            (decision.reason.empty() ? "fused" : "not fused: " + decision.reason) + "\n";
  return text;
}

std::map<std::string, double> cost(const Module& program, const Options&) {
  std::map<std::string, double> result{{"flops", 0}, {"bytes", 0}};
  program.module.get()->walk([&](mlir::Operation* op) {
    if (op->getName().getDialectNamespace() != "kolam" || llvm::isa<ir::YieldOp>(op))
      return;
    double often = turns(op);
    result["flops"] += often * flops(op);
    for (mlir::Value value : op->getOperands())
      result["bytes"] += often * bytes(value);
    for (mlir::Value value : op->getResults())
      result["bytes"] += often * bytes(value);
  });
  return result;
}

std::string as_dot(const Module& program) {
  std::string text = "digraph program {\n  node [shape=box];\n";
  llvm::DenseMap<mlir::Value, std::string> names;
  int next = 0;
  auto add_node = [&](const std::string& what) {
    std::string node = "n" + std::to_string(next++);
    text += "  " + node + " [label=\"" + what + "\"];\n";
    return node;
  };
  auto type_text = [](mlir::Value value) {
    return std::string(name(ir::dtype_of(value))) + to_string(ir::shape_of(value));
  };
  mlir::Block& body = program.main().getBody().front();
  for (mlir::BlockArgument argument : body.getArguments())
    names[argument] = add_node("argument " + std::to_string(argument.getArgNumber()));
  for (mlir::Operation& op : body) {
    std::string node = add_node(op.hasTrait<mlir::OpTrait::IsTerminator>() ? "return" : label(&op));
    for (mlir::Value operand : op.getOperands())
      text += "  " + names[operand] + " -> " + node + " [label=\"" + type_text(operand) + "\"];\n";
    for (mlir::Value result : op.getResults())
      names[result] = node;
  }
  return text + "}\n";
}

} // namespace kolam::driver
