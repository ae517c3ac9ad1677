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
template <class F, class... Given> struct PulledBackWithAux {
  using Of = AuxResult<F>;
  using Pull =
      PullbackOfValue<typename Differentiated<F>::Pull, typename Of::Value, typename Of::Aux>;
  using Result = ValueLinearAux<typename Of::Value, Pull, typename Of::Aux>;
  static Result of(const F& f, const Given&... primals, Operand::Here where) {
    auto [both, pullback] = vjp<F, Given...>(f, primals..., where);
    const CallSite call{"vjp", to_location(where)};
    return {std::get<0>(both), Pull{pullback, emptied(std::get<1>(both), call)}, std::get<1>(both)};
  }
};
template <class F, class... Given> struct LinearisedWithAux {
  using Of = AuxResult<F>;
  using Push =
      PushforwardOfValue<typename Differentiated<F>::Push, typename Differentiated<F>::Arguments>;
  using Result = ValueLinearAux<typename Of::Value, Push, typename Of::Aux>;
  static Result of(const F& f, const Given&... primals, Operand::Here where) {
    auto [both, push] = linearize<F, Given...>(f, primals..., where);
    return {std::get<0>(both), Push{push}, std::get<1>(both)};
  }
};

} // namespace detail

/// `vjp` of a function that gives a pair: the first one's value, its pullback, and the second,
/// which has no cotangent.
///
///     auto [y, pullback, norm] = kolam::vjp(kolam::has_aux, f, x);
///
/// Throws as `vjp`.
template <class F, class... Given>
struct vjp<HasAux, F, Given...> : detail::PulledBackWithAux<F, Given...>::Result {
  vjp(HasAux, const F& f, const Given&... primals, Operand::Here where = Operand::Here::current())
      : detail::PulledBackWithAux<F, Given...>::Result(
            detail::PulledBackWithAux<F, Given...>::of(f, primals..., where)) {}
};
template <class F, class... Given> vjp(HasAux, F, const Given&...) -> vjp<HasAux, F, Given...>;

/// `linearize` of such a function: value, linear function of the first, and the second.
template <class F, class... Given>
struct linearize<HasAux, F, Given...> : detail::LinearisedWithAux<F, Given...>::Result {
  linearize(HasAux, const F& f, const Given&... primals,
            Operand::Here where = Operand::Here::current())
      : detail::LinearisedWithAux<F, Given...>::Result(
            detail::LinearisedWithAux<F, Given...>::of(f, primals..., where)) {}
};
template <class F, class... Given>
linearize(HasAux, F, const Given&...) -> linearize<HasAux, F, Given...>;

/// `jvp` of such a function: value and tangent of the first, and the second.
template <HasAux, class F, class... Primals, class... Tangents>
auto jvp(F&& f, const std::tuple<Primals...>& primals, const std::tuple<Tangents...>& tangents,
         Operand::Here where = Operand::Here::current()) {
  using Of = detail::AuxResult<F>;
  auto [both, tangent] = jvp(f, primals, tangents, where);
  return std::tuple<typename Of::Value, typename Of::Value, typename Of::Aux>(
      std::get<0>(both), std::get<0>(tangent), std::get<1>(both));
}

} // namespace kolam
