/// Functions that transformations made, outside a trace: each signature of their arguments is
/// traced once.
#pragma once

#include "kolam/frontend/array/arguments.h"
#include "kolam/frontend/array/control.h"

#include <functional>
#include <memory>
#include <type_traits>

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
  /// Those among them of one function, which the text tells apart.
  TracedCalls of(std::string function) const;

private:
  struct State;
  std::shared_ptr<State> state_;
  std::string function_ = {};
};

/// The programs of calls of `Transformation` that are given their function anew each time. One that
/// has no state, a lambda without captures or a function by its address, is the same each time: its
/// programs stay. What others capture may have changed: they have programs of their own.
template <class Transformation, class F>
TracedCalls calls_of(const F& function, const std::string& of = {}) {
  if constexpr (std::is_empty_v<F> || std::is_pointer_v<F>) {
    static const TracedCalls* const shared = new TracedCalls;
    std::string text = of;
    if constexpr (std::is_pointer_v<F>)
      text.append(reinterpret_cast<const char*>(&function), sizeof function);
    return shared->of(std::move(text));
  } else {
    return TracedCalls();
  }
}

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
