// Records functions that plans cut as their users say.
#include "kolam/frontend/array/custom_partitioning.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/ir/monoid.h"
#include "kolam/support/error.h"
#include "kolam/transform/custom_partitioning.h"

namespace kolam {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  fail(ErrorKind::value, "bad-partitioning", "function '" + name + "': " + what);
}

/// The function's program for such operands.
std::string text_of(const std::string& name, const CustomPartitioning::Function& function,
                    const std::vector<std::pair<DType, Shape>>& operands) {
  std::vector<TensorSpec> specs;
  for (const auto& [dtype, shape] : operands)
    specs.push_back({dtype, shape});
  CallbackScope the_users_own;
  const Program program = trace(specs, function);
  if (!program.captured().empty())
    refuse(name, "expected a function of its operands alone, but it uses an array from around it; "
                 "pass it as an operand");
  return program.as_text();
}

void require_signature(const std::string& name, const space::Signature& signature) {
  int reduced = 0, results = 0;
  for (const space::IndexDim& dim : signature.dims) {
    if (dim.kind == space::DimKind::scan)
      refuse(name, "dim '" + dim.name + "': expected map or reduce, but got scan");
    if (dim.kind == space::DimKind::map)
      continue;
    ++reduced;
    if (!dim.monoid || !ir::parse_monoid(dim.monoid->id))
      refuse(name, "dim '" + dim.name +
                       "': expected an elementwise function that merges, such as " +
                       "add, but got '" + (dim.monoid ? dim.monoid->id : "") + "'");
  }
  for (const space::Operand& operand : signature.operands) {
    results += operand.role == space::Role::out ? 1 : 0;
    if (operand.role != space::Role::in && operand.role != space::Role::out)
      refuse(name, "operand '" + operand.name + "': expected in or out");
    if (operand.role == space::Role::in && results > 0)
      refuse(name, "operand '" + operand.name + "': expected operands in front of results");
    if (operand.policy.kind != space::Policy::Kind::forbid)
      refuse(name, "operand '" + operand.name + "': expected regions that lie inside");
  }
  if (results == 0)
    refuse(name, "expected a result");
  if (reduced > 0 && results > 1)
    refuse(name,
           "expected one result of parts that are merged, but got " + std::to_string(results));
}

std::string declare(const std::string& name, const CustomPartitioning::Function& function,
                    transform::PartitionedFunction how) {
  how.name = name;
  how.program = [name, function](const std::vector<std::pair<DType, Shape>>& operands) {
    return text_of(name, function, operands);
  };
  return transform::register_partitioning(std::move(how));
}

} // namespace

CustomPartitioning::CustomPartitioning(std::string name, Function function,
                                       space::Signature signature)
    : name_(std::move(name)), function_(std::move(function)) {
  require_signature(name_, signature);
  transform::PartitionedFunction how;
  how.signature = std::move(signature);
  key_ = declare(name_, function_, std::move(how));
}

CustomPartitioning::CustomPartitioning(std::string name, Function function, Boxes boxes)
    : name_(std::move(name)), function_(std::move(function)) {
  transform::PartitionedFunction how;
  how.boxes = [boxes = std::move(boxes)](const space::Box& result) {
    CallbackScope the_users_own;
    return boxes(result);
  };
  key_ = declare(name_, function_, std::move(how));
}

std::vector<Tensor> CustomPartitioning::operator()(const Operands& operands) const {
  return apply_traced(
      "custom_partitioning", operands.values(), [&](Trace& trace, const language::Values& values) {
        language::Builder& b = trace.builder();
        llvm::SmallVector<mlir::Type> types;
        for (mlir::Value value : values)
          types.push_back(value.getType());
        Trace::Region region = trace.region(types, function_);
        if (!region.captures.empty())
          refuse(name_,
                 "expected a function of its operands alone, but it uses an array from around "
                 "it; pass it as an operand");
        mlir::Operation* end = region.region->front().getTerminator();
        if (end->getNumOperands() == 0)
          refuse(name_, "expected a result");
        llvm::SmallVector<mlir::Type> results(end->getOperandTypes());
        auto call = ir::CompositeOp::create(b, results, "custom_partitioning", values, 0U);
        call.getBody().takeBody(*region.region);
        transform::set_partitioning(call, key_);
        return language::Values(call->result_begin(), call->result_end());
      });
}

} // namespace kolam
