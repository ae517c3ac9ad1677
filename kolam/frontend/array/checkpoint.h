/// Functions that derivatives compute again, in place of keeping what they computed.
#pragma once

#include "kolam/frontend/array/custom_rules.h"

namespace kolam {

/// What `checkpoint` may keep of a function beside its arguments, if derivatives need it.
/// Policies see into loops and branches: what a step keeps is stacked.
namespace checkpoint_policies {

/// All: as without `checkpoint`.
inline CheckpointPolicy everything_saveable() { return {"everything_saveable"}; }
/// The arguments alone.
inline CheckpointPolicy nothing_saveable() { return {"nothing_saveable"}; }
/// Products: `matmul`, `dot`, `einsum`.
inline CheckpointPolicy dots_saveable() { return {"dots_saveable"}; }
/// Products in which no dim of both operands is one of the result.
inline CheckpointPolicy dots_with_no_batch_dims_saveable() {
  return {"dots_with_no_batch_dims_saveable"};
}
/// What `checkpoint_name` gave one of these names.
inline CheckpointPolicy save_only_these_names(std::vector<std::string> names) {
  return {"save_only_these_names", std::move(names)};
}
/// All but what `checkpoint_name` gave one of these names.
inline CheckpointPolicy save_anything_except_these_names(std::vector<std::string> names) {
  return {"save_anything_except_these_names", std::move(names)};
}

} // namespace checkpoint_policies

/// `x`, under a name that policies of `checkpoint` may keep or not: result[i] = x[i]. Throws
/// `[bad-option]` for an empty name.
Tensor checkpoint_name(const Operand& x, const std::string& name);

namespace detail {

template <class F, class Arguments = typename CallSignature<F>::Arguments> class Checkpointed;
template <class F, class... Args> class Checkpointed<F, std::tuple<Args...>> {
public:
  using Result = Traceable<typename CallSignature<F>::Result>;
  Checkpointed(F function, CheckpointPolicy policy, Operand::Here where)
      : function_(std::move(function)), policy_(std::move(policy)), where_(where) {}
  using Called = Result (*)(Args...);
  Result operator()(const Args&... args, Operand::Here here = Operand::Here::current()) const {
    const CallSite call{"checkpoint", call_line(here, where_)};
    std::optional<Result> like;
    return call_as_one<Result>(call, function_, std::tuple<Args...>(args...), like,
                               [&](const Leaves& leaves, const LeavesFunction& body) {
                                 return checkpointed(call, policy_, leaves, body);
                               });
  }

private:
  F function_;
  CheckpointPolicy policy_;
  Operand::Here where_;
};

} // namespace detail

/// `f`, of which derivatives keep the arguments, and what `policy` says: what else they need is
/// computed again. Value and derivatives have the same bits. Source: Griewank and Walther,
/// "Revolve", 2000.
///
///     auto block = kolam::checkpoint(layer, kolam::checkpoint_policies::dots_saveable());
///
/// Throws `[bad-option]` for a policy that nobody knows.
template <class F>
auto checkpoint(F&& f, CheckpointPolicy policy = checkpoint_policies::nothing_saveable(),
                Operand::Here where = Operand::Here::current()) {
  return detail::Checkpointed<std::decay_t<F>>(std::forward<F>(f), std::move(policy), where);
}
/// As `checkpoint`.
template <class F>
auto remat(F&& f, CheckpointPolicy policy = checkpoint_policies::nothing_saveable(),
           Operand::Here where = Operand::Here::current()) {
  return checkpoint(std::forward<F>(f), std::move(policy), where);
}

} // namespace kolam
