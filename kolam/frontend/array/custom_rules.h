/// Functions with derivatives of their own.
#pragma once

#include "kolam/frontend/array/derive.h"

#include <algorithm>

namespace kolam {

namespace detail {

/// The tangent of `value` whose parts these are, added up from the first on: empty for integers,
/// zeros where there are none. Throws `[custom-rule]` for a part of another number of tensors.
Leaves sum_of_tangents(const Leaves& value, const std::vector<Leaves>& parts);

/// Throws `[custom-rule]`: a function is called before it has a rule.
[[noreturn]] void fail_without_rule(const CallSite& call, std::string_view how);

/// Throws `[custom-rule]` unless what `rule` gave has the structure of what it belongs to.
void require_structure(const CallSite& call, const Flat& given, const Flat& expected,
                       std::string_view rule);

/// A call of a function as one op, which `make(leaves, body)` makes; the function's result, without
/// its tensors, is `like` from when `body` has run.
template <class Result, class F, class... Args, class Make>
Result call_as_one(const CallSite& call, const F& function, const std::tuple<Args...>& all,
                   std::optional<Result>& like, const Make& make) {
  auto body = [&](const Leaves& arguments) {
    like.emplace(std::apply(function, unflatten(all, arguments, call)));
    return flatten(*like, call).leaves;
  };
  Leaves results = make(flatten(all, call).leaves, body);
  return unflatten(*like, results, call);
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
    rules_ = [fwd, bwd](const std::tuple<Args...>& all, const std::optional<Result>& like,
                        const CallSite& call) {
      auto kept = std::make_shared<std::optional<Kept>>();
      RuleBody forward = [=, &like](const Leaves&, const Leaves& arguments) {
        auto given = std::apply(fwd, unflatten(all, arguments, call));
        kept->emplace(std::get<1>(given));
        Flat value = flatten(Result(std::get<0>(given)), call);
        require_structure(call, value, flatten(*like, call), "fwd");
        Leaves results = std::move(value.leaves);
        Leaves residuals = flatten(std::get<1>(given), call).leaves;
        results.insert(results.end(), residuals.begin(), residuals.end());
        return results;
      };
      RuleBody backward = [=, &like](const Leaves& own, const Leaves&) {
        const size_t count = flatten(**kept, call).leaves.size();
        const auto split = own.begin() + static_cast<int64_t>(count);
        Kept residuals = unflatten(**kept, Leaves(own.begin(), split), call);
        std::tuple<Args...> found =
            bwd(residuals, unflatten(*like, Leaves(split, own.end()), call));
        Flat cotangents = flatten(found, call);
        require_structure(call, cotangents, flatten(all, call), "bwd");
        return std::move(cotangents.leaves);
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
    std::optional<Result> like;
    return call_as_one<Result>(call, function_, all, like,
                               [&](const Leaves& arguments, const LeavesFunction& body) {
                                 return composite(call, arguments, body, rules_(all, like, call));
                               });
  }

private:
  F function_;
  Operand::Here where_;
  std::function<std::vector<RuleBody>(const std::tuple<Args...>&, const std::optional<Result>&,
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
    rule_ = [rule](const CustomJvp&, const std::tuple<Args...>& primals,
                   const std::tuple<Args...>& tangents) {
      return std::pair<Result, Result>(rule(primals, tangents));
    };
    return *this;
  }

  /// A rule for each argument, `nullptr` for none: `rule(tangent, value, args...)` gives its part
  /// of the tangent. Arguments without floats take no part.
  template <class... Rules> CustomJvp& defjvps(Rules... rules) {
    static_assert(sizeof...(Rules) == sizeof...(Args),
                  "defjvps takes a rule for each argument, nullptr for none");
    rule_ = [all_rules = std::tuple(rules...),
             where = where_](const CustomJvp& own_function, const std::tuple<Args...>& primals,
                             const std::tuple<Args...>& tangents) {
      const CallSite call{"custom_jvp", to_location(where)};
      const Result value =
          std::apply([&](const Args&... args) { return own_function(args..., where); }, primals);
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
    std::optional<Result> like;
    RuleBody rule = [&](const Leaves& own, const Leaves& arguments) {
      auto [value, tangent] =
          rule_(*this, unflatten(all, arguments, call), unflatten(all, own, call));
      Flat results = flatten(value, call), tangents = flatten(tangent, call);
      require_structure(call, results, flatten(*like, call), "the rule");
      require_structure(call, tangents, flatten(*like, call), "the rule, tangent");
      results.leaves.insert(results.leaves.end(), tangents.leaves.begin(), tangents.leaves.end());
      return std::move(results.leaves);
    };
    return call_as_one<Result>(call, function_, all, like,
                               [&](const Leaves& leaves, const LeavesFunction& body) {
                                 return composite(call, leaves, body, {rule});
                               });
  }

private:
  F function_;
  Operand::Here where_;
  std::function<std::pair<Result, Result>(const CustomJvp&, const std::tuple<Args...>&,
                                          const std::tuple<Args...>&)>
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
