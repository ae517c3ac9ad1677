// Runs functions and regions op by op.
#include "kolam/interp/interpreter.h"

#include "kolam/interp/kernel_checker.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/interp/work.h"
#include "kolam/ir/argument_names.h"
#include "kolam/support/error.h"
#include "kolam/support/trace.h"

#include "llvm/ADT/TypeSwitch.h"

#include <optional>

namespace kolam::interp {
namespace {

/// Terminators and ops of other dialects.
[[noreturn]] void fail_without_meaning(mlir::Operation* op) {
  fail(ErrorKind::internal, "internal",
       "the interpreter has no meaning for " + op->getName().getStringRef().str());
}

/// Bodies that run once for each element are traced by the op they belong to.
bool runs_cell_by_cell(mlir::Operation* op) {
  return llvm::isa_and_present<ir::AttentionOp, ir::ReduceOp, ir::ScatterOp, ir::ZipMapReduceOp>(
      op->getParentOp());
}

std::string_view name_of(mlir::Operation* op) {
  if (auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op))
    return elementwise.getFunction();
  return op->getName().stripDialect();
}

} // namespace

Array Evaluation::get(mlir::Value value) const {
  auto found = values_.find(value);
  KOLAM_CHECK(found != values_.end());
  return found->second;
}

void Evaluation::set(mlir::Value value, Array array) { values_[value] = std::move(array); }

List Evaluation::get_list(mlir::Value value) const {
  auto found = lists_.find(value);
  KOLAM_CHECK(found != lists_.end());
  return found->second;
}

const Ref& Evaluation::get_ref(mlir::Value value) const {
  auto found = refs_.find(value);
  KOLAM_CHECK(found != refs_.end());
  return found->second;
}

Datum Evaluation::get_datum(mlir::Value value) const {
  if (llvm::isa<ir::ListType>(value.getType()))
    return get_list(value);
  if (llvm::isa<ir::RefType>(value.getType()))
    return get_ref(value);
  return get(value);
}

Data Evaluation::get_data(mlir::ValueRange values) const {
  Data data;
  for (mlir::Value value : values)
    data.push_back(get_datum(value));
  return data;
}

void Evaluation::set_datum(mlir::Value value, Datum datum) {
  if (auto* list = std::get_if<List>(&datum))
    lists_[value] = std::move(*list);
  else if (auto* ref = std::get_if<Ref>(&datum)) {
    if (options_.checker)
      options_.checker->note_view(value, *ref);
    refs_[value] = std::move(*ref);
  } else
    values_[value] = std::move(std::get<Array>(datum));
}

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
  spend(options_, kOpPoints);
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

Data Evaluation::run_data(mlir::Region& region, const Data& arguments) {
  spend(options_, kOpPoints);
  if (options_.checker) [[unlikely]]
    options_.checker->enter(region);
  mlir::Block& block = region.front();
  KOLAM_CHECK(block.getNumArguments() == arguments.size());
  for (auto [argument, datum] : llvm::zip(block.getArguments(), arguments))
    set_datum(argument, datum);
  for (mlir::Operation& op : block.without_terminator())
    evaluate(&op, *this);
  return get_data(block.getTerminator()->getOperands());
}

Data Evaluation::run_element(int64_t i, mlir::Region& region, const Data& arguments) {
  path_.push_back(i);
  Data yields = run_data(region, arguments);
  path_.pop_back(); // an error ends the run
  return yields;
}

Evaluation Evaluation::with_size(const std::string& symbol, int64_t size) const {
  Evaluation inner = *this;
  inner.sizes_[symbol] = size;
  return inner;
}

void evaluate(mlir::Operation* op, Evaluation& e) {
  poll_cancel(e.options());
  std::optional<TraceSpan> span;
  if (is_tracing() && !runs_cell_by_cell(op)) [[unlikely]]
    span.emplace(name_of(op), "interpret");
  if (e.options().work_left) [[unlikely]]
    spend_before(op, e);
  llvm::TypeSwitch<mlir::Operation*>(op)
      .Case<
#define GET_OP_LIST
#include "kolam/ir/ops.cpp.inc"
          >([&](auto typed) {
        if constexpr (requires { evaluate_op(typed, e); })
          evaluate_op(typed, e);
        else
          fail_without_meaning(op);
      })
      .Default(fail_without_meaning);
  if (e.options().work_left) [[unlikely]]
    spend_after(op, e);
}

std::map<std::string, int64_t> bind_arguments(std::span<const ir::Parameter> parameters,
                                              std::span<const Array> arguments) {
  std::vector<ir::Argument> described;
  for (const Array& array : arguments)
    described.push_back({array.dtype(), array.shape()});
  return ir::bind_sizes(parameters, described);
}

std::vector<Array> interpret(mlir::func::FuncOp function, std::span<const Array> arguments,
                             const Options& options) {
  std::vector<ir::Parameter> parameters;
  for (auto [type, name] : llvm::zip(function.getArgumentTypes(), ir::argument_names(function)))
    parameters.push_back({ir::dtype_of(type), ir::shape_of(type), name});
  Evaluation evaluation(options, bind_arguments(parameters, arguments));
  return evaluation.run(function.getBody(), arguments);
}

} // namespace kolam::interp
