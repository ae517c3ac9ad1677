// Keeps how users' functions are cut, and finds it.
#include "kolam/transform/custom_partitioning.h"

#include "kolam/ir/kernels.h"
#include "kolam/ir/monoid.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/language/user_check.h"
#include "kolam/space/projection_forms.h"
#include "kolam/support/error.h"

#include <map>
#include <mutex>

namespace kolam::transform {
namespace {

constexpr llvm::StringLiteral kAttribute = "kolam.custom_partitioning";

/// As that of host functions: what programs refer to.
struct Table {
  std::mutex mutex;
  std::map<std::string, PartitionedFunction> all;
};

Table& table() {
  static Table* const table = new Table;
  return *table;
}

[[noreturn]] void refuse(const PartitionedFunction& of, const std::string& what) {
  fail(ErrorKind::value, "bad-partitioning", "function '" + of.name + "': " + what);
}

/// Binds the symbols that are extents by themselves.
void bind(const PartitionedFunction& of, const space::Operand& operand, const Shape& actual,
          std::map<std::string, int64_t>& sizes) {
  if (operand.shape.size() != actual.size())
    refuse(of, "operand '" + operand.name + "': expected rank " +
                   std::to_string(operand.shape.size()) + ", but got " + to_string(actual));
  for (auto [extent, given] : llvm::zip(operand.shape, actual))
    if (auto symbol = extent.as_symbol())
      sizes.try_emplace(*symbol, *given.constant());
}

void require_shape(const PartitionedFunction& of, const space::Operand& operand,
                   const Shape& actual) {
  if (!(operand.shape == actual))
    refuse(of, "operand '" + operand.name + "': expected " + to_string(operand.shape) +
                   " as its signature says, but got " + to_string(actual));
}

} // namespace

std::string register_partitioning(PartitionedFunction partitioning) {
  std::lock_guard lock(table().mutex);
  std::string name = "custom" + std::to_string(table().all.size());
  table().all[name] = std::move(partitioning);
  return name;
}

void set_partitioning(ir::CompositeOp call, const std::string& name) {
  call->setAttr(kAttribute, mlir::StringAttr::get(call.getContext(), name));
}

const PartitionedFunction* partitioning_of(mlir::Operation* op) {
  auto name = op->getAttrOfType<mlir::StringAttr>(kAttribute);
  if (!name)
    return nullptr;
  std::lock_guard lock(table().mutex);
  auto found = table().all.find(name.getValue().str());
  if (found == table().all.end())
    fail(ErrorKind::value, "bad-partitioning",
         "expected a function that this process has declared, but got '" + name.getValue().str() +
             "'");
  return &found->second; // the table only grows
}

/// Whether derivatives may have a rule for a composite: numbers of blocks and loops have none, and
/// what reads the program is to see through them.
static bool may_have_derivatives(ir::CompositeOp call) {
  return llvm::none_of(call.getOperands(), ir::is_ref) &&
         (call->getNumResults() == 0 || llvm::any_of(call.getResultTypes(), [](mlir::Type type) {
            return !llvm::isa<mlir::RankedTensorType>(type) || is_float(ir::dtype_of(type));
          }));
}

void take_body(ir::CompositeOp call) {
  mlir::Block& body = call.getBody().front();
  for (auto [argument, operand] : llvm::zip(body.getArguments(), call.getOperands()))
    argument.replaceAllUsesWith(operand);
  mlir::Operation* end = body.getTerminator();
  for (auto [result, value] : llvm::zip(call.getResults(), end->getOperands()))
    result.replaceAllUsesWith(value);
  end->erase();
  call->getBlock()->getOperations().splice(call->getIterator(), body.getOperations());
  call->erase();
}

void take_bodies(mlir::ModuleOp program, Composites kept) {
  llvm::SmallVector<ir::CompositeOp> calls;
  program.walk<mlir::WalkOrder::PreOrder>([&](ir::CompositeOp call) {
    if (kept == Composites::partitioned && call->hasAttr(kAttribute))
      return mlir::WalkResult::skip();
    if (kept == Composites::of_values && may_have_derivatives(call))
      return mlir::WalkResult::skip();
    if (kept == Composites::checks && language::user_check_of(call))
      return mlir::WalkResult::skip();
    for (mlir::Region& rule : call.getRules()) { // derivatives have been made
      rule.dropAllReferences();
      rule.getBlocks().clear();
    }
    calls.push_back(call);
    return mlir::WalkResult::advance();
  });
  for (ir::CompositeOp call : calls) // those around others first: these move out with their block
    take_body(call);
}

space::Signature bound_signature(const PartitionedFunction& of, const std::vector<Shape>& operands,
                                 const std::vector<std::pair<DType, Shape>>& results) {
  if (!of.signature) {
    space::Signature signature{of.name, ir::map_dims(results[0].second), {}};
    const auto rank = static_cast<int>(results[0].second.size());
    for (const auto& [number, shape] : llvm::enumerate(operands)) { // the least is nothing
      const Shape none(shape.size());
      signature.operands.push_back({"operand" + std::to_string(number), space::Role::in, shape,
                                    space::fixed(rank, none, none)});
    }
    for (const auto& [number, result] : llvm::enumerate(results)) {
      if (!(result.second == results[0].second))
        refuse(of, "expected results of one shape, but got " + to_string(results[0].second) +
                       " and " + to_string(result.second));
      signature.operands.push_back({"result" + std::to_string(number), space::Role::out,
                                    result.second, space::identity(rank)});
    }
    return signature;
  }
  const size_t count = operands.size() + results.size();
  if (of.signature->operands.size() != count)
    refuse(of, "expected " + std::to_string(of.signature->operands.size()) +
                   " operands and results as its signature says, but got " + std::to_string(count));
  auto shape_of = [&](size_t number) -> const Shape& {
    return number < operands.size() ? operands[number] : results[number - operands.size()].second;
  };
  std::map<std::string, int64_t> sizes;
  for (size_t number = 0; number < count; ++number)
    bind(of, of.signature->operands[number], shape_of(number), sizes);
  space::Signature bound = space::instantiate(*of.signature, sizes);
  bound.op = of.name;
  for (size_t number = 0; number < count; ++number)
    require_shape(of, bound.operands[number], shape_of(number));
  for (space::IndexDim& dim : bound.dims)
    if (dim.monoid) {
      dim.monoid->state = {results[0].first};
      dim.monoid->exact = ir::is_exact(*ir::parse_monoid(dim.monoid->id), results[0].first);
    }
  for (const space::Issue& issue : space::validate(bound))
    refuse(of, issue.subject + ": " + issue.message);
  for (const space::Issue& issue : space::validate_total_outputs(bound))
    refuse(of, issue.subject + ": " + issue.message);
  return bound;
}

std::vector<space::Box> needed_boxes(const PartitionedFunction& of, const space::Box& result,
                                     const std::vector<Shape>& operands) {
  const std::vector<space::Box> boxes = of.boxes(result);
  const std::string asked = "boxes of " + space::to_string(result) + ": expected ";
  if (boxes.size() != operands.size())
    refuse(of, asked + std::to_string(operands.size()) + ", one for each operand, but got " +
                   std::to_string(boxes.size()));
  for (size_t number = 0; number < boxes.size(); ++number) {
    space::Point extents;
    for (const Extent& extent : operands[number])
      extents.push_back(*extent.constant());
    if (boxes[number].rank() != static_cast<int>(extents.size()) ||
        !space::contains(space::Box::of_shape(extents), boxes[number]))
      refuse(of, asked + "a box of operand " + std::to_string(number) + " inside " +
                     to_string(operands[number]) + ", but got " + space::to_string(boxes[number]));
  }
  return boxes;
}

} // namespace kolam::transform
