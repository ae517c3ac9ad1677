// Runs functions and regions op by op.
#include "kolam/interp/interpreter.h"

#include "kolam/interp/ops.h"
#include "kolam/ir/bind_sizes.h"
#include "kolam/ir/location.h"
#include "kolam/support/error.h"

#include "llvm/ADT/TypeSwitch.h"

namespace kolam::interp {

const Array& Evaluation::get(mlir::Value value) const {
  auto found = values_.find(value);
  KOLAM_CHECK(found != values_.end());
  return found->second;
}

void Evaluation::set(mlir::Value value, Array array) { values_[value] = std::move(array); }

std::vector<int64_t> Evaluation::sizes(const Shape& shape) const {
  std::vector<int64_t> result;
  for (const Extent& extent : shape)
    result.push_back(size(extent));
  return result;
}

Array Evaluation::make(mlir::Value result) const {
  return Array::uninitialized(ir::dtype_of(result), sizes(result.getType()));
}

std::vector<Array> Evaluation::run(mlir::Region& region, std::span<const Array> arguments) {
  mlir::Block& block = region.front();
  KOLAM_CHECK(block.getNumArguments() == arguments.size());
  for (auto [argument, array] : llvm::zip(block.getArguments(), arguments))
    set(argument, array);
  for (mlir::Operation& op : block.without_terminator())
    evaluate(&op, *this);
  std::vector<Array> results;
  for (mlir::Value value : block.getTerminator()->getOperands())
    results.push_back(get(value));
  return results;
}

Evaluation Evaluation::with_size(const std::string& symbol, int64_t size) const {
  Evaluation inner = *this;
  inner.sizes_[symbol] = size;
  return inner;
}

void evaluate(mlir::Operation* op, Evaluation& e) {
  if (e.options().cancel && *e.options().cancel)
    throw Error(ErrorKind::runtime, "cancelled", "stopped on request");
  llvm::TypeSwitch<mlir::Operation*>(op)
      .Case<ir::BroadcastOp, ir::ConstantOp, ir::ContractOp, ir::ElementwiseOp>(
          [&](auto typed) { evaluate_op(typed, e); })
      .Default([](mlir::Operation* other) {
        fail(ErrorKind::internal, "internal",
             "the interpreter has no meaning for " + other->getName().getStringRef().str());
      });
}

std::vector<Array> interpret(mlir::func::FuncOp function, std::span<const Array> arguments,
                             const Options& options) {
  mlir::TypeRange types = function.getArgumentTypes();
  if (types.size() != arguments.size())
    fail(ErrorKind::value, "argument-mismatch",
         "expected " + std::to_string(types.size()) + " arguments, but got " +
             std::to_string(arguments.size()));
  std::vector<std::vector<int64_t>> shapes;
  for (auto [index, array] : llvm::enumerate(arguments)) {
    if (array.dtype() != ir::dtype_of(types[index]))
      fail(ErrorKind::type, "argument-mismatch",
           "argument " + std::to_string(index) + ": expected dtype " +
               std::string(name(ir::dtype_of(types[index]))) + ", but got " +
               std::string(name(array.dtype())));
    shapes.push_back(array.shape());
  }
  Evaluation evaluation(options, ir::bind_sizes(types, shapes));
  return evaluation.run(function.getBody(), arguments);
}

} // namespace kolam::interp
