/// Functions with derivatives of their own.
#pragma once

#include "kolam/frontend/array/derive.h"

#include <algorithm>

namespace kolam {

namespace detail {

/// The tensors of a call's arguments, floats first, as a composite takes them.
class CompositeLeaves {
public:
  CompositeLeaves(const CallSite& call, Leaves leaves);
  const Leaves& ordered() const { return ordered_; }
  size_t floats() const { return floats_; }
  /// All leaves in their own order.
  Leaves in_place(const Leaves& ordered) const;
  /// One for each leaf, those of floats given, others empty.
  Leaves spread(const Leaves& floats) const;
  /// Those of the floats, zeros for empty handles. Throws `[custom-rule]` for another number.
  Leaves cotangents(const Leaves& leaves) const;

private:
  Leaves leaves_, ordered_;
  std::vector<size_t> places_; ///< of the ordered ones
  size_t floats_ = 0;
};

/// The floats among leaves.
Leaves floats_of(const Leaves& leaves);
/// `like`'s leaves, of floats the next ones of `floats`, others empty.
Leaves spread_floats(const Leaves& like, const Leaves& floats);

/// The tangent of `value` whose parts these are, added up from the first on: empty for integers,
/// zeros where there are none. Throws `[custom-rule]` for a part of another number of tensors.
Leaves sum_of_tangents(const Leaves& value, const std::vector<Leaves>& parts);

/// Throws `[custom-rule]`: a function is called before it has a rule.
[[noreturn]] void fail_without_rule(const CallSite& call, std::string_view how);

/// The call of a function as one op, which `make(leaves, body)` makes.
template <class Result, class F, class... Args, class Make>
Result call_as_one(const CallSite& call, const F& function, const std::tuple<Args...>& all,
                   const Make& make) {
  CompositeLeaves leaves(call, flatten(all, call).leaves);
  std::optional<Result> like;
  auto body = [&](const Leaves& arguments) {
    like.emplace(std::apply(function, unflatten(all, leaves.in_place(arguments), call)));
    return flatten(*like, call).leaves;
  };
  Leaves results = make(leaves, body);
  return unflatten(*like, results, call);
}

/// The same as a composite with what `rules(leaves, call)` gives.
template <class Result, class F, class... Args, class Rules>
Result call_composite(const CallSite& call, const F& function, const std::tuple<Args...>& all,
                      const Rules& rules) {
  return call_as_one<Result>(
      call, function, all, [&](const CompositeLeaves& leaves, const LeavesFunction& body) {
        return composite(call, leaves.ordered(), leaves.floats(), body, rules(leaves, call));
      });
}

template <class F, class Arguments = typename CallSignature<F>::Arguments> class CustomVjp;
template <class F, class... Args> class CustomVjp<F, std::tuple<Args...>> {
public:
  using Result = Traceable<typename CallSignature<F>::Result>;
  using Called = Result (*)(Args...);
  CustomVjp(F function, Operand::Here where) : function_(std::move(function)), where_(where) {}

  /// `fwd(args...)` gives (value, kept); `bwd(kept, cotangent)` a tuple of cotangents, one for each
  /// argument, with empty handles for integers and zeros.
  template <class Forward, class Backward> CustomVjp& defvjp(Forward fwd, Backward bwd) {
    using Given = typename CallSignature<Forward>::Result;
    using Kept = std::decay_t<std::tuple_element_t<1, Given>>;
    rules_ = [fwd, bwd](const std::tuple<Args...>& all, const CompositeLeaves& leaves,
                        const CallSite& call) {
      auto kept = std::make_shared<std::optional<Kept>>();
      auto value = std::make_shared<std::optional<Result>>();
      RuleBody forward = [=](const Leaves&, const Leaves& arguments) {
        auto given = std::apply(fwd, unflatten(all, leaves.in_place(arguments), call));
        value->emplace(std::get<0>(given));
        kept->emplace(std::get<1>(given));
        Leaves results = flatten(std::get<0>(given), call).leaves;
        Leaves residuals = flatten(std::get<1>(given), call).leaves;
        results.insert(results.end(), residuals.begin(), residuals.end());
        return results;
      };
      RuleBody backward = [=](const Leaves& own, const Leaves&) {
        const size_t count = flatten(**kept, call).leaves.size();
        const auto split = own.begin() + static_cast<int64_t>(count);
        Kept residuals = unflatten(**kept, Leaves(own.begin(), split), call);
        Leaves cotangents = spread_floats(flatten(**value, call).leaves, Leaves(split, own.end()));
        std::tuple<Args...> found = bwd(residuals, unflatten(**value, cotangents, call));
        return leaves.cotangents(flatten(found, call).leaves);
      };
      return std::vector<RuleBody>{forward, backward};
    };
    return *this;
  }

  Result operator()(const Args&... args, Operand::Here here = Operand::Here::current()) const {
    const CallSite call{"custom_vjp", call_line(here, where_)};
    if (!rules_)
      fail_without_rule(call, "f.defvjp(fwd, bwd)");
    const std::tuple<Args...> all(args...);
    return call_composite<Result>(call, function_, all,
                                  [&](const CompositeLeaves& leaves, const CallSite& site) {
                                    return rules_(all, leaves, site);
                                  });
  }

private:
  F function_;
  Operand::Here where_;
  std::function<std::vector<RuleBody>(const std::tuple<Args...>&, const CompositeLeaves&,
                                      const CallSite&)>
      rules_;
};

template <class F, class Arguments = typename CallSignature<F>::Arguments> class CustomJvp;
template <class F, class... Args> class CustomJvp<F, std::tuple<Args...>> {
public:
  using Result = Traceable<typename CallSignature<F>::Result>;
  using Called = Result (*)(Args...);
  CustomJvp(F function, Operand::Here where) : function_(std::move(function)), where_(where) {}

  /// `rule(primals, tangents)`, both tuples of the arguments, gives a pair: (value, tangent).
  template <class Rule> CustomJvp& defjvp(Rule rule) {
    rule_ = [rule](const std::tuple<Args...>& primals, const std::tuple<Args...>& tangents) {
      return std::pair<Result, Result>(rule(primals, tangents));
    };
    return *this;
  }

  /// A rule for each argument, `nullptr` for none: `rule(tangent, value, args...)` gives its part
  /// of the tangent. Arguments without floats take no part.
  template <class... Rules> CustomJvp& defjvps(Rules... rules) {
    static_assert(sizeof...(Rules) == sizeof...(Args),
                  "defjvps takes a rule for each argument, nullptr for none");
    rule_ = [function = function_, all_rules = std::tuple(rules...), where = where_](
                const std::tuple<Args...>& primals, const std::tuple<Args...>& tangents) {
      const CallSite call{"custom_jvp", to_location(where)};
      const Result value = std::apply(function, primals);
      std::vector<Leaves> parts;
      auto add = [&](const auto& rule, const auto& tangent) {
        if constexpr (!std::is_null_pointer_v<std::decay_t<decltype(rule)>>) {
          const Leaves given = flatten(tangent, call).leaves;
          if (std::all_of(given.begin(), given.end(),
                          [](const Tensor& leaf) { return leaf.is_empty(); }))
            return;
          auto own = [&](const Args&... args) { return Result(rule(tangent, value, args...)); };
          parts.push_back(flatten(std::apply(own, primals), call).leaves);
        }
      };
      [&]<size_t... i>(std::index_sequence<i...>) {
        (add(std::get<i>(all_rules), std::get<i>(tangents)), ...);
      }(std::index_sequence_for<Args...>());
      const Leaves tangent = sum_of_tangents(flatten(value, call).leaves, parts);
      return std::pair<Result, Result>(value, unflatten(value, tangent, call));
    };
    return *this;
  }

  Result operator()(const Args&... args, Operand::Here here = Operand::Here::current()) const {
    const CallSite call{"custom_jvp", call_line(here, where_)};
    if (!rule_)
      fail_without_rule(call, "f.defjvp(rule)");
    const std::tuple<Args...> all(args...);
    auto rules = [&](const CompositeLeaves& leaves, const CallSite&) {
      RuleBody rule = [&](const Leaves& own, const Leaves& arguments) {
        auto [value, tangent] = rule_(unflatten(all, leaves.in_place(arguments), call),
                                      unflatten(all, leaves.spread(own), call));
        Leaves results = flatten(value, call).leaves;
        Leaves tangents = floats_of(flatten(tangent, call).leaves);
        results.insert(results.end(), tangents.begin(), tangents.end());
        return results;
      };
      return std::vector<RuleBody>{rule};
    };
    return call_composite<Result>(call, function_, all, rules);
  }

private:
  F function_;
  Operand::Here where_;
  std::function<std::pair<Result, Result>(const std::tuple<Args...>&, const std::tuple<Args...>&)>
      rule_;
};

} // namespace detail

/// A function whose gradient is given by two rules: what is kept of its arguments, and cotangents
/// from it.
///
///     auto f = kolam::custom_vjp([](kolam::Tensor x) { return sin(x); });
///     f.defvjp([](kolam::Tensor x) { return std::pair(sin(x), x); },
///              [](kolam::Tensor x, kolam::Tensor v) { return std::tuple(multiply(v, cos(x))); });
///
/// `jvp` of it is the transpose of the second rule, which must be linear in the cotangent. Throws
/// `[custom-rule]` where a rule gives other numbers, dtypes or shapes.
template <class F> auto custom_vjp(F&& f, Operand::Here where = Operand::Here::current()) {
  return detail::CustomVjp<std::decay_t<F>>(std::forward<F>(f), where);
}

/// A function whose derivative is given by a rule: tangents of its arguments to that of its result,
/// linear in the tangents; `f.defjvp(rule)`, or by argument `f.defjvps(rules...)`. Reverse mode is
/// its transpose. Throws `[custom-rule]`.
template <class F> auto custom_jvp(F&& f, Operand::Here where = Operand::Here::current()) {
  return detail::CustomJvp<std::decay_t<F>>(std::forward<F>(f), where);
}

} // namespace kolam
