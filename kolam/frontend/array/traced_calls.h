/// Functions that transformations made, outside a trace: each signature of their arguments is
/// traced once.
#pragma once

#include "kolam/frontend/array/arguments.h"
#include "kolam/frontend/array/control.h"

#include <functional>
#include <memory>

namespace kolam::detail {

/// The programs of one function by the dtypes, shapes and static arguments of its calls. Copies
/// share them.
class TracedCalls {
public:
  TracedCalls();

  /// What a call gives, and what `function` gave when it was traced, of which the structure counts.
  struct Made {
    Leaves results;
    std::shared_ptr<const void> like;
  };
  /// `function` of the leaves of `arguments`: called once, on traced values, for each signature.
  /// Empty handles stay so among arguments and results.
  using Function = std::function<Made(const Leaves&)>;
  Made run(const Flat& arguments, const Function& function) const;

private:
  struct State;
  std::shared_ptr<State> state_;
};

/// `function(args...)`, a tree of tensors: inlined in a trace, else by `calls`.
template <class Result, class... Args, class Function>
Result traced_once(const TracedCalls& calls, const std::tuple<Args...>& args, const CallSite& call,
                   const Function& function) {
  if (is_tracing())
    return std::apply(function, args);
  TracedCalls::Made made = calls.run(flatten(args, call), [&](const Leaves& leaves) {
    auto result = std::make_shared<Result>(std::apply(function, unflatten(args, leaves, call)));
    Leaves results = flatten(*result, call).leaves;
    return TracedCalls::Made{std::move(results), std::move(result)};
  });
  return unflatten(*static_cast<const Result*>(made.like.get()), made.results, call);
}

} // namespace kolam::detail
