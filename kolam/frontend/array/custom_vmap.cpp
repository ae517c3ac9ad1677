// Records calls of functions with rules for many instances, and calls the rules.
#include "kolam/frontend/array/custom_vmap.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/bound_axes.h"
#include "kolam/ir/location.h"
#include "kolam/language/lists.h"
#include "kolam/language/promotion.h"

namespace kolam::detail {
namespace {

using language::Values;
using transform::Batched;

constexpr llvm::StringLiteral kRule = "rule", kArguments = "arguments";

struct Rule {
  const void* function;
  BatchRule call;
};

/// Rules of the calls in functions of vmaps that are being traced on this thread, by number.
thread_local std::map<int64_t, Rule> rules;
thread_local int64_t rules_made = 0;
thread_local int vmaps_open = 0;
/// Functions whose rules are running.
thread_local std::vector<const void*> running;

[[noreturn]] void refuse(mlir::Operation* call, const std::string& what) {
  throw Error(ErrorKind::value, "custom-rule", "custom_vmap: " + what,
              ir::to_source_location(call->getLoc()));
}

/// What the rule gave, as results of the call.
std::vector<Batched> fitted(Trace& trace, mlir::Operation* call, const Extent& count,
                            RuledLeaves given) {
  const size_t expected = call->getNumResults();
  if (given.leaves.size() != expected)
    refuse(call, "the rule: expected " + std::to_string(expected) + " results, but got " +
                     std::to_string(given.leaves.size()));
  if (given.is_batched.size() == 1)
    given.is_batched.resize(expected, given.is_batched[0]);
  if (given.is_batched.size() != expected)
    refuse(call, "the rule, out_batched: expected " + std::to_string(expected) +
                     " entries, one for each result, but got " +
                     std::to_string(given.is_batched.size()));
  std::vector<Batched> results;
  for (auto [number, result] : llvm::enumerate(call->getResults())) {
    mlir::Value value = trace.value_of(given.leaves[number]);
    const bool is_each = given.is_batched[number];
    Shape shape = ir::shape_of(result);
    if (is_each)
      shape.insert(shape.begin(), count);
    mlir::Type type = language::tensor_type(trace.builder(), ir::dtype_of(result), shape);
    if (value.getType() != type)
      refuse(call, "the rule, result " + std::to_string(number) + ", which is " +
                       (is_each ? "batched" : "not batched") + ": expected " +
                       language::describe_type(type) + ", but got " +
                       language::describe_type(value.getType()));
    results.push_back({value, is_each});
  }
  return results;
}

std::optional<std::vector<Batched>> by_rule(Trace& trace, const Extent& count,
                                            mlir::Operation* call,
                                            llvm::ArrayRef<Batched> operands) {
  auto found = rules.find(call->getAttrOfType<mlir::IntegerAttr>(kRule).getInt());
  if (found == rules.end())
    return std::nullopt;
  const auto arguments =
      static_cast<size_t>(call->getAttrOfType<mlir::IntegerAttr>(kArguments).getInt());
  for (const Batched& capture : operands.drop_front(arguments))
    if (capture.is_each)
      refuse(call, "expected a function that takes what differs between instances as arguments, "
                   "but it captures " +
                       language::describe(capture.value) + "; pass it");
  Leaves leaves;
  std::vector<bool> in_batched;
  for (const Batched& operand : operands.take_front(arguments)) {
    leaves.push_back(trace.wrap(operand.value));
    in_batched.push_back(operand.is_each);
  }
  const Rule rule = found->second;
  running.push_back(rule.function);
  mlir::Location loc = trace.builder().getLoc();
  struct Back {
    Trace& trace;
    mlir::Location loc;
    ~Back() {
      trace.builder().setLoc(loc);
      running.pop_back();
    }
  } back{trace, loc};
  CallbackScope user_code;
  return fitted(trace, call, count, rule.call(count, in_batched, leaves));
}

} // namespace

KeepRules::KeepRules() { ++vmaps_open; }
KeepRules::~KeepRules() {
  if (--vmaps_open == 0)
    rules.clear();
}

transform::CustomRule custom_rule(Trace& trace, const Extent& count) {
  return [&trace, count](mlir::Operation* call, llvm::ArrayRef<Batched> operands) {
    return by_rule(trace, count, call, operands);
  };
}

Leaves call_with_batch_rule(const void* function, const Leaves& arguments,
                            const LeavesFunction& body, BatchRule rule, const CallSite& call) {
  if (!BoundAxis::any() || llvm::is_contained(running, function))
    return body(arguments);
  CallScope scope(call.function, call.where);
  std::vector<Operand> operands(arguments.begin(), arguments.end());
  return apply_traced(call.function, operands, [&](Trace& trace, const Values& values) {
    llvm::SmallVector<mlir::Type> types(mlir::ValueRange(values).getTypes());
    Trace::Region region = trace.region(types, body);
    Values all = values;
    llvm::append_range(all, region.captures);
    language::Builder& b = trace.builder();
    auto op = ir::CompositeOp::create(b, region.region->front().getTerminator()->getOperandTypes(),
                                      transform::kCustomVmap, all, 0);
    op->setAttr(kRule, b.getI64IntegerAttr(rules_made));
    op->setAttr(kArguments, b.getI64IntegerAttr(static_cast<int64_t>(values.size())));
    rules[rules_made++] = {function, rule};
    op.getBody().takeBody(*region.region);
    return Values(op.result_begin(), op.result_end());
  });
}

} // namespace kolam::detail
