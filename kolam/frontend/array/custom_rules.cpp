// Functions that are one op to derivatives: constants, what is computed again, users' own rules.
#include "kolam/frontend/array/custom_rules.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/list_leaves.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/ir/ops.h"
#include "kolam/language/composite.h"
#include "kolam/language/control.h"
#include "kolam/language/lists.h"
#include "kolam/transform/derive.h"

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

bool has_tangent(mlir::Type type) {
  if (auto list = llvm::dyn_cast<ir::ListType>(type))
    type = list.leaf();
  return is_float(ir::dtype_of(type));
}

Types with_tangents(const Types& types) {
  Types found;
  llvm::copy_if(types, std::back_inserter(found), has_tangent);
  return found;
}

/// The places of values in the order in which a composite takes them: those with tangents first.
std::vector<size_t> order_of(const Types& types) {
  std::vector<size_t> order;
  for (bool first : {true, false})
    for (auto [place, type] : llvm::enumerate(types))
      if (has_tangent(type) == first)
        order.push_back(place);
  return order;
}

template <class All> All ordered(const All& values, const std::vector<size_t>& order) {
  All found;
  for (size_t place : order)
    found.push_back(values[place]);
  return found;
}

Leaves in_place(const Leaves& values, const std::vector<size_t>& order) {
  Leaves all(values.size());
  for (auto [place, value] : llvm::zip(order, values))
    all[place] = value;
  return all;
}

Leaves part(const Leaves& leaves, size_t first, size_t end) {
  return Leaves(leaves.begin() + static_cast<int64_t>(first),
                leaves.begin() + static_cast<int64_t>(end));
}

void require_tensors(const CallSite& call, const Leaves& arguments) {
  CallScope scope(call.function, call.where);
  for (const Tensor& argument : arguments)
    if (argument.is_empty())
      fail(ErrorKind::value, "empty-tensor", "expected a tensor, but got an empty handle");
}

/// That a rule gave values of these types.
void require_types(llvm::ArrayRef<mlir::Type> given, llvm::ArrayRef<mlir::Type> expected,
                   const std::string& rule, const std::string& what) {
  KOLAM_CHECK(given.size() == expected.size());
  for (auto [number, type] : llvm::enumerate(given))
    if (type != expected[number])
      fail(ErrorKind::value, "custom-rule",
           rule + ", " + what + " " + std::to_string(number) + ": expected " +
               language::describe_type(expected[number]) + ", but got " +
               language::describe_type(type));
}

/// Records the regions of a composite: takes its values apart for the user's functions, and makes
/// values of what they give.
class Rules {
public:
  Rules(Trace& trace, const CallSite& call, const Values& arguments, Lists::Depths depths)
      : trace_(trace), call_(call), depths_(std::move(depths)), types_(types_of(arguments)),
        order_(order_of(types_)) {}

  /// The types of the operands, those with tangents first.
  Types operands() const { return ordered(types_, order_); }
  Types tangents() const { return with_tangents(operands()); }
  Values ordered_values(const Values& values) const { return ordered(values, order_); }
  const Lists::Depths& result_depths() const { return result_depths_; }

  Trace::Region body(const LeavesFunction& function) {
    Trace::Region region = record(operands(), [&](const Leaves& own) {
      Leaves results = function(leaves_of(own));
      result_depths_ = Lists::depths_of(results);
      return Lists::pack(trace_, results);
    });
    results_ = yielded(region);
    return region;
  }

  /// (tangents..., operands...) -> (results..., tangents...)
  Trace::Region jvp(const RuleBody& rule) {
    Types own = tangents();
    const size_t floats = own.size();
    llvm::append_range(own, operands());
    Trace::Region region = record(own, [&](const Leaves& all) {
      Leaves directions(types_.size());
      std::copy(all.begin(), all.begin() + static_cast<int64_t>(floats), directions.begin());
      directions = in_place(directions, order_);
      Leaves given = rule(spread(directions, depths_), leaves_of(part(all, floats, all.size())));
      const size_t count = Lists::leaves_of(result_depths_);
      require_count(given.size(), 2 * count, "the rule", "results and tangents");
      Leaves results = results_of(part(given, 0, count), "the rule");
      Leaves found = tangents_of(part(given, count, 2 * count), results_, result_depths_, results,
                                 "the rule, tangent");
      results.insert(results.end(), found.begin(), found.end());
      return results;
    });
    Types expected = results_;
    llvm::append_range(expected, with_tangents(results_));
    require_types(yielded(region), expected, "the rule", "result and tangent");
    return region;
  }

  /// (operands...) -> (results..., residuals...)
  Trace::Region forward(const RuleBody& rule) {
    Trace::Region region = record(operands(), [&](const Leaves& all) {
      Leaves given = rule({}, leaves_of(all));
      const size_t count = Lists::leaves_of(result_depths_);
      if (given.size() < count)
        require_count(given.size(), count, "fwd", "results");
      Leaves results = results_of(part(given, 0, count), "fwd");
      Leaves residuals = Lists::pack(trace_, part(given, count, given.size()));
      results.insert(results.end(), residuals.begin(), residuals.end());
      return results;
    });
    Types given = yielded(region);
    residuals_.assign(given.begin() + static_cast<int64_t>(results_.size()), given.end());
    given.truncate(results_.size());
    require_types(given, results_, "fwd", "result");
    return region;
  }

  /// (residuals..., cotangents..., operands...) -> cotangents
  Trace::Region backward(const RuleBody& rule) {
    Types own = residuals_;
    llvm::append_range(own, with_tangents(results_));
    const size_t count = own.size();
    llvm::append_range(own, operands());
    Trace::Region region = record(own, [&](const Leaves& all) {
      Leaves received(results_.size());
      size_t next = residuals_.size();
      for (auto [number, type] : llvm::enumerate(results_))
        if (has_tangent(type))
          received[number] = all[next++];
      Leaves given = Lists::unpack(trace_, part(all, 0, residuals_.size()));
      for (const Tensor& cotangent : spread(received, result_depths_))
        given.push_back(cotangent);
      const Leaves arguments = in_place(part(all, count, all.size()), order_);
      Leaves found = rule(given, Lists::unpack(trace_, arguments));
      require_count(found.size(), Lists::leaves_of(depths_), "bwd", "cotangents");
      return tangents_of(found, types_, depths_, arguments, "bwd, cotangent");
    });
    require_types(yielded(region), with_tangents(types_), "bwd", "cotangent");
    return region;
  }

private:
  Trace::Region record(const Types& types, const LeavesFunction& function) {
    Trace::Region region = trace_.region(types, function);
    Lists::drop_unused(region.region->front());
    return region;
  }

  /// The arguments of the user's function, of a region's.
  Leaves leaves_of(const Leaves& operands) {
    return Lists::unpack(trace_, in_place(operands, order_));
  }

  void require_count(size_t given, size_t expected, const std::string& rule,
                     const std::string& what) const {
    if (given != expected)
      fail(ErrorKind::value, "custom-rule",
           rule + ": expected " + std::to_string(expected) + " " + what + ", but got " +
               std::to_string(given));
  }

  Leaves results_of(const Leaves& leaves, const std::string& rule) {
    if (Lists::depths_of(leaves) != result_depths_)
      fail(ErrorKind::value, "custom-rule",
           rule + ": expected lists as deep as those of the function's result");
    return Lists::pack(trace_, leaves);
  }

  /// Of values that are null where there is no tangent the leaves.
  Leaves spread(const Leaves& values, const Lists::Depths& depths) {
    Leaves leaves;
    for (auto [value, depth] : llvm::zip(values, depths)) {
      Leaves own = value.is_empty() ? Leaves(static_cast<size_t>(std::max<int64_t>(1, depth)))
                                    : Lists::unpack(trace_, Leaves{value});
      leaves.insert(leaves.end(), own.begin(), own.end());
    }
    return leaves;
  }

  /// The tangents that leaves hold, of values of `types`, zeros like `primals` where they are
  /// empty. Lists have the lengths of these, or the run says that `what` has others.
  Leaves tangents_of(const Leaves& leaves, const Types& types, const Lists::Depths& depths,
                     const Leaves& primals, const std::string& what) {
    CallScope scope(call_.function, call_.where); // not the last line of the rule
    trace_.locate();
    language::Builder& b = trace_.builder();
    Leaves found;
    size_t next = 0;
    for (auto [number, depth] : llvm::enumerate(depths)) {
      const size_t first = next;
      next += static_cast<size_t>(std::max<int64_t>(1, depth));
      if (!has_tangent(types[number]))
        continue;
      if (leaves[first].is_empty()) {
        mlir::Value zero = transform::zeros_like(b, trace_.value_of(primals[number]));
        found.push_back(trace_.wrap(zero));
        continue;
      }
      found.push_back(Lists::pack(trace_, Lists::marked(part(leaves, first, next), {depth}))[0]);
      if (depth > 0)
        language::require_lengths_of(
            b, trace_.value_of(primals[number]), trace_.value_of(found.back()), "custom-rule",
            std::string(call_.function) + ": " + what + " " + std::to_string(number));
    }
    return found;
  }

  Trace& trace_;
  const CallSite& call_;
  Lists::Depths depths_, result_depths_; ///< of the arguments, of the results
  Types types_;                          ///< of the arguments, in their own order
  std::vector<size_t> order_;
  Types results_, residuals_;
};

} // namespace

Leaves composite(const CallSite& call, const Leaves& arguments, const LeavesFunction& body,
                 const std::vector<RuleBody>& rules, const CheckpointPolicy& policy,
                 const std::string& called) {
  require_tensors(call, arguments);
  if (!language::KeepComposites::keeps())
    return body(arguments);
  const std::string_view name = call.function;
  CallScope scope(name, call.where);
  const Lists::Depths depths = Lists::depths_of(arguments);
  Lists::Depths result_depths;
  std::vector<Operand> operands(arguments.begin(), arguments.end());
  Leaves made = apply_traced(name, operands, [&](Trace& trace, const Values& parts) {
    language::Builder& b = trace.builder();
    const Values values = Lists::pack(b, parts, depths);
    Rules recorder(trace, call, values, depths);
    std::vector<Trace::Region> regions;
    const int derivatives = language::KeepComposites::derivatives();
    {
      // What has rules is not differentiated by its body, which needs no rules of what it calls.
      language::KeepComposites inside(rules.empty() ? derivatives : 0);
      regions.push_back(recorder.body(body));
    }
    // One derivative is by the rules; the others are taken of these, which may call the function.
    language::KeepComposites of_rules(derivatives - 1);
    result_depths = recorder.result_depths();
    const Types results = yielded(regions[0]);
    if (name == "custom_jvp") {
      regions.push_back(recorder.jvp(rules[0]));
    } else if (name == "custom_vjp") {
      regions.push_back(recorder.forward(rules[0]));
      regions.push_back(recorder.backward(rules[1]));
    }
    std::vector<language::Body> bodies;
    for (Trace::Region& region : regions)
      bodies.push_back({std::move(region.region), std::move(region.captures)});
    Values all = recorder.ordered_values(values);
    llvm::append_range(all, language::share_captures(bodies));
    auto op = ir::CompositeOp::create(b, results, b.getStringAttr(name), all,
                                      static_cast<unsigned>(bodies.size() - 1));
    op->setAttr("arguments", b.getI64IntegerAttr(static_cast<int64_t>(recorder.tangents().size())));
    if (!called.empty())
      op->setAttr("called", b.getStringAttr(called));
    if (!policy.name.empty())
      op->setAttr("policy", b.getStringAttr(policy.name));
    if (!policy.names.empty())
      op->setAttr("names", b.getStrArrayAttr(llvm::SmallVector<llvm::StringRef>(
                               policy.names.begin(), policy.names.end())));
    op.getBody().takeBody(*bodies[0].region);
    for (size_t number = 1; number < bodies.size(); ++number)
      op.getRules()[number - 1].takeBody(*bodies[number].region);
    return Lists::unpack(trace, Values(op.result_begin(), op.result_end()));
  });
  return Lists::marked(std::move(made), result_depths);
}

void require_structure(const CallSite& call, const Flat& given, const Flat& expected,
                       std::string_view rule) {
  CallScope scope(call.function, call.where);
  auto paths = [](const Flat& flat) {
    return argument_paths("(" + flat.structure + ")", flat.leaves.size());
  };
  auto described = [](const Names& names) {
    std::string text;
    for (const std::string& name : names)
      text += (text.empty() ? "" : ", ") + std::string("result") + name.substr(1);
    return text;
  };
  const Names own = paths(given), other = paths(expected);
  if (given.leaves.size() != expected.leaves.size())
    fail(ErrorKind::value, "custom-rule",
         std::string(rule) + ": expected " + std::to_string(expected.leaves.size()) +
             " tensors, but got " + std::to_string(given.leaves.size()));
  if (!own.empty() && !other.empty() && own != other)
    fail(ErrorKind::value, "custom-rule",
         std::string(rule) + ": expected the structure of " + described(other) + ", but got " +
             described(own));
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
