// Goes through a program that maps sequences, op by op, and makes the program of a step.
#include "kolam/transform/stream.h"

#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"

#include "kolam/transform/interpret.h"
#include "kolam/transform/stream/rules.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kolam::transform {

namespace stream {

void apply(mlir::Operation* op, Steps& steps) {
  by_rule<void>(
      op, [&](auto typed) -> decltype(apply_rule(typed, steps)) { apply_rule(typed, steps); },
      [&](mlir::Operation* other) { apply_by_signature(other, steps); });
}

/// An op that a rule writes out stands in front of what it became.
void go_through(mlir::Block& block, Steps& steps) {
  for (mlir::Operation* op = &block.front(); op != block.getTerminator(); op = op->getNextNode()) {
    if (op->use_empty() && mlir::isMemoryEffectFree(op))
      continue;
    steps.at(op);
    const bool takes_sequence =
        llvm::any_of(op->getOperands(), [&](Value value) { return steps.find(value); });
    if (takes_sequence)
      apply(op, steps);
    else if (auto check = llvm::dyn_cast<ir::CheckOp>(op))
      steps.check_fixed(check);
    else if (op->getNumResults() == 0)
      refuse(op, "expected ops without effects, but got " + op_and_line(op));
  }
}

} // namespace stream

namespace {

mlir::Value last_row(language::Builder& b, mlir::Value stacked, const Extent& count) {
  mlir::Value row = language::slice_dim(b, stacked, 0, count - 1, 1);
  return language::squeeze(b, row, language::Axes{0});
}

} // namespace

StreamPrograms make_stream(mlir::func::FuncOp main,
                           const std::vector<std::optional<int64_t>>& dims) {
  stream::Steps steps(main, dims);
  stream::go_through(main.getBody().front(), steps);
  return steps.finish();
}

/// A scan whose carried states are those of the stream.
mlir::OwningOpRef<mlir::ModuleOp> chunk_of_stream(StreamPrograms& programs,
                                                  const std::vector<std::optional<int64_t>>& dims) {
  auto step = programs.step->lookupSymbol<mlir::func::FuncOp>("main");
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(step.getLoc());
  auto at_end = mlir::OpBuilder::atBlockEnd(module->getBody());
  auto main =
      mlir::func::FuncOp::create(at_end, step.getLoc(), "main", at_end.getFunctionType({}, {}));
  mlir::Block& block = *main.addEntryBlock();
  language::Builder b(step.getLoc(), mlir::OpBuilder::atBlockEnd(&block));
  const Extent count = Extent::symbol("steps");
  const auto elements = static_cast<size_t>(programs.elements), states = programs.states.size();
  const auto results = programs.results.size();

  std::vector<int64_t> axes;
  for (const std::optional<int64_t>& dim : dims)
    if (dim)
      axes.push_back(*dim);
  auto with_axis = [&](mlir::Type type, int64_t dim) {
    Shape shape = ir::shape_of(type);
    shape.insert(shape.begin() + dim, count);
    return ir::tensor_type(b.getContext(), ir::dtype_of(type), shape);
  };
  auto moved = [&](mlir::Value value, int64_t from, int64_t to) -> mlir::Value {
    return from == to ? value : language::moveaxis(b, value, {from}, {to});
  };
  language::Values xs, inits, captures;
  for (auto [number, argument] : llvm::enumerate(step.getArguments())) {
    const bool is_element = number < elements;
    mlir::Type type = is_element ? with_axis(argument.getType(), axes[number]) : argument.getType();
    mlir::Value given = block.addArgument(type, argument.getLoc());
    if (is_element)
      xs.push_back(moved(given, axes[number], 0));
    else
      (number < elements + states ? inits : captures).push_back(given);
  }
  // In the scan states come first, then elements, then what is kept; of the results states too.
  auto region = std::make_unique<mlir::Region>();
  auto* body = new mlir::Block;
  region->push_back(body);
  mlir::IRMapping map;
  auto take = [&](size_t first, size_t last) {
    for (size_t number = first; number < last; ++number) {
      mlir::Value argument = step.getArgument(static_cast<unsigned>(number));
      map.map(argument, body->addArgument(argument.getType(), argument.getLoc()));
    }
  };
  take(elements, elements + states);
  take(0, elements);
  take(elements + states, step.getNumArguments());
  mlir::Operation* end = step.getBody().front().getTerminator();
  language::Values yielded;
  llvm::SmallVector<mlir::Type> types;
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(body);
    for (mlir::Operation& op : step.getBody().front().without_terminator())
      b.clone(op, map);
    auto give = [&](size_t first, size_t last, bool is_stacked) {
      for (size_t number = first; number < last; ++number) {
        mlir::Value value = map.lookup(end->getOperand(static_cast<unsigned>(number)));
        yielded.push_back(value);
        types.push_back(is_stacked ? with_axis(value.getType(), 0) : value.getType());
      }
    };
    give(results, results + states, false);
    give(0, results, true);
    ir::YieldOp::create(b, yielded);
  }
  auto scan = ir::ScanOp::create(b, types, inits, xs, captures,
                                 ir::ExtentsAttr::of(b.getContext(), {count}), false);
  scan.getBody().takeBody(*region);
  language::Values given;
  for (auto [number, dim] : llvm::enumerate(programs.results)) {
    mlir::Value stacked = scan.getResult(static_cast<unsigned>(states + number));
    given.push_back(dim ? moved(stacked, 0, *dim) : last_row(b, stacked, count));
  }
  for (size_t number = 0; number < states; ++number)
    given.push_back(scan.getResult(static_cast<unsigned>(number)));
  mlir::func::ReturnOp::create(b, given);
  main.setFunctionType(
      b.getFunctionType(block.getArgumentTypes(), mlir::ValueRange(given).getTypes()));
  return module;
}

} // namespace kolam::transform
