// Branches: the selector says which linear program runs.
#include "kolam/language/region.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/rules.h"

namespace kolam::transform::derive {
namespace {

/// Which captures are active, and which results may have tangents.
struct Roles {
  Roles(ir::CondOp op, const Linearisation& at) : results(op->getNumResults(), false) {
    for (Value capture : op.getCaptures())
      captures.push_back(at.is_active(capture));
    for (mlir::Region& branch : op.getBranches())
      for (auto [number, is_active] : llvm::enumerate(activity.of_results(branch, captures)))
        results[number] = results[number] || is_active;
  }
  Activity activity;
  Flags captures, results;
};

void cond_jointly(ir::CondOp op, const Roles& roles, Linearisation& at) {
  Builder& b = at.b;
  std::vector<language::Body> branches;
  for (mlir::Region& branch : op.getBranches())
    branches.push_back(language::make_body(b, {}, [&](const Values&) {
      Linearisation inner(b, b, at.new_symbol);
      for (auto [argument, capture] : llvm::zip(branch.getArguments(), op.getCaptures())) {
        inner.set(argument, at.primal(capture));
        inner.set_tangent(argument, at.tangent(capture));
      }
      linearise_block(branch.front(), inner);
      mlir::ValueRange yielded = branch.front().getTerminator()->getOperands();
      Values results = inner.primals(yielded);
      for (auto [number, value] : llvm::enumerate(yielded))
        if (roles.results[number])
          results.push_back(inner.tangent_or_zeros(value));
      return results;
    }));
  Values made = language::cond(b, at.primal(op.getSelector()), std::move(branches));
  size_t next = op->getNumResults();
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    at.set(result, made[number]);
    if (roles.results[number])
      at.set_tangent(result, made[next++]);
  }
}

/// Residuals of branches that are not taken are zeros, which nothing reads.
void cond_apart(ir::CondOp op, const Roles& roles, Linearisation& at) {
  Builder& b = at.b;
  std::vector<Apart> parts;
  for (mlir::Region& branch : op.getBranches())
    parts.push_back(linearise_apart(b, branch, {}, roles.captures, at.new_symbol));
  Values captures = at.primals(op.getCaptures());
  std::vector<language::Body> branches;
  for (size_t number = 0; number < parts.size(); ++number) {
    mlir::Operation* yield = parts[number].primal->front().getTerminator();
    Values results(yield->operand_begin(), yield->operand_begin() + op->getNumResults());
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(yield);
    for (size_t other = 0; other < parts.size(); ++other)
      for (Value residual : parts[other].residuals)
        results.push_back(other == number ? residual : zeros_like(b, residual));
    yield->setOperands(results);
    branches.push_back({nullptr, captures});
  }
  for (size_t number = 0; number < parts.size(); ++number)
    branches[number].region = std::move(parts[number].primal);
  Values made = language::cond(b, at.primal(op.getSelector()), std::move(branches));
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    at.set(result, made[number]);

  Builder& linear = at.linear;
  std::vector<language::Body> linear_branches;
  size_t next = op->getNumResults();
  for (Apart& part : parts) {
    Values residuals, tangents;
    for (int64_t argument : part.arguments)
      residuals.push_back(argument < 0 ? made[next++] : captures[static_cast<size_t>(argument)]);
    for (auto [number, is_active] : llvm::enumerate(roles.captures))
      if (is_active)
        tangents.push_back(at.tangent(op.getCaptures()[number]));
    linear_branches.push_back(language::make_body(linear, {}, [&](const Values&) {
      Values given = apply_linear(linear, part.linear, residuals, tangents, at.new_symbol);
      Values results;
      for (auto [number, result] : llvm::enumerate(op->getResults()))
        if (roles.results[number]) {
          Value tangent = result_of(part.linear, given, number);
          results.push_back(tangent ? tangent : zeros_like(linear, result));
        }
      return results;
    }));
  }
  Values tangents = language::cond(linear, at.primal(op.getSelector()), std::move(linear_branches));
  size_t place = 0;
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    if (roles.results[number])
      at.set_tangent(result, tangents[place++]);
}

} // namespace

void linearise_whole(ir::CondOp op, Linearisation& at) {
  if (op->hasAttr("late"))
    refuse(op, "expected branches whose results have one shape");
  Roles roles(op, at);
  if (llvm::none_of(roles.results, [](bool is_active) { return is_active; })) {
    at.copy(op);
    return;
  }
  refuse_lists(op);
  if (at.is_joint())
    cond_jointly(op, roles, at);
  else
    cond_apart(op, roles, at);
}

/// The transpose of the branch that was taken. What is added to a capture goes on from a sum that
/// is carried around.
void transpose_rule(ir::CondOp op, Transposition& at) {
  Builder& b = at.b;
  std::vector<size_t> linear;
  Values running;
  for (auto [number, capture] : llvm::enumerate(op.getCaptures()))
    if (at.is_linear(capture)) {
      linear.push_back(number);
      running.push_back(at.may_carry(capture) ? at.start_of_sum(capture) : Value());
    }
  Values cotangents;
  for (Value result : op.getResults())
    cotangents.push_back(at.cotangent(result));
  std::vector<language::Body> branches;
  for (mlir::Region& branch : op.getBranches())
    branches.push_back(language::make_body(b, {}, [&](const Values&) {
      Transposition inner(b, at.new_symbol);
      auto argument_of = [&](size_t number) {
        return branch.getArgument(static_cast<unsigned>(number));
      };
      for (auto [number, capture] : llvm::enumerate(op.getCaptures()))
        if (at.is_linear(capture))
          inner.set_linear(argument_of(number));
        else
          inner.set_coefficient(argument_of(number), at.coefficient(capture));
      for (auto [number, sum] : llvm::zip_equal(linear, running))
        if (sum)
          inner.carry(argument_of(number), sum);
      prepare(branch.front(), inner);
      mlir::ValueRange yielded = branch.front().getTerminator()->getOperands();
      for (size_t number = yielded.size(); number-- > 0;)
        inner.add(yielded[number], cotangents[number]);
      transpose_block(branch.front(), inner);
      Values results;
      for (auto [number, sum] : llvm::zip_equal(linear, running))
        results.push_back(sum ? inner.sum(argument_of(number))
                              : inner.cotangent_or_zeros(argument_of(number)));
      return results;
    }));
  Values made = language::cond(b, at.coefficient(op.getSelector()), std::move(branches));
  for (size_t number = linear.size(); number-- > 0;)
    at.add(op.getCaptures()[linear[number]], made[number]);
}

} // namespace kolam::transform::derive
