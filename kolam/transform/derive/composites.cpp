// Composites: those that are known by name, users' own rules, and what is computed again.
#include "kolam/ir/location.h"
#include "kolam/language/collective.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/lists.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/region.h"
#include "kolam/language/user_check.h"
#include "kolam/support/error.h"
#include "kolam/transform/derive/again.h"
#include "kolam/transform/derive/attention_rules.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/list_loop.h"
#include "kolam/transform/derive/named.h"
#include "kolam/transform/derive/notes.h"
#include "kolam/transform/derive/rules.h"
#include "kolam/transform/derive/segments.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::transform {
namespace derive {
namespace {

/// The ops of the body or of the rule that stands for it, each by its own rule.
void written_out(ir::CompositeOp op, mlir::Region& ops, Linearisation& at) {
  linearise_as(op, at, true, [&](Builder& b, const Values& operands) {
    return language::inlined(b, ops, operands);
  });
}

/// Throws `[closed-over]` where what a function of the user's captures is differentiated: its rules
/// say nothing of that.
void require_arguments_alone(ir::CompositeOp op, const Linearisation& at) {
  const auto arguments =
      static_cast<size_t>(llvm::cast<mlir::IntegerAttr>(op->getAttr("arguments")).getInt());
  for (Value capture : op.getOperands().drop_front(arguments))
    if (at.is_active(capture))
      throw Error(ErrorKind::value, "closed-over",
                  op.getName().str() +
                      ": expected derivatives to arguments alone, but got a captured " +
                      language::describe_type(capture.getType()) +
                      " that is differentiated; make it an argument of the function, or take it as "
                      "constant by stop_gradient",
                  ir::to_source_location(op->getLoc()));
}

/// (results..., tangents...) = rule(tangents..., operands...)
void by_jvp(ir::CompositeOp op, Linearisation& at) {
  mlir::Region& rule = op.getRules()[0];
  const size_t own = rule.getNumArguments() - op.getOperands().size();
  Values arguments;
  for (size_t number = 0; number < own; ++number)
    arguments.push_back(at.tangent_or_zeros(op.getOperands()[number]));
  // The rule is linear in tangents: its primal part is what does not depend on them.
  Flags active(rule.getNumArguments(), false);
  for (size_t number = 0; number < own; ++number)
    active[number] = true;
  Values given;
  for (size_t number = 0; number < own; ++number)
    given.push_back(zeros_like(at.b, at.primal(op.getOperands()[number])));
  llvm::append_range(given, at.primals(op.getOperands()));
  Linearised made = as_linear(at.b, rule, given, active, at.new_symbol, op->getNumResults());
  Values tangents = apply_linear(at.linear, made.linear, made.residuals, arguments, at.new_symbol);
  const size_t results = op->getNumResults();
  size_t next = results;
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    at.set(result, made.results[number]);
    if (is_differentiable(result.getType()))
      at.set_tangent(result, result_of(made.linear, tangents, next++));
  }
}

/// "custom_vjp function 'f'", as far as it is known.
std::string name_of(ir::CompositeOp op) {
  auto called = op->getAttrOfType<mlir::StringAttr>("called");
  return op.getName().str() + " function" + (called ? " '" + called.str() + "'" : "");
}

/// A linear op whose transpose is the user's `bwd`: composite "transposed" of (residuals...,
/// tangents...). Forward, it is the transpose of that rule.
void by_vjp(ir::CompositeOp op, Linearisation& at) {
  mlir::Region &forward = op.getRules()[0], &backward = op.getRules()[1];
  const size_t results = op->getNumResults();
  Values operands = at.primals(op.getOperands());
  Values made = language::inlined(at.b, forward, operands);
  Values residuals(made.begin() + static_cast<int64_t>(results), made.end());
  llvm::append_range(residuals, operands); // what the rule captures
  const size_t read = residuals.size();
  for (size_t number = 0; number < results; ++number) // how long their cotangents are
    if (llvm::isa<ir::ListType>(made[number].getType()) &&
        is_differentiable(made[number].getType()))
      residuals.push_back(made[number]);
  const size_t arguments =
      static_cast<size_t>(llvm::cast<mlir::IntegerAttr>(op->getAttr("arguments")).getInt());
  Builder& b = at.linear;
  Values given = residuals;
  for (size_t number = 0; number < arguments; ++number)
    if (is_differentiable(op.getOperands()[number].getType()))
      given.push_back(at.tangent_or_zeros(op.getOperands()[number]));
  llvm::SmallVector<mlir::Type> types;
  for (Value result : op.getResults())
    if (is_differentiable(result.getType()))
      types.push_back(result.getType());
  auto linear = ir::CompositeOp::create(b, types, "transposed", given, 1);
  linear->setAttr("residuals", b.getI64IntegerAttr(static_cast<int64_t>(residuals.size())));
  if (read < residuals.size())
    linear->setAttr("templates",
                    b.getI64IntegerAttr(static_cast<int64_t>(residuals.size() - read)));
  // backward: (residuals of forward..., cotangents..., operands...) -> cotangents of arguments
  const size_t kept = read - operands.size();
  linear.getRules()[0].takeBody(*language::make_region(
      b,
      [&] {
        llvm::SmallVector<mlir::Type> all(types);
        llvm::append_range(all, mlir::ValueRange(given).getTypes());
        return all;
      }(),
      [&](const Values& own) {
        Values ordered(own.begin() + static_cast<int64_t>(types.size()),
                       own.begin() + static_cast<int64_t>(types.size() + kept));
        ordered.insert(ordered.end(), own.begin(),
                       own.begin() + static_cast<int64_t>(types.size()));
        ordered.insert(ordered.end(), own.begin() + static_cast<int64_t>(types.size() + kept),
                       own.begin() + static_cast<int64_t>(types.size() + read));
        return language::inlined(b, backward, ordered);
      }));
  auto zero_results = [&](const Values& own) {
    Values zero;
    size_t next = read;
    for (mlir::Type type : types)
      zero.push_back(llvm::isa<ir::ListType>(type) ? zeros_like(b, own[next++]) : zeros(b, type));
    return zero;
  };
  auto transposed = [&](const Values& own) {
    const Values zero = zero_results(own);
    Values at_zero = zero;
    Flags active(types.size(), true);
    llvm::append_range(at_zero, own);
    active.resize(at_zero.size(), false);
    // Of a gradient that adds numbers the transpose, which is asked for forward alone, has none.
    mlir::Region& own_rule = linear.getRules()[0];
    Linearised rule = as_linear(b, own_rule, at_zero, active, at.new_symbol,
                                own_rule.front().getTerminator()->getNumOperands());
    Values cotangents;
    for (size_t result : rule.linear.results)
      cotangents.push_back(own[residuals.size() + result]);
    Values tangents = transpose_linear(b, rule.linear, rule.residuals, cotangents, at.new_symbol);
    for (auto [tangent, other] : llvm::zip(tangents, zero))
      if (!tangent)
        tangent = other;
    return tangents;
  };
  // Reverse mode asks for no linear rule (it may clip, or call a host function): only who runs this
  // forward is refused.
  auto refused = [&](const Error& error) {
    return [&](const Values& own) {
      ir::CheckOp::create(b, language::weak_constant(b, 0.0, DType::boolean),
                          b.getStringAttr(error.slug()),
                          b.getStringAttr("forward mode of the " + name_of(op) +
                                          ": 'bwd' is transposed, but " + error.message()));
      return zero_results(own);
    };
  };
  const mlir::TypeRange inputs = mlir::ValueRange(given).getTypes();
  const auto place = b.saveInsertionPoint();
  try {
    linear.getBody().takeBody(*language::make_region(b, inputs, transposed));
  } catch (const Error& error) {
    if (error.slug() != "not-linear" && error.slug() != "not-differentiable")
      throw;
    b.restoreInsertionPoint(place);
    linear.getBody().takeBody(*language::make_region(b, inputs, refused(error)));
  }
  size_t next = 0;
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    at.set(result, made[number]);
    if (is_differentiable(result.getType()))
      at.set_tangent(result, linear.getResult(next++));
  }
}

/// Of a sum over all instances the sum of tangents; of an extreme that of the instances that hold
/// it, shared among them.
void linearise_collective(ir::CompositeOp op, const language::Collective& known,
                          Linearisation& at) {
  at.copy(op);
  Value operand = op.getOperands()[0], result = op.getResult(0);
  Builder &b = at.b, &linear = at.linear;
  Value tangent = at.tangent(operand);
  if (known.fn == Fn::add)
    return at.set_tangent(result, language::collective(linear, tangent, Fn::add, known.axis));
  const DType dtype = ir::dtype_of(tangent), wide = language::wide_dtype(dtype);
  auto sum = [&](Builder& at_place, Value value) {
    return language::collective(at_place, value, Fn::add, known.axis);
  };
  auto number = [&](Builder& at_place, double value) {
    return language::weak_constant(at_place, value, wide);
  };
  Value held = language::elementwise(b, Fn::equal, {at.primal(operand), at.primal(result)});
  Value holders = language::elementwise(b, Fn::maximum,
                                        {sum(b, language::cast(b, held, wide)), number(b, 1.0)});
  Value part = language::elementwise(
      linear, Fn::where, {held, language::cast(linear, tangent, wide), number(linear, 0.0)});
  Value shared = language::elementwise(linear, Fn::divide, {sum(linear, part), holders});
  at.set_tangent(result, language::cast(linear, shared, dtype));
}

} // namespace

void linearise_whole(ir::CompositeOp op, Linearisation& at) {
  llvm::StringRef name = op.getName();
  if (name == "stop_gradient" || language::user_check_of(op)) {
    at.copy(op);
  } else if (name == "checkpoint_name") { // policies are to find it
    at.copy(op);
    at.set_tangent(op.getResult(0), at.tangent(op.getOperands()[0]));
  } else if (name == "copy") { // copies.h
    at.set(op.getResult(0), at.primal(op.getOperands()[0]));
    at.set_tangent(op.getResult(0), at.tangent(op.getOperands()[1]));
  } else if (auto known = language::collective_of(op)) {
    linearise_collective(op, *known, at);
  } else if (name == "custom_jvp") {
    require_arguments_alone(op, at);
    by_jvp(op, at);
  } else if (name == "custom_vjp") {
    require_arguments_alone(op, at);
    by_vjp(op, at);
  } else if (name == "checkpoint") {
    linearise_again(op, at);
  } else if (name == kWithinLimit) {
    written_out(op, op.getRules()[0], at);
    const std::string what = "memory_limit of a derivative that is differentiated again does not "
                             "count, that of the outer one does";
    mlir::Operation* made = at.primal(op.getResult(0)).getDefiningOp();
    if (at.is_joint() && made)
      note_derivative(made, what);
    else
      DerivativeNotes::add(what + at_line(op));
  } else if (name == kAttentionTangent) {
    attention_tangent_rule(op, at);
  } else if (name == kAttentionGradient) {
    attention_gradient_rule(op, at);
  } else if (NamedRule rule = named_rule(name)) {
    at.copy(op);
    rule(op, at);
  } else {
    written_out(op, op.getBody(), at);
  }
}

/// Of a linear composite: its rule gives the cotangents of its last operands.
void transpose_rule(ir::CompositeOp op, Transposition& at) {
  if (op.getName() == "leaves")
    return transpose_leaves(op, at);
  if (op.getName() == "unpacked")
    return transpose_unpacked(op, at);
  if (op.getName() == "again")
    return transpose_again(op, at);
  if (op.getName() == "segments")
    return transpose_segments(op, at);
  if (op.getName() == kAttentionTangent)
    return transpose_attention(op, at);
  if (auto known = language::collective_of(op)) // the sum over all is its own transpose
    return at.add(op.getOperands()[0],
                  language::collective(at.b, at.cotangent(op.getResult(0)), Fn::add, known->axis));
  auto attribute = op->getAttrOfType<mlir::IntegerAttr>("residuals");
  if (!attribute)
    refuse_nonlinear(op, "expected a function that is linear in its arguments");
  const auto residuals = static_cast<size_t>(attribute.getInt());
  auto templates = op->getAttrOfType<mlir::IntegerAttr>("templates");
  size_t next = residuals - (templates ? static_cast<size_t>(templates.getInt()) : 0);
  Values arguments;
  for (Value result : op.getResults()) {
    const bool is_list = llvm::isa<ir::ListType>(result.getType());
    Value like = is_list ? at.coefficient(op.getOperands()[next++]) : result;
    arguments.push_back(at.has_cotangent(result) ? at.cotangent(result) : zeros_like(at.b, like));
  }
  for (auto [number, operand] : llvm::enumerate(op.getOperands()))
    arguments.push_back(number < residuals ? at.coefficient(operand)
                                           : anything(at.b, operand.getType())); // not read
  Values found = language::inlined(at.b, op.getRules()[0], arguments);
  for (size_t number = found.size(); number-- > 0;)
    at.add(op.getOperands()[residuals + number], found[number]);
}

} // namespace derive

} // namespace kolam::transform
