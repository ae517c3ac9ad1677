/// Loops, branches and scans whose bodies are functions of tensors, and which stay loops in the
/// compiled program.
///
/// A C++ `for` or `if` inside a traced function runs while tracing and unrolls; these do not.
/// States, operands and results are pytrees (pytree.h) of tensors and lists. Bodies may use tensors
/// from around them (they are captured) and may hold loops of their own. Outside a trace each call
/// runs at once, as a program of its own.
#pragma once

#include "kolam/frontend/array/pytree.h"

#include <functional>
#include <optional>
#include <utility>

namespace kolam {

namespace detail {

/// A pytree taken apart.
struct Flat {
  std::vector<Tensor> leaves;
  std::string structure;
};

/// The same where numbers may be among the leaves, without a dtype of their own.
struct FlatStart {
  std::vector<Operand> leaves;
  std::string structure;
};

/// The public function that takes pytrees apart and the user's line, which ops of lists among them
/// carry.
struct CallSite {
  std::string_view function;
  SourceLocation where;
};

template <class T> Flat flatten(const T& value, const CallSite& call) {
  CallScope scope(call.function, call.where);
  Flat flat;
  Pytree<T>::flatten(value, flat.leaves, flat.structure);
  return flat;
}
template <class T> FlatStart flatten_start(const T& value, const CallSite& call) {
  if constexpr (std::is_arithmetic_v<T>)
    return {{Operand(value)}, "*,"}; // as of one tensor
  else {
    Flat flat = flatten(value, call);
    return {{flat.leaves.begin(), flat.leaves.end()}, std::move(flat.structure)};
  }
}
template <class T>
T unflatten(const T& like, const std::vector<Tensor>& leaves, const CallSite& call) {
  CallScope scope(call.function, call.where);
  const Tensor* next = leaves.data();
  return Pytree<T>::unflatten(like, next);
}
/// The user's line; unknown where it is one of Kolam's headers.
inline SourceLocation to_location(Operand::Here here) { return user_line(here); }
/// The line of a call of a function that `made` made; that line where the call is the library's.
SourceLocation call_line(Operand::Here here, Operand::Here made);

/// Inside bodies arrays and numbers are tensors.
template <class T>
using Traceable = std::conditional_t<std::is_same_v<std::decay_t<T>, Array> ||
                                         std::is_arithmetic_v<std::decay_t<T>>,
                                     Tensor, std::decay_t<T>>;
/// A state of the structure of `init`: itself, or an empty handle for a number.
template <class T> Traceable<T> like_start(const T& init) {
  if constexpr (std::is_arithmetic_v<T>)
    return Tensor();
  else
    return Traceable<T>(init);
}

using Leaves = std::vector<Tensor>;
struct ScanTurn {
  Flat state, y;
};
struct ScanResult {
  Leaves state, ys;
};

Leaves fori_loop(const Operand& lower, const Operand& upper, const FlatStart& init,
                 const std::function<Flat(Tensor, const Leaves&)>& body);
Leaves while_loop(const FlatStart& init, const std::function<Tensor(const Leaves&)>& condition,
                  const std::function<Flat(const Leaves&)>& body, Operand::Here where);
/// `pick` is `cond` or `switch_`, for errors.
Leaves branch(std::string_view pick, const Operand& selector, const Leaves& operands,
              const std::vector<std::function<Flat(const Leaves&)>>& branches);

} // namespace detail

struct ScanOptions {
  bool reverse = false;              ///< from the last slice to the first; y keep their places
  std::optional<Extent> length = {}; ///< needed where xs has no tensors
};

namespace detail {
ScanResult scan(const FlatStart& init, const Flat& xs, const ScanOptions& options,
                const std::function<ScanTurn(const Leaves& state, const Leaves& x)>& body,
                Operand::Here where);
} // namespace detail

/// A counted loop: `state = init; for i in [lower, upper): state = body(i, state)`; gives the last
/// state.
///
/// A number as `init` takes the dtype that the body gives back for it. The bounds are integer
/// scalars, numbers or tensors; i is a traced scalar of their dtype (i32, or i64 where one bound
/// needs it). With `lower >= upper` the result is `init`. Lists among the states may have other
/// lengths at each turn. Throws `[carry-mismatch]` where the body gives another structure, dtype or
/// shape than it takes, with both.
template <class State, class Body>
detail::Traceable<State> fori_loop(const Operand& lower, const Operand& upper, Body&& body,
                                   const State& init) {
  using S = detail::Traceable<State>;
  static_assert(
      std::is_invocable_r_v<S, Body&, Tensor, S>,
      "fori_loop: the body takes i and the state and gives the next one, of the same type");
  const detail::CallSite call{"fori_loop", lower.where()};
  const S start = detail::like_start(init);
  return detail::unflatten(start,
                           detail::fori_loop(lower, upper, detail::flatten_start(init, call),
                                             [&](Tensor i, const detail::Leaves& leaves) {
                                               S next =
                                                   body(i, detail::unflatten(start, leaves, call));
                                               return detail::flatten(next, call);
                                             }),
                           call);
}

/// A loop on a condition: `state = init; while condition(state): state = body(state)`; gives the
/// last state.
///
/// `condition` gives a bool scalar. A number as `init` takes the dtype that the body gives back for
/// it. Lists among the states (kolam.fractal) may have other lengths
/// at each turn: decoding until the end word. Throws `[carry-mismatch]` as `fori_loop`. A loop that
/// does not end can be stopped (`request_cancel`).
template <class State, class Condition, class Body>
detail::Traceable<State> while_loop(Condition&& condition, Body&& body, const State& init,
                                    Operand::Here where = Operand::Here::current()) {
  using S = detail::Traceable<State>;
  static_assert(std::is_invocable_r_v<Tensor, Condition&, S>,
                "while_loop: the condition takes the state and gives a kolam::Tensor");
  static_assert(std::is_invocable_r_v<S, Body&, S>,
                "while_loop: the body takes the state and gives the next one, of the same type");
  const detail::CallSite call{"while_loop", detail::to_location(where)};
  const S start = detail::like_start(init);
  return detail::unflatten(start,
                           detail::while_loop(
                               detail::flatten_start(init, call),
                               [&](const detail::Leaves& leaves) -> Tensor {
                                 return condition(detail::unflatten(start, leaves, call));
                               },
                               [&](const detail::Leaves& leaves) {
                                 S next = body(detail::unflatten(start, leaves, call));
                                 return detail::flatten(next, call);
                               },
                               where),
                           call);
}

/// `index` picks a branch: `branches[clip(index, 0, n - 1)](operands...)`; only that one runs.
///
/// Throws `[branch-mismatch]` where branches give other structures, dtypes or shapes than the
/// first.
template <class Branch, class... Operands>
auto switch_(const Operand& index, const std::vector<Branch>& branches,
             const Operands&... operands) {
  using All = std::tuple<detail::Traceable<Operands>...>;
  using Result =
      detail::Traceable<std::invoke_result_t<const Branch&, detail::Traceable<Operands>...>>;
  const detail::CallSite call{"switch_", index.where()};
  const All all(operands...);
  std::optional<Result> like;
  std::vector<std::function<detail::Flat(const detail::Leaves&)>> bodies;
  for (const Branch& branch : branches)
    bodies.push_back([&](const detail::Leaves& leaves) {
      like.emplace(std::apply(branch, detail::unflatten(all, leaves, call)));
      return detail::flatten(*like, call);
    });
  detail::Leaves results =
      detail::branch("switch_", index, detail::flatten(all, call).leaves, bodies);
  return detail::unflatten(*like, results, call);
}

/// `pred ? true_fn(operands...) : false_fn(operands...)`; only that one runs. `where` computes both
/// sides, element by element.
///
/// `pred` is a scalar. Lists that the two give may have any lengths. Throws `[branch-mismatch]`
/// where the two give different structures, dtypes or shapes.
template <class TrueFn, class FalseFn, class... Operands>
auto cond(const Operand& pred, TrueFn&& true_fn, FalseFn&& false_fn, const Operands&... operands) {
  using All = std::tuple<detail::Traceable<Operands>...>;
  static_assert(std::is_invocable_v<TrueFn&, detail::Traceable<Operands>...> &&
                    std::is_invocable_v<FalseFn&, detail::Traceable<Operands>...>,
                "cond: both functions take the operands");
  using Result = detail::Traceable<std::invoke_result_t<TrueFn&, detail::Traceable<Operands>...>>;
  static_assert(
      std::is_convertible_v<std::invoke_result_t<FalseFn&, detail::Traceable<Operands>...>, Result>,
      "cond: both functions give results of one type");
  const detail::CallSite call{"cond", pred.where()};
  const All all(operands...);
  std::optional<Result> like;
  auto body = [&](auto& branch) {
    return [&](const detail::Leaves& leaves) {
      like.emplace(std::apply(branch, detail::unflatten(all, leaves, call)));
      return detail::flatten(*like, call);
    };
  };
  detail::Leaves results = detail::branch("cond", pred, detail::flatten(all, call).leaves,
                                          {body(false_fn), body(true_fn)});
  return detail::unflatten(*like, results, call);
}

/// A loop over slices: `for t: (state, y[t]) = f(state, x[t])`; gives the last state and the
/// stacked y.
///
/// x[t] is slice t of every tensor of `xs` along its leading dim, whose extents must agree (they
/// may be symbolic); without tensors `options.length` says how often. `f` returns a pair of state
/// and y, pytrees both (an empty tuple for none). A number as `init` takes the dtype that `f` gives
/// back for it. Throws `[carry-mismatch]` as `fori_loop`,
/// `[shape-mismatch]` for xs of different lengths.
template <class F, class State, class Xs>
auto scan(F&& f, const State& init, const Xs& xs, const ScanOptions& options = {},
          Operand::Here where = Operand::Here::current()) {
  using S = detail::Traceable<State>;
  using X = detail::Traceable<Xs>;
  using Y = std::decay_t<decltype(f(std::declval<S>(), std::declval<X>()).second)>;
  const detail::CallSite call{"scan", detail::to_location(where)};
  const S start = detail::like_start(init);
  const X whole(xs);
  std::optional<Y> like;
  detail::ScanResult result = detail::scan(
      detail::flatten_start(init, call), detail::flatten(whole, call), options,
      [&](const detail::Leaves& state, const detail::Leaves& x) {
        auto [next, y] =
            f(detail::unflatten(start, state, call), detail::unflatten(whole, x, call));
        like.emplace(y);
        return detail::ScanTurn{detail::flatten(S(next), call), detail::flatten(y, call)};
      },
      where);
  return std::pair<S, Y>{detail::unflatten(start, result.state, call),
                         detail::unflatten(*like, result.ys, call)};
}

} // namespace kolam
