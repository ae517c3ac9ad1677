/// Whole Jacobians and Hessians of functions of tensors and trees of them.
#pragma once

#include "kolam/frontend/array/derive.h"
#include "kolam/frontend/array/has_aux.h"

#include <map>
#include <optional>

namespace kolam {

struct JacobianOptions {
  /// So many columns or rows are computed at a time; all without.
  std::optional<int64_t> chunk = {};
};

namespace detail {

/// Of the first `count` results, for each argument the block [result..., argument...], by columns:
/// tangents of one element each. Throws `[not-differentiable]` for a result of integers.
std::vector<Leaves> jacobian_columns(const LinearisedLeaves& made, const Leaves& primals,
                                     size_t count, const JacobianOptions& options,
                                     Operand::Here where);
/// The same by rows: cotangents of one element each.
std::vector<Leaves> jacobian_rows(const LinearisedLeaves& made, const Leaves& primals, size_t count,
                                  const JacobianOptions& options, Operand::Here where);

/// A tree of the structure of `T` with one like `Part` in the place of each tensor.
template <class T, class Part> struct Replaced {
  static_assert(std::is_same_v<Part, Tensor> || !HasFields<T>,
                "a struct of tensors has no place for a tree in each: let the function give a "
                "tuple, vector or map, or "
                "take one tensor");
  using Type = T;
  static Type make(const T& like, const Part&, const Tensor*& leaves) {
    return Pytree<T>::unflatten(like, leaves);
  }
};
template <class Part> struct Replaced<Tensor, Part> {
  using Type = Part;
  static Type make(const Tensor&, const Part& part, const Tensor*& leaves) {
    return Pytree<Part>::unflatten(part, leaves);
  }
};
template <class... T, class Part> struct Replaced<std::tuple<T...>, Part> {
  using Type = std::tuple<typename Replaced<T, Part>::Type...>;
  static Type make(const std::tuple<T...>& like, const Part& part, const Tensor*& leaves) {
    return std::apply(
        [&](const T&... each) { return Type{Replaced<T, Part>::make(each, part, leaves)...}; },
        like);
  }
};
template <class A, class B, class Part> struct Replaced<std::pair<A, B>, Part> {
  using Type = std::pair<typename Replaced<A, Part>::Type, typename Replaced<B, Part>::Type>;
  static Type make(const std::pair<A, B>& like, const Part& part, const Tensor*& leaves) {
    auto first = Replaced<A, Part>::make(like.first, part, leaves);
    return {std::move(first), Replaced<B, Part>::make(like.second, part, leaves)};
  }
};
template <class T, class Part> struct Replaced<std::vector<T>, Part> {
  using Type = std::vector<typename Replaced<T, Part>::Type>;
  static Type make(const std::vector<T>& like, const Part& part, const Tensor*& leaves) {
    Type made;
    for (const T& each : like)
      made.push_back(Replaced<T, Part>::make(each, part, leaves));
    return made;
  }
};
template <class Key, class T, class Part> struct Replaced<std::map<Key, T>, Part> {
  using Type = std::map<Key, typename Replaced<T, Part>::Type>;
  static Type make(const std::map<Key, T>& like, const Part& part, const Tensor*& leaves) {
    Type made;
    for (const auto& [key, each] : like)
      made.emplace(key, Replaced<T, Part>::make(each, part, leaves));
    return made;
  }
};

/// What a function gives to be differentiated, and what stands beside it.
template <class Given, bool is_pair> struct Parted {
  using Value = Given;
};
template <class Given> struct Parted<Given, true> {
  using Value = std::tuple_element_t<0, Given>;
  using Aux = std::tuple_element_t<1, Given>;
};

/// A Jacobian, and what stands beside the value in `Given`, if anything does.
template <class Jacobian, class Given, bool is_pair> struct WithAux {
  using Type = Jacobian;
};
template <class Jacobian, class Given> struct WithAux<Jacobian, Given, true> {
  using Type = std::pair<Jacobian, typename Parted<Given, true>::Aux>;
};

using MakeJacobian = std::vector<Leaves> (*)(const LinearisedLeaves&, const Leaves&, size_t,
                                             const JacobianOptions&, Operand::Here);

/// A function that `jacfwd` or `jacrev` made.
template <class F, class Arguments, bool is_pair, size_t... numbers> class JacobianFunction;
template <class F, class... Args, bool is_pair, size_t... numbers>
class JacobianFunction<F, std::tuple<Args...>, is_pair, numbers...> {
public:
  using Given = Traceable<typename CallSignature<F>::Result>;
  using Value = typename Parted<Given, is_pair>::Value;
  using Parts = std::tuple<std::tuple_element_t<numbers, std::tuple<Args...>>...>;
  using Chosen = typename detail::Chosen<std::tuple<Args...>, numbers...>::Type;
  using Block = Replaced<Value, Chosen>;
  using Jacobian = typename Block::Type;
  using Result = typename WithAux<Jacobian, Given, is_pair>::Type;

  JacobianFunction(F function, std::string_view name, MakeJacobian make, JacobianOptions options,
                   Operand::Here where)
      : function_(std::move(function)), name_(name), make_(make), options_(options), where_(where) {
  }

  auto operator()(const Args&... args) const {
    return traced_once<Result>(calls_, std::tuple<Args...>(args...), {name_, to_location(where_)},
                               [this](const Args&... given) { return inlined(given...); });
  }

private:
  Result inlined(const Args&... args) const {
    const CallSite call{name_, to_location(where_)};
    const std::tuple<Args...> all(args...);
    const Parts chosen(std::get<numbers>(all)...);
    const FloatLeaves leaves(flatten(chosen, call), call, {numbers...});
    std::optional<Given> given;
    const LinearisedLeaves made = linearise(
        name_, leaves.floats(),
        [&](const Leaves& values) {
          std::tuple<Args...> whole = all;
          std::tie(std::get<numbers>(whole)...) = unflatten(chosen, leaves.with(values), call);
          given.emplace(std::apply(function_, whole));
          return flatten(*given, call).leaves;
        },
        where_);
    Given results = unflatten(*given, made.results, call);
    const Value& value = value_of(results);
    const size_t count = flatten(value, call).leaves.size();
    Leaves blocks;
    for (const Leaves& row : make_(made, leaves.floats(), count, options_, where_))
      for (Tensor& block : leaves.spread(row))
        blocks.push_back(std::move(block));
    const Tensor* next = blocks.data();
    Jacobian jacobian = Block::make(value, one_or_all(chosen), next);
    if constexpr (is_pair)
      return {std::move(jacobian), std::get<1>(results)};
    else
      return jacobian;
  }
  static const Value& value_of(const Given& given) {
    if constexpr (is_pair)
      return std::get<0>(given);
    else
      return given;
  }
  static Chosen one_or_all(const Parts& parts) {
    if constexpr (sizeof...(numbers) == 1)
      return std::get<0>(parts);
    else
      return parts;
  }

  F function_;
  std::string_view name_;
  MakeJacobian make_;
  JacobianOptions options_;
  Operand::Here where_;
  TracedCalls calls_;
};

template <bool is_pair, size_t... numbers, class F>
auto jacobian_of(F&& f, std::string_view name, MakeJacobian make, const JacobianOptions& options,
                 Operand::Here where) {
  static_assert(Monomorphic<F>,
                "jacfwd, jacrev and hessian need a function with declared parameter "
                "types: write kolam::Tensor, not auto");
  using Arguments = typename CallSignature<std::decay_t<F>>::Arguments;
  if constexpr (sizeof...(numbers) == 0)
    return JacobianFunction<std::decay_t<F>, Arguments, is_pair, 0>(std::forward<F>(f), name, make,
                                                                    options, where);
  else
    return JacobianFunction<std::decay_t<F>, Arguments, is_pair, numbers...>(
        std::forward<F>(f), name, make, options, where);
}

} // namespace detail

/// The Jacobian of a function to its arguments `numbers`, the first without, column by column: fast
/// where these have fewer elements than the result.
///
///     auto j = kolam::jacfwd([](kolam::Tensor x) { return multiply(x, x); })(x);
///     auto [jx, jw] = kolam::jacfwd<0, 1>(f, {.chunk = 64})(x, w);
///
/// J[i, j] = d y[i] / d x[j]: the result's dims first, then the argument's. Of trees it is the
/// result's structure with the argument's in the place of each tensor; arguments of integers have
/// an empty handle. With `chunk` so many columns are computed at a time, where their number is
/// known. `jacfwd<has_aux>(f)` is of a function that gives a pair, and gives (J of the first, the
/// second). Throws as `jvp`; `[not-differentiable]` for results of integers.
template <size_t... numbers, class F>
auto jacfwd(F&& f, const JacobianOptions& options = {},
            Operand::Here where = Operand::Here::current()) {
  return detail::jacobian_of<false, numbers...>(std::forward<F>(f), "jacfwd",
                                                detail::jacobian_columns, options, where);
}
template <HasAux, size_t... numbers, class F>
auto jacfwd(F&& f, const JacobianOptions& options = {},
            Operand::Here where = Operand::Here::current()) {
  return detail::jacobian_of<true, numbers...>(std::forward<F>(f), "jacfwd",
                                               detail::jacobian_columns, options, where);
}

/// The same row by row: fast where results have fewer elements than arguments. Throws as `vjp`.
template <size_t... numbers, class F>
auto jacrev(F&& f, const JacobianOptions& options = {},
            Operand::Here where = Operand::Here::current()) {
  return detail::jacobian_of<false, numbers...>(std::forward<F>(f), "jacrev", detail::jacobian_rows,
                                                options, where);
}
template <HasAux, size_t... numbers, class F>
auto jacrev(F&& f, const JacobianOptions& options = {},
            Operand::Here where = Operand::Here::current()) {
  return detail::jacobian_of<true, numbers...>(std::forward<F>(f), "jacrev", detail::jacobian_rows,
                                               options, where);
}

/// As `jacrev`.
template <size_t... numbers, class F>
auto jacobian(F&& f, const JacobianOptions& options = {},
              Operand::Here where = Operand::Here::current()) {
  return jacrev<numbers...>(std::forward<F>(f), options, where);
}
template <HasAux aux, size_t... numbers, class F>
auto jacobian(F&& f, const JacobianOptions& options = {},
              Operand::Here where = Operand::Here::current()) {
  return jacrev<aux, numbers...>(std::forward<F>(f), options, where);
}

/// The second derivatives of a function: `jacfwd` of `jacrev`.
///
/// H[i, j] = d^2 y / d x[i] d x[j]; of several arguments, or of a tree, a tree in a tree. Throws as
/// `vjp`.
template <size_t... numbers, class F>
auto hessian(F&& f, const JacobianOptions& options = {},
             Operand::Here where = Operand::Here::current()) {
  return jacfwd<numbers...>(jacrev<numbers...>(std::forward<F>(f), options, where), options, where);
}
template <HasAux aux, size_t... numbers, class F>
auto hessian(F&& f, const JacobianOptions& options = {},
             Operand::Here where = Operand::Here::current()) {
  return jacfwd<aux, numbers...>(jacrev<aux, numbers...>(std::forward<F>(f), options, where),
                                 options, where);
}

} // namespace kolam
