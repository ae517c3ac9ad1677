/// Derivatives of functions that give something beside the value that is differentiated.
#pragma once

#include "kolam/frontend/array/derive.h"

#include <utility>

namespace kolam {

/// Says that a function gives a pair, the value and what else is wanted of the call:
/// `vjp(has_aux, f, x)`. `grad` and `value_and_grad` need no word, as their value is a scalar.
enum class HasAux { yes };
inline constexpr HasAux has_aux = HasAux::yes;

namespace detail {

template <class F> struct AuxResult {
  using Whole = typename Differentiated<std::decay_t<F>>::Result;
  static_assert(
      requires { std::tuple_size<Whole>::value; },
      "has_aux needs a function that gives a pair, the value and what stands beside it");
  static_assert(std::tuple_size_v<Whole> == 2,
                "has_aux needs a function that gives a pair, the value and what stands beside it");
  using Value = std::tuple_element_t<0, Whole>;
  using Aux = std::tuple_element_t<1, Whole>;
};

/// `aux` without tensors: a cotangent that is zero.
template <class Aux> Aux emptied(const Aux& aux, const CallSite& call) {
  return unflatten(aux, Leaves(flatten(aux, call).leaves.size()), call);
}

/// A pullback of the first of two results.
template <class Pull, class Value, class Aux> struct PullbackOfValue {
  using Called = typename CallSignature<Pull>::Result (*)(Value);
  auto operator()(const Value& cotangent, Operand::Here here = Operand::Here::current()) const {
    return whole({cotangent, nothing}, here);
  }

  Pull whole;
  Aux nothing;
};

/// A linear function whose second result nobody wants.
template <class Push, class Arguments> struct PushforwardOfValue;
template <class Push, class... Args> struct PushforwardOfValue<Push, std::tuple<Args...>> {
  using Value = std::tuple_element_t<0, typename CallSignature<Push>::Result>;
  using Called = Value (*)(Args...);
  Value operator()(const Args&... tangents, Operand::Here here = Operand::Here::current()) const {
    return std::get<0>(whole(tangents..., here));
  }

  Push whole;
};

/// What `vjp` and `linearize` give of a pair: the first one's value, a linear function of it, and
/// the second.
template <class Value, class Linear, class Aux> struct ValueLinearAux {
  Value value;
  Linear linear;
  Aux aux;
};
/// How what `vjp` and `linearize` give of `F`, which gives a pair, comes apart.
template <class F> struct PulledBackWithAux {
  using Of = AuxResult<F>;
  using Linear = typename Differentiated<F>::Pull;
  using Pull = PullbackOfValue<Linear, typename Of::Value, typename Of::Aux>;
  using Result = ValueLinearAux<typename Of::Value, Pull, typename Of::Aux>;
  static Result of(const std::pair<typename Of::Whole, Linear>& whole, Operand::Here where) {
    const auto& [both, pullback] = whole;
    const CallSite call{"vjp", to_location(where)};
    return {std::get<0>(both), Pull{pullback, emptied(std::get<1>(both), call)}, std::get<1>(both)};
  }
};
template <class F> struct LinearisedWithAux {
  using Of = AuxResult<F>;
  using Linear = typename Differentiated<F>::Push;
  using Push = PushforwardOfValue<Linear, typename Differentiated<F>::Arguments>;
  using Result = ValueLinearAux<typename Of::Value, Push, typename Of::Aux>;
  static Result of(const std::pair<typename Of::Whole, Linear>& whole, Operand::Here) {
    const auto& [both, push] = whole;
    return {std::get<0>(both), Push{push}, std::get<1>(both)};
  }
};

/// `AtPoints` of a function that gives a pair.
template <class F, class Parts, class Arguments = typename Differentiated<F>::Arguments>
class AtPointsWithAux;
template <class F, class Parts, class... Args>
class AtPointsWithAux<F, Parts, std::tuple<Args...>> {
public:
  AtPointsWithAux(F function, std::string_view name) : points_(std::move(function), name) {}
  typename Parts::Result operator()(const Args&... primals,
                                    Operand::Here here = Operand::Here::current()) const {
    return Parts::of(points_(primals..., here), here);
  }

private:
  AtPoints<F, typename Parts::Linear> points_;
};

/// A value and a tangent that each have something beside them: these two, and what is beside the
/// value.
template <class F, class Both> auto along_with_aux(Both both) {
  using Of = AuxResult<F>;
  auto& [value, tangent] = both;
  return std::tuple<typename Of::Value, typename Of::Value, typename Of::Aux>(
      std::get<0>(value), std::get<0>(tangent), std::get<1>(value));
}

/// `AlongTangents` of a function that gives a pair.
template <class F> class AlongTangentsWithAux {
public:
  using Arguments = typename Differentiated<F>::Arguments;
  explicit AlongTangentsWithAux(F function) : along_(std::move(function)) {}
  auto operator()(const Arguments& primals, const Arguments& tangents,
                  Operand::Here here = Operand::Here::current()) const {
    return along_with_aux<F>(along_(primals, tangents, here));
  }

private:
  AlongTangents<F> along_;
};

} // namespace detail

/// `vjp` of a function that gives a pair: the first one's value, its pullback, and the second,
/// which has no cotangent. Of `f` alone a function that keeps its programs, as `vjp`.
///
///     auto [y, pullback, norm] = kolam::vjp(kolam::has_aux, f, x);
///
/// Throws as `vjp`.
template <class F, class... Given>
struct vjp<HasAux, F, Given...> : detail::PulledBackWithAux<F>::Result {
  vjp(HasAux, const F& f, const Given&... primals, Operand::Here where = Operand::Here::current())
      : detail::PulledBackWithAux<F>::Result(
            detail::PulledBackWithAux<F>::of(vjp<F, Given...>(f, primals..., where), where)) {}
};
template <class F>
struct vjp<HasAux, F> : detail::AtPointsWithAux<F, detail::PulledBackWithAux<F>> {
  vjp(HasAux, F f) : vjp::AtPointsWithAux(std::move(f), "vjp") {}
};
template <class F, class... Given> vjp(HasAux, F, const Given&...) -> vjp<HasAux, F, Given...>;

/// `linearize` of such a function: value, linear function of the first, and the second. Of `f`
/// alone a function that keeps its programs.
template <class F, class... Given>
struct linearize<HasAux, F, Given...> : detail::LinearisedWithAux<F>::Result {
  linearize(HasAux, const F& f, const Given&... primals,
            Operand::Here where = Operand::Here::current())
      : detail::LinearisedWithAux<F>::Result(
            detail::LinearisedWithAux<F>::of(linearize<F, Given...>(f, primals..., where), where)) {
  }
};
template <class F>
struct linearize<HasAux, F> : detail::AtPointsWithAux<F, detail::LinearisedWithAux<F>> {
  linearize(HasAux, F f) : linearize::AtPointsWithAux(std::move(f), "linearize") {}
};
template <class F, class... Given>
linearize(HasAux, F, const Given&...) -> linearize<HasAux, F, Given...>;

/// `jvp` of such a function: value and tangent of the first, and the second.
template <HasAux, class F, class... Primals, class... Tangents>
auto jvp(F&& f, const std::tuple<Primals...>& primals, const std::tuple<Tangents...>& tangents,
         Operand::Here where = Operand::Here::current()) {
  return detail::along_with_aux<std::decay_t<F>>(jvp(f, primals, tangents, where));
}
/// The function of primals and tangents, which keeps its programs.
template <HasAux, class F> auto jvp(F&& f) {
  return detail::AlongTangentsWithAux<std::decay_t<F>>(std::forward<F>(f));
}

} // namespace kolam
