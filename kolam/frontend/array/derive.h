/// Derivatives of functions of tensors.
#pragma once

#include "kolam/frontend/array/float_leaves.h"
#include "kolam/frontend/array/jit.h"
#include "kolam/frontend/array/memory_size.h"
#include "kolam/frontend/array/traced_calls.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kolam {

struct GradOptions {
  /// Bytes that a derivative plans to keep beside arguments and results at most: "2GiB", "64 MB",
  /// "1000000"; empty for no limit.
  std::string memory_limit = {};
};

/// What `checkpoint` keeps of a function: a name of kolam::checkpoint_policies, and names that
/// `checkpoint_name` gave.
struct CheckpointPolicy {
  std::string name;
  std::vector<std::string> names = {};
};

namespace detail {

using LeavesFunction = std::function<Leaves(const Leaves&)>;

/// The linear part of a function at a point: the program of tangents, and what stands for its
/// residuals. May be called any number of times, inside a trace and outside, where it is compiled
/// once.
class LinearFunction {
public:
  /// The program, of all points.
  struct Part;
  LinearFunction() = default;
  LinearFunction(std::shared_ptr<const Part> part, Leaves residuals)
      : part_(std::move(part)), residuals_(std::move(residuals)) {}

  const Leaves& residuals() const { return residuals_; }
  /// The linear part at another point, where the residuals are these.
  LinearFunction at(Leaves residuals) const { return {part_, std::move(residuals)}; }

  /// One tangent for each result of the function, zeros for one that does not depend on the
  /// arguments; empty for results of integers. Empty ones among `tangents` are zero. Throws
  /// `[tangent-mismatch]`.
  Leaves forward(const Leaves& tangents, Operand::Here where, const Names& names = {}) const;
  /// One cotangent for each argument, given one for each result; empty ones count as zero.
  Leaves transposed(const Leaves& cotangents, Operand::Here where, const Names& names = {}) const;

private:
  std::shared_ptr<const Part> part_;
  Leaves residuals_;
};

/// Results of `body` at `primals`, tensors of floats, and its linear part there. Residuals that
/// outlive the trace that makes them can be arrays. Throws `[not-differentiable]`.
struct LinearisedLeaves {
  Leaves results;
  LinearFunction linear;
};
enum class Residuals : uint8_t { of_trace, outliving };
LinearisedLeaves linearise(std::string_view function, const Leaves& primals,
                           const LeavesFunction& body, Operand::Here where,
                           Residuals residuals = Residuals::of_trace);

/// Results of `body` and the gradients of the first, a scalar, to `primals`, in so many bytes
/// beside these at most. Throws `[memory-limit]`.
struct Gradients {
  Leaves results, gradients;
};
Gradients gradients(std::string_view function, const Leaves& primals, const LeavesFunction& body,
                    Operand::Here where, std::optional<int64_t> memory_limit = std::nullopt);

/// Results of `body`, and their tangents; empty for integers. Empty ones among `tangents` are zero.
struct Pushed {
  Leaves results, tangents;
};
Pushed push_forward(std::string_view function, const Leaves& primals, const Leaves& tangents,
                    const LeavesFunction& body, Operand::Here where, const Names& names = {});

/// Which of the cotangents that were given each result of a function has, and how the user reaches
/// it.
struct Received {
  std::vector<std::optional<size_t>> places;
  Names names;
};
/// The cotangents of the arguments of a function that is linear in them, which are like `like`.
/// `received` is asked when `body` has run. Throws `[not-linear]`, `[tangent-mismatch]`.
Leaves transpose_linear(const Leaves& like, const LeavesFunction& body, const Leaves& cotangents,
                        const std::function<Received()>& received, Operand::Here where);

/// What a rule of the user's gives of tensors of its own, then the function's arguments.
using RuleBody = std::function<Leaves(const Leaves& own, const Leaves& arguments)>;
/// `body` of `arguments`: to derivatives one op of the function's name (kolam.composite), with a
/// rule. Only a trace that differentiates sees it so.
///
/// | name | rules |
/// |---|---|
/// | checkpoint | none |
/// | custom_jvp | of tangents: results, then tangents |
/// | custom_vjp | of nothing: results, then residuals; of these and cotangents: cotangents |
///
/// There is a tangent for each tensor of the arguments or the results. That of integers, and of
/// what gives a list its lengths, is empty; a rule's empty ones are zero. Lists are leaves and
/// offsets. Errors of the run call the user's function `called`, where that is given. Throws
/// `[custom-rule]` where a rule gives other numbers, dtypes or shapes.
Leaves composite(const CallSite& call, const Leaves& arguments, const LeavesFunction& body,
                 const std::vector<RuleBody>& rules, const CheckpointPolicy& policy = {},
                 const std::string& called = {});
/// `body` of `arguments`, of which derivatives keep what the policy says. Throws `[bad-option]` for
/// a policy that nobody knows.
Leaves checkpointed(const CallSite& call, const CheckpointPolicy& policy, const Leaves& arguments,
                    const LeavesFunction& body);

/// What a function of tensors gives: a scalar, or a scalar and something beside it.
template <class Result> inline constexpr bool kHasAux = false;
template <class Aux> inline constexpr bool kHasAux<std::pair<Tensor, Aux>> = true;
template <class Aux> inline constexpr bool kHasAux<std::tuple<Tensor, Aux>> = true;

/// The chosen ones of a function's arguments: one as it is, several as a tuple.
template <class Arguments, size_t... numbers> struct Chosen {
  using Type = std::tuple<std::tuple_element_t<numbers, Arguments>...>;
};
template <class Arguments, size_t number> struct Chosen<Arguments, number> {
  using Type = std::tuple_element_t<number, Arguments>;
};

template <class F, class Arguments, size_t... numbers> class ValueAndGradient;

/// A function that `value_and_grad` made.
template <class F, class... Args, size_t... numbers>
class ValueAndGradient<F, std::tuple<Args...>, numbers...> {
public:
  using Result = Traceable<typename CallSignature<F>::Result>;
  using Parts = std::tuple<std::tuple_element_t<numbers, std::tuple<Args...>>...>;
  using Gradient = typename Chosen<std::tuple<Args...>, numbers...>::Type;
  static_assert(std::is_same_v<Result, Tensor> || kHasAux<Result>,
                "grad needs a function that gives a kolam::Tensor, or a pair of one and what else "
                "it gives");

  ValueAndGradient(F function, std::string_view name, const GradOptions& options,
                   Operand::Here where)
      : function_(std::move(function)), name_(name), where_(where) {
    CallScope scope(name_, to_location(where_));
    if (!options.memory_limit.empty())
      memory_limit_ = bytes_from(options.memory_limit);
  }

  std::pair<Result, Gradient> operator()(const Args&... args) const {
    return traced_once<std::pair<Result, Gradient>>(
        calls_, std::tuple<Args...>(args...), {name_, to_location(where_)},
        [this](const Args&... given) { return inlined(given...); });
  }

private:
  std::pair<Result, Gradient> inlined(const Args&... args) const {
    const CallSite call{name_, to_location(where_)};
    std::tuple<Args...> all(args...);
    Parts chosen(std::get<numbers>(all)...);
    FloatLeaves leaves(flatten(chosen, call), call, {numbers...});
    std::optional<Result> like;
    Gradients made = gradients(
        name_, leaves.floats(),
        [&](const Leaves& values) {
          std::tuple<Args...> given = all;
          Parts parts = unflatten(chosen, leaves.with(values), call);
          set(given, parts, std::make_index_sequence<sizeof...(numbers)>());
          like.emplace(std::apply(function_, given));
          Leaves results = flatten(*like, call).leaves;
          require_scalar(results.front(), call);
          return results;
        },
        where_, memory_limit_);
    Parts gradient = unflatten(chosen, leaves.spread(made.gradients), call);
    return {unflatten(*like, made.results, call), one_or_all(std::move(gradient))};
  }
  template <size_t... places>
  static void set(std::tuple<Args...>& all, const Parts& parts, std::index_sequence<places...>) {
    ((std::get<numbers>(all) = std::get<places>(parts)), ...);
  }
  static Gradient one_or_all(Parts parts) {
    if constexpr (sizeof...(numbers) == 1)
      return std::get<0>(std::move(parts));
    else
      return parts;
  }

  F function_;
  std::string_view name_;
  Operand::Here where_;
  std::optional<int64_t> memory_limit_;
  TracedCalls calls_;
};

/// A function that `grad` made.
template <class F, class Arguments, size_t... numbers> class GradientOnly;
template <class F, class... Args, size_t... numbers>
class GradientOnly<F, std::tuple<Args...>, numbers...> {
public:
  using Both = ValueAndGradient<F, std::tuple<Args...>, numbers...>;
  explicit GradientOnly(Both both) : both_(std::move(both)) {}
  auto operator()(const Args&... args) const {
    auto [value, gradient] = both_(args...);
    if constexpr (kHasAux<typename Both::Result>)
      return std::pair(std::move(gradient), std::get<1>(std::move(value)));
    else
      return gradient;
  }

private:
  Both both_;
};

template <class F, class Arguments, size_t... numbers>
GradientOnly<F, Arguments, numbers...>
gradient_only(ValueAndGradient<F, Arguments, numbers...> both) {
  return GradientOnly<F, Arguments, numbers...>(std::move(both));
}

/// The linear part of a function, from tangents of its arguments to that of its result.
template <class Result, class... Args> class Pushforward {
public:
  using Called = Result (*)(Args...);
  Pushforward(LinearFunction linear, FloatLeaves leaves, Result like)
      : linear_(std::move(linear)), leaves_(std::move(leaves)), like_(std::move(like)) {}
  Result operator()(const Args&... tangents, Operand::Here here = Operand::Here::current()) const {
    const CallSite call{"linearize", to_location(here)};
    Flat given = flatten(std::tuple<Args...>(tangents...), call);
    Names names = require_alongside(given, leaves_.arguments(), "tangents", call);
    Leaves found = linear_.forward(leaves_.among(given.leaves), here, leaves_.among(names));
    return unflatten(like_, found, call);
  }

private:
  LinearFunction linear_;
  FloatLeaves leaves_;
  Result like_;
};

/// Its transpose, from a cotangent of the result to those of the arguments.
template <class Result, class... Args> class Pullback {
public:
  using Called = std::tuple<Args...> (*)(Result);
  Pullback(LinearFunction linear, FloatLeaves leaves, std::tuple<Args...> like, Flat value)
      : linear_(std::move(linear)), leaves_(std::move(leaves)), like_(std::move(like)),
        value_(std::move(value)) {}
  std::tuple<Args...> operator()(const Result& cotangent,
                                 Operand::Here here = Operand::Here::current()) const {
    const CallSite call{"vjp", to_location(here)};
    Flat given = flatten(cotangent, call);
    Names names = require_alongside(given, value_, "cotangent", call);
    Leaves found = linear_.transposed(given.leaves, here, names);
    return unflatten(like_, leaves_.spread(found), call);
  }

private:
  LinearFunction linear_;
  FloatLeaves leaves_;
  std::tuple<Args...> like_;
  Flat value_;
};

template <class Of, class F> struct TransposedFunction;
template <class F, class Arguments = typename CallSignature<F>::Arguments> struct Differentiated;
template <class F, class... Args> struct Differentiated<F, std::tuple<Args...>> {
  using Result = Traceable<typename CallSignature<F>::Result>;
  using Arguments = std::tuple<Args...>;
  using Push = Pushforward<Result, Args...>;
  using Pull = Pullback<Result, Args...>;
  using Linearised = std::pair<Result, Push>;
  using PulledBack = std::pair<Result, Pull>;

  /// The value at `all`, and its linear part there: traced once outside a trace.
  template <class Linear>
  static std::pair<Result, Linear> linearised(const F& function, const TracedCalls& calls,
                                              const Arguments& all, std::string_view name,
                                              Operand::Here where) {
    const CallSite call{name, to_location(where)};
    AtPoint made = at_point(function, calls, all, call, where);
    FloatLeaves leaves(flatten(all, call), call);
    if constexpr (std::is_same_v<Linear, Push>)
      return {made.value, Push(std::move(made.linear), std::move(leaves), made.value)};
    else
      return {made.value,
              Pull(std::move(made.linear), std::move(leaves), all, flatten(made.value, call))};
  }

  static std::pair<Result, Result> pushed(const F& function, const TracedCalls& calls,
                                          const Arguments& primals, const Arguments& tangents,
                                          Operand::Here where) {
    return traced_once<std::pair<Result, Result>>(
        calls, std::tuple(primals, tangents), {"jvp", to_location(where)},
        [&](const Arguments& given, const Arguments& directions) {
          return pushed_here(function, given, directions, where);
        });
  }

  /// The programs of `linear_transpose` of a function of arguments like these. Of floats the shapes
  /// count; others are what the function reads.
  static TracedCalls calls_of_transposed(const F& function, const Arguments& like,
                                         const CallSite& call) {
    if (is_tracing())
      return TracedCalls();
    const Flat flat = flatten(like, call);
    std::string key = flat.structure;
    for (const Tensor& leaf : flat.leaves) {
      if (leaf.is_empty() || !is_float(leaf.dtype()) || leaf.list_depth() > 0)
        return TracedCalls();
      append_signature(leaf, 0, {}, key);
    }
    return calls_of<TransposedFunction<Differentiated, F>>(function, key);
  }

  static Arguments transposed(const F& function, const Arguments& like_arguments,
                              const Result& cotangent, Operand::Here where) {
    const CallSite call{"linear_transpose", to_location(where)};
    FloatLeaves leaves(flatten(like_arguments, call), call);
    Flat given = flatten(cotangent, call);
    std::optional<Result> like;
    auto received = [&] {
      Received found;
      found.names = require_alongside(given, flatten(*like, call), "cotangent", call);
      size_t next = 0;
      for (const Tensor& leaf : given.leaves)
        found.places.push_back(leaf.is_empty() ? std::nullopt : std::optional(next++));
      return found;
    };
    Leaves found =
        transpose_linear(leaves.floats(), body(function, like_arguments, leaves, like, call),
                         given.leaves, received, where);
    return unflatten(like_arguments, leaves.spread(found), call);
  }

private:
  struct AtPoint {
    Result value;
    LinearFunction linear;
  };

  static AtPoint at_point(const F& function, const TracedCalls& calls, const Arguments& all,
                          const CallSite& call, Operand::Here where) {
    if (is_tracing())
      return traced_at_point(function, all, call, where, Residuals::of_trace);
    const TracedCalls::Made made = calls.run(flatten(all, call), [&](const Leaves& leaves) {
      auto traced = std::make_shared<AtPoint>(traced_at_point(
          function, unflatten(all, leaves, call), call, where, Residuals::outliving));
      Leaves results = flatten(traced->value, call).leaves;
      const Leaves& residuals = traced->linear.residuals();
      results.insert(results.end(), residuals.begin(), residuals.end());
      return TracedCalls::Made{std::move(results), std::move(traced)};
    });
    const auto& traced = *static_cast<const AtPoint*>(made.like.get());
    const auto count = static_cast<int64_t>(traced.linear.residuals().size());
    return {unflatten(traced.value, made.results, call),
            traced.linear.at({made.results.end() - count, made.results.end()})};
  }

  static AtPoint traced_at_point(const F& function, const Arguments& all, const CallSite& call,
                                 Operand::Here where, Residuals residuals) {
    FloatLeaves leaves(flatten(all, call), call);
    std::optional<Result> like;
    LinearisedLeaves made = linearise(call.function, leaves.floats(),
                                      body(function, all, leaves, like, call), where, residuals);
    return {unflatten(*like, made.results, call), std::move(made.linear)};
  }

  static std::pair<Result, Result> pushed_here(const F& function, const Arguments& primals,
                                               const Arguments& tangents, Operand::Here where) {
    const CallSite call{"jvp", to_location(where)};
    FloatLeaves leaves(flatten(primals, call), call);
    Flat given = flatten(tangents, call);
    Names names = require_alongside(given, leaves.arguments(), "tangents", call);
    std::optional<Result> like;
    Pushed made =
        push_forward("jvp", leaves.floats(), leaves.among(given.leaves),
                     body(function, primals, leaves, like, call), where, leaves.among(names));
    return {unflatten(*like, made.results, call), unflatten(*like, made.tangents, call)};
  }

  static LeavesFunction body(const F& function, const Arguments& all, const FloatLeaves& leaves,
                             std::optional<Result>& like, const CallSite& call) {
    return [&](const Leaves& values) {
      like.emplace(std::apply(function, unflatten(all, leaves.with(values), call)));
      Leaves results = flatten(*like, call).leaves;
      require_float_result(results, call);
      return results;
    };
  }
};

/// A function that gives `Linear` at a point, and the value there; it keeps its programs.
template <class F, class Linear, class Arguments = typename CallSignature<F>::Arguments>
class AtPoints;
template <class F, class Linear, class... Args> class AtPoints<F, Linear, std::tuple<Args...>> {
public:
  using Of = Differentiated<F>;
  AtPoints(F function, std::string_view name) : function_(std::move(function)), name_(name) {}
  std::pair<typename Of::Result, Linear>
  operator()(const Args&... primals, Operand::Here here = Operand::Here::current()) const {
    return Of::template linearised<Linear>(function_, calls_, {primals...}, name_, here);
  }

private:
  F function_;
  std::string_view name_;
  TracedCalls calls_;
};

/// The derivative of a function along tangents; it keeps its programs.
template <class F> class AlongTangents {
public:
  using Of = Differentiated<F>;
  explicit AlongTangents(F function) : function_(std::move(function)) {}
  std::pair<typename Of::Result, typename Of::Result>
  operator()(const typename Of::Arguments& primals, const typename Of::Arguments& tangents,
             Operand::Here here = Operand::Here::current()) const {
    return Of::pushed(function_, calls_, primals, tangents, here);
  }

private:
  F function_;
  TracedCalls calls_;
};

/// A function that `linear_transpose` made.
template <class Of, class F> struct TransposedFunction {
  using Called = typename Of::Arguments (*)(typename Of::Result);
  typename Of::Arguments operator()(const typename Of::Result& cotangent,
                                    Operand::Here here = Operand::Here::current()) const {
    return traced_once<typename Of::Arguments>(calls, std::tuple(cotangent),
                                               {"linear_transpose", to_location(here)},
                                               [&](const typename Of::Result& given) {
                                                 return Of::transposed(function, like, given, here);
                                               });
  }

  F function;
  typename Of::Arguments like;
  TracedCalls calls = {};
};

} // namespace detail

/// The value of a function of one scalar result and its gradient, to its arguments `numbers`, the
/// first without.
///
///     auto step = kolam::value_and_grad([](kolam::Tensor x) { return sum(multiply(x, x)); });
///     auto [y, g] = step(x);   // g[i] = 2 x[i]
///
/// The gradient has the argument's structure (pytree.h), of several a tuple of theirs; tensors of
/// integers and booleans have an empty handle. A function may give a pair, the scalar and whatever
/// else is wanted: then the value is that pair. In a trace the function is inlined; outside, the
/// object that this gives traces each signature of its arguments once, as `jit` does, and so it
/// has what the function captures. Source: reverse mode, Griewank and Walther, "Evaluating
/// Derivatives", 2008. Throws `[not-scalar]` where the result is no scalar of floats,
/// `[not-differentiable]` where an argument has no floats or reaches an op that has no derivative.
///
///     auto step = kolam::value_and_grad(loss, {.memory_limit = "2GiB"});
///
/// Within a memory limit parts are computed again, and loops keep every k-th state; no bit changes.
/// Throws `[memory-limit]` where it cannot be met, or says nothing.
template <size_t... numbers, class F>
auto value_and_grad(F&& f, const GradOptions& options = {},
                    Operand::Here where = Operand::Here::current()) {
  static_assert(detail::Monomorphic<F>, "value_and_grad needs a function with declared parameter "
                                        "types: write kolam::Tensor, not auto");
  using Arguments = typename detail::CallSignature<std::decay_t<F>>::Arguments;
  if constexpr (sizeof...(numbers) == 0)
    return detail::ValueAndGradient<std::decay_t<F>, Arguments, 0>(
        std::forward<F>(f), "value_and_grad", options, where);
  else
    return detail::ValueAndGradient<std::decay_t<F>, Arguments, numbers...>(
        std::forward<F>(f), "value_and_grad", options, where);
}

/// The gradient alone; with a pair as the function's result a pair of gradient and what stands
/// beside the scalar. As `value_and_grad`.
template <size_t... numbers, class F>
auto grad(F&& f, const GradOptions& options = {}, Operand::Here where = Operand::Here::current()) {
  static_assert(
      detail::Monomorphic<F>,
      "grad needs a function with declared parameter types: write kolam::Tensor, not auto");
  return detail::gradient_only(value_and_grad<numbers...>(std::forward<F>(f), options, where));
}

/// The value of `f`, and its pullback, which takes a cotangent of the result to those of the
/// arguments, as a tuple.
///
///     auto [y, pullback] = kolam::vjp([](kolam::Tensor x) { return sin(x); }, x);
///     auto [g] = pullback(v);   // g[i] = cos(x[i]) v[i]
///
/// x~ = J(x)^T y~. It may be called any number of times; empty handles among cotangents are zero.
/// Throws `[tangent-mismatch]` where a cotangent is not like the value, and what `grad` throws. A
/// class, as the line of a call comes behind any number of arguments.
///
/// Outside a trace a function without captures is traced once for each signature, as by `jit`. What
/// captures is traced at each call, but not by the function that `vjp` gives of `f` alone:
///
///     auto pulled = kolam::vjp(f);            // keeps its programs
///     auto [y, pullback] = pulled(x, w);
template <class F, class... Given> struct vjp : detail::Differentiated<F>::PulledBack {
  using Of = detail::Differentiated<F>;
  vjp(const F& f, const Given&... primals, Operand::Here where = Operand::Here::current())
      : Of::PulledBack(Of::template linearised<typename Of::Pull>(
            f, detail::calls_of<typename Of::Pull>(f), typename Of::Arguments(primals...), "vjp",
            where)) {}
};
template <class F> struct vjp<F> : detail::AtPoints<F, typename detail::Differentiated<F>::Pull> {
  explicit vjp(F f) : vjp::AtPoints(std::move(f), "vjp") {}
};
template <class F, class... Given> vjp(F, const Given&...) -> vjp<F, Given...>;

/// The value of `f`, and the linear function that takes tangents of the arguments to that of the
/// result: y' = J(x) x'. Of `f` alone a function that keeps its programs, as `vjp`.
template <class F, class... Given> struct linearize : detail::Differentiated<F>::Linearised {
  using Of = detail::Differentiated<F>;
  linearize(const F& f, const Given&... primals, Operand::Here where = Operand::Here::current())
      : Of::Linearised(Of::template linearised<typename Of::Push>(
            f, detail::calls_of<typename Of::Push>(f), typename Of::Arguments(primals...),
            "linearize", where)) {}
};
template <class F>
struct linearize<F> : detail::AtPoints<F, typename detail::Differentiated<F>::Push> {
  explicit linearize(F f) : linearize::AtPoints(std::move(f), "linearize") {}
};
template <class F, class... Given> linearize(F, const Given&...) -> linearize<F, Given...>;

/// The value of `f` at `primals`, and its derivative along `tangents`, both tuples with an entry
/// for each argument: y' = J(x) x'. Tangents of integers are empty handles. Throws
/// `[tangent-mismatch]`, `[not-differentiable]`.
template <class F, class... Primals, class... Tangents>
auto jvp(F&& f, const std::tuple<Primals...>& primals, const std::tuple<Tangents...>& tangents,
         Operand::Here where = Operand::Here::current()) {
  using Of = detail::Differentiated<std::decay_t<F>>;
  const std::decay_t<F>& function = f;
  return Of::pushed(function, detail::calls_of<Of>(function), typename Of::Arguments(primals),
                    typename Of::Arguments(tangents), where);
}
/// The function of primals and tangents, which keeps its programs, as `vjp`.
template <class F> auto jvp(F&& f) {
  return detail::AlongTangents<std::decay_t<F>>(std::forward<F>(f));
}

/// The transpose of a function that is linear, of arguments like `like`: it takes a cotangent of
/// the result to those of the arguments, as a tuple. Outside a trace it keeps its programs. Throws
/// `[not-linear]` at the line of an op that is not linear in them.
template <class F, class... Like> auto linear_transpose(F&& f, const Like&... like) {
  using Of = detail::Differentiated<std::decay_t<F>>;
  typename Of::Arguments arguments(like...);
  auto calls = Of::calls_of_transposed(f, arguments, {"linear_transpose", {}});
  return detail::TransposedFunction<Of, std::decay_t<F>>{std::forward<F>(f), std::move(arguments),
                                                         std::move(calls)};
}

/// x, which derivatives take as constant.
Tensor stop_gradient(const Operand& x);

} // namespace kolam
