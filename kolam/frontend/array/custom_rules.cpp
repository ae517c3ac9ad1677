// Functions that are one op to derivatives: constants, what is computed again, users' own rules.
#include "kolam/frontend/array/custom_rules.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/language/composite.h"
#include "kolam/language/control.h"
#include "kolam/language/lists.h"

namespace kolam {
namespace detail {
namespace {

using language::Values;
using Types = llvm::SmallVector<mlir::Type>;

Types types_of(mlir::ValueRange values) { return Types(values.getTypes()); }

/// What a region yields.
Types yielded(const Trace::Region& region) {
  return Types(region.region->front().getTerminator()->getOperandTypes());
}

Types floats_among(const Types& types) {
  Types found;
  for (mlir::Type type : types)
    if (is_float(ir::dtype_of(type)))
      found.push_back(type);
  return found;
}

/// That a rule gave values of these types.
void require_types(llvm::ArrayRef<mlir::Type> given, llvm::ArrayRef<mlir::Type> expected,
                   const std::string& rule, const std::string& what) {
  if (given.size() != expected.size())
    fail(ErrorKind::value, "custom-rule",
         rule + ": expected " + std::to_string(expected.size()) + " " + what + "s, but got " +
             std::to_string(given.size()));
  for (auto [number, type] : llvm::enumerate(given))
    if (type != expected[number])
      fail(ErrorKind::value, "custom-rule",
           rule + ", " + what + " " + std::to_string(number) + ": expected " +
               language::describe_type(expected[number]) + ", but got " +
               language::describe_type(type));
}

/// A rule over values of its own types, then arguments.
Trace::Region recorded(Trace& trace, Types own, const Types& arguments, const RuleBody& rule) {
  const auto count = static_cast<int64_t>(own.size());
  llvm::append_range(own, arguments);
  return trace.region(own, [&](const Leaves& all) {
    return rule(Leaves(all.begin(), all.begin() + count), Leaves(all.begin() + count, all.end()));
  });
}

} // namespace

Leaves composite(const CallSite& call, const Leaves& arguments, size_t floats,
                 const LeavesFunction& body, const std::vector<RuleBody>& rules,
                 const CheckpointPolicy& policy) {
  if (!language::KeepComposites::keeps())
    return body(arguments);
  const std::string_view name = call.function;
  CallScope scope(name, call.where);
  std::vector<Operand> operands(arguments.begin(), arguments.end());
  return apply_traced(name, operands, [&](Trace& trace, const Values& values) {
    language::Builder& b = trace.builder();
    const Types types = types_of(values);
    const Types tangents(types.begin(), types.begin() + static_cast<int64_t>(floats));
    std::vector<Trace::Region> regions;
    {
      // What has rules is not differentiated by its body, which needs no rules of what it calls.
      language::KeepComposites inside(rules.empty());
      regions.push_back(trace.region(types, body));
    }
    const Types results = yielded(regions[0]);
    const std::string rule(name);
    if (name == "custom_jvp") {
      regions.push_back(recorded(trace, tangents, types, rules[0]));
      Types expected = results;
      llvm::append_range(expected, floats_among(results));
      require_types(yielded(regions[1]), expected, rule + ", the rule", "result and tangent");
    } else if (name == "custom_vjp") {
      regions.push_back(recorded(trace, {}, types, rules[0]));
      Types given = yielded(regions[1]);
      if (given.size() < results.size())
        require_types(given, results, rule + ", fwd", "result");
      const auto split = given.begin() + static_cast<int64_t>(results.size());
      require_types(Types(given.begin(), split), results, rule + ", fwd", "result");
      Types own(split, given.end());
      llvm::append_range(own, floats_among(results));
      regions.push_back(recorded(trace, own, types, rules[1]));
      require_types(yielded(regions[2]), tangents, rule + ", bwd", "cotangent");
    }
    std::vector<language::Body> bodies;
    for (Trace::Region& region : regions)
      bodies.push_back({std::move(region.region), std::move(region.captures)});
    Values all = values;
    llvm::append_range(all, language::share_captures(bodies));
    auto op = ir::CompositeOp::create(b, results, b.getStringAttr(name), all,
                                      static_cast<unsigned>(bodies.size() - 1));
    op->setAttr("arguments", b.getI64IntegerAttr(static_cast<int64_t>(floats)));
    if (!policy.name.empty())
      op->setAttr("policy", b.getStringAttr(policy.name));
    if (!policy.names.empty())
      op->setAttr("names", b.getStrArrayAttr(llvm::SmallVector<llvm::StringRef>(
                               policy.names.begin(), policy.names.end())));
    op.getBody().takeBody(*bodies[0].region);
    for (size_t number = 1; number < bodies.size(); ++number)
      op.getRules()[number - 1].takeBody(*bodies[number].region);
    return Values(op.result_begin(), op.result_end());
  });
}

CompositeLeaves::CompositeLeaves(const CallSite& call, Leaves leaves) : leaves_(std::move(leaves)) {
  CallScope scope(call.function, call.where);
  for (bool takes_floats : {true, false}) {
    for (size_t place = 0; place < leaves_.size(); ++place)
      if (is_float(leaves_[place].dtype()) == takes_floats) {
        places_.push_back(place);
        ordered_.push_back(leaves_[place]);
      }
    if (takes_floats)
      floats_ = places_.size();
  }
}

Leaves CompositeLeaves::in_place(const Leaves& ordered) const {
  Leaves all(leaves_.size());
  for (size_t number = 0; number < places_.size(); ++number)
    all[places_[number]] = ordered[number];
  return all;
}

Leaves CompositeLeaves::spread(const Leaves& floats) const {
  Leaves all(leaves_.size());
  for (size_t number = 0; number < floats_; ++number)
    all[places_[number]] = floats[number];
  return all;
}

Leaves CompositeLeaves::cotangents(const Leaves& leaves) const {
  if (leaves.size() != leaves_.size())
    fail(ErrorKind::value, "custom-rule",
         "bwd: expected " + std::to_string(leaves_.size()) +
             " cotangents, one for each tensor of the arguments, but got " +
             std::to_string(leaves.size()));
  Leaves found;
  for (size_t number = 0; number < floats_; ++number) {
    const Tensor& own = leaves[places_[number]];
    const Tensor& like = ordered_[number];
    found.push_back(own.is_empty() ? zeros(like.shape(), like.dtype()) : own);
  }
  return found;
}

Leaves floats_of(const Leaves& leaves) {
  Leaves found;
  for (const Tensor& leaf : leaves)
    if (!leaf.is_empty() && is_float(leaf.dtype()))
      found.push_back(leaf);
  return found;
}

Leaves spread_floats(const Leaves& like, const Leaves& floats) {
  Leaves all;
  size_t next = 0;
  for (const Tensor& leaf : like)
    all.push_back(is_float(leaf.dtype()) ? floats[next++] : Tensor());
  return all;
}

Leaves sum_of_tangents(const Leaves& value, const std::vector<Leaves>& parts) {
  Leaves sums(value.size());
  for (const Leaves& part : parts) {
    if (part.size() != value.size())
      fail(ErrorKind::value, "custom-rule",
           "the rule: expected " + std::to_string(value.size()) +
               " tangents, as many as results, but got " + std::to_string(part.size()));
    for (size_t number = 0; number < part.size(); ++number)
      if (!part[number].is_empty())
        sums[number] = sums[number].is_empty() ? part[number] : add(sums[number], part[number]);
  }
  for (size_t number = 0; number < value.size(); ++number)
    if (!is_float(value[number].dtype()))
      sums[number] = Tensor();
    else if (sums[number].is_empty())
      sums[number] = zeros(value[number].shape(), value[number].dtype());
  return sums;
}

void fail_without_rule(const CallSite& call, std::string_view how) {
  CallScope scope(call.function, call.where);
  fail(ErrorKind::value, "custom-rule",
       std::string(call.function) + ": expected a rule before the function is called; " +
           std::string(how) + " gives one");
}

} // namespace detail

Tensor stop_gradient(const Operand& x) {
  return apply_one("stop_gradient", {x}, [](language::Builder& b, const language::Values& values) {
    return language::composite(b, "stop_gradient", values, {},
                               [](const language::Values& own) { return own[0]; });
  });
}

} // namespace kolam
