/// Functions whose users say what they give for many instances at once.
#pragma once

#include "kolam/frontend/array/custom_rules.h"

namespace kolam {

namespace detail {

/// What a rule gives: tensors, and of each whether its leading axis counts the instances.
struct RuledLeaves {
  Leaves leaves;
  std::vector<bool> is_batched;
};
using BatchRule = std::function<RuledLeaves(
    const Extent& axis_size, const std::vector<bool>& in_batched, const Leaves& arguments)>;

/// `body` of the arguments; in the function of a vmap a call that `rule` batches. While it does,
/// calls of the same `function` are plain. Throws `[custom-rule]` where the rule gives other
/// numbers, dtypes or shapes.
Leaves call_with_batch_rule(const void* function, const Leaves& arguments,
                            const LeavesFunction& body, BatchRule rule, const CallSite& call);

template <class F, class Arguments = typename CallSignature<F>::Arguments> class CustomVmap;
template <class F, class... Args> class CustomVmap<F, std::tuple<Args...>> {
public:
  using Result = Traceable<typename CallSignature<F>::Result>;
  using Called = Result (*)(Args...);
  CustomVmap(F function, Operand::Here where) : function_(std::move(function)), where_(where) {}

  /// `rule(axis_size, in_batched, args...)` gives (result, out_batched): `std::vector<bool>` with
  /// one entry for each tensor of the arguments or of the result, one for all where they agree.
  /// What is batched has the instances along axis 0.
  template <class Rule> CustomVmap& def_vmap(Rule rule) {
    auto shared = std::make_shared<Rule>(std::move(rule));
    rule_ = [shared](const Extent& size, const std::vector<bool>& in_batched,
                     const std::tuple<Args...>& all) {
      return std::apply(
          [&](const Args&... args) {
            return std::pair<Result, std::vector<bool>>((*shared)(size, in_batched, args...));
          },
          all);
    };
    identity_ = shared;
    return *this;
  }

  Result operator()(const Args&... args, Operand::Here here = Operand::Here::current()) const {
    const CallSite call{"custom_vmap", call_line(here, where_)};
    if (!rule_)
      fail_without_rule(call, "f.def_vmap(rule)");
    const std::tuple<Args...> all(args...);
    const auto like = std::make_shared<std::optional<Result>>();
    auto body = [&](const Leaves& arguments) {
      like->emplace(std::apply(function_, unflatten(all, arguments, call)));
      return flatten(**like, call).leaves;
    };
    BatchRule rule = [all, call, given = rule_](const Extent& size,
                                                const std::vector<bool>& in_batched,
                                                const Leaves& arguments) {
      auto [result, is_batched] = given(size, in_batched, unflatten(all, arguments, call));
      return RuledLeaves{flatten(result, call).leaves, std::move(is_batched)};
    };
    Leaves results = call_with_batch_rule(identity_.get(), flatten(all, call).leaves, body,
                                          std::move(rule), call);
    return unflatten(**like, results, call);
  }

private:
  F function_;
  Operand::Here where_;
  std::function<std::pair<Result, std::vector<bool>>(const Extent&, const std::vector<bool>&,
                                                     const std::tuple<Args...>&)>
      rule_;
  std::shared_ptr<const void> identity_;
};

} // namespace detail

/// A function with a rule of its own for `vmap`: what it gives for all instances at once.
///
///     auto f = kolam::custom_vmap([](kolam::Tensor x) { return sin(x); });
///     f.def_vmap([](kolam::Extent size, std::vector<bool> in_batched, kolam::Tensor xs) {
///       return std::pair(sin(xs), in_batched);
///     });
///
/// Elsewhere, where derivatives of it are taken, where instances run one after the other and in its
/// own rule, it is its own ops. The rule may use tensors from around the vmap, but not those of one
/// instance. Throws `[custom-rule]` where the rule gives other numbers, dtypes or shapes, and where
/// the function captures what differs between instances.
template <class F> auto custom_vmap(F&& f, Operand::Here where = Operand::Here::current()) {
  static_assert(detail::Monomorphic<F>, "custom_vmap needs a function with declared parameter "
                                        "types: write kolam::Tensor, not auto");
  return detail::CustomVmap<std::decay_t<F>>(std::forward<F>(f), where);
}

} // namespace kolam
