/// Monoids: how elements are combined, as functions of scalar tensors.
#pragma once

#include "kolam/frontend/array/jit.h"
#include "kolam/frontend/array/pytree.h"

#include <functional>
#include <string>
#include <vector>

namespace kolam {

/// An associative combination with an identity, on states that are lists of scalars:
///
///     reduce(x_0, ..., x_n) = unwrap(merge(wrap(x_0), merge(..., wrap(x_n))))   and unwrap(zero)
///     of nothing
///
/// The functions are called once, on traced scalars. They may use values from outside: merge only
/// scalars, and those of a monoid with `wrap_all` only in `zero` and `unwrap`.
/// `make_monoid` makes one over states that are tensors, tuples or structs. That the laws hold is
/// the caller's promise; `check_monoid_laws` tries it. Source: Tapestry, "monoids of reduction";
/// JAX's lax.reduce.
struct Monoid {
  using State = std::vector<Tensor>;

  std::string name = "monoid";
  /// Rank-0 arrays; they give the dtypes of a state.
  State zero;
  std::function<State(const State& a, const State& b)> merge;
  /// The state of one element; the element itself where missing.
  std::function<State(const std::vector<Tensor>& element)> wrap;
  /// What a state means, one or more scalars; the state itself where missing.
  std::function<std::vector<Tensor>(const State& state)> unwrap;
  /// The state of a chunk, given as rank-1 tensors, at once; may be missing. Reductions then take
  /// chunks instead of lanes.
  std::function<State(const std::vector<Tensor>& elements)> wrap_all;
  /// merge(a, b) = merge(b, a): allows the order with lanes. Others go left to right in chunks
  /// of 64.
  bool commutative = false;
  /// The laws hold for every bit, not only up to rounding.
  bool exact = false;
};

/// A part of a monoid that is left out.
struct Omitted {};

/// The parts of a monoid over a State that is a pytree of tensors, as named arguments of
/// `make_monoid`.
template <class State, class Merge, class Wrap = Omitted, class Unwrap = Omitted,
          class WrapAll = Omitted>
struct MonoidParts {
  std::string name = "monoid";
  State zero;
  Merge merge;
  Wrap wrap{};
  Unwrap unwrap{};
  WrapAll wrap_all{};
  bool commutative = false;
  bool exact = false;
};

namespace detail {

template <class T> std::vector<Tensor> leaves_of(const T& value) {
  std::vector<Tensor> leaves;
  std::string structure;
  Pytree<T>::flatten(value, leaves, structure);
  return leaves;
}

/// Throws `[parameter-count]` where a function takes another number of tensors than there are
/// elements.
void require_parameters(size_t parameters, size_t elements);

/// Calls f(Tensor...) with the tensors of a list.
template <class F> auto call_with(const F& f, const std::vector<Tensor>& tensors) {
  static_assert(Monomorphic<F>,
                "the function needs declared parameter types: write kolam::Tensor, not auto");
  using Arguments = typename CallSignature<F>::Arguments;
  require_parameters(std::tuple_size_v<Arguments>, tensors.size());
  return [&]<size_t... i>(std::index_sequence<i...>) {
    return f(tensors[i]...);
  }(std::make_index_sequence<std::tuple_size_v<Arguments>>{});
}

} // namespace detail

/// A monoid over states of any pytree, from functions of declared parameter types.
///
///     struct Mean { Tensor count, sum; };                              // with fields(Mean&)
///     Monoid mean = make_monoid(MonoidParts{
///         .name = "mean", .zero = Mean{Array::scalar(0.0f), Array::scalar(0.0f)},
///         .merge = [](Mean a, Mean b) { return Mean{a.count + b.count, a.sum + b.sum}; },
///         .wrap = [](Tensor x) { return Mean{Array::scalar(1.0f), x}; },
///         .unwrap = [](Mean m) { return m.sum / m.count; }, .commutative = true});
///
/// `wrap` and `wrap_all` take one Tensor per element of a point; `unwrap` gives a pytree.
template <class State, class Merge, class Wrap, class Unwrap, class WrapAll>
Monoid make_monoid(MonoidParts<State, Merge, Wrap, Unwrap, WrapAll> parts) {
  using List = std::vector<Tensor>;
  State zero = parts.zero;
  auto state_of = [zero](const List& leaves) {
    const Tensor* next = leaves.data();
    return Pytree<State>::unflatten(zero, next);
  };
  Monoid monoid;
  monoid.name = parts.name;
  monoid.zero = detail::leaves_of(zero);
  monoid.commutative = parts.commutative;
  monoid.exact = parts.exact;
  monoid.merge = [state_of, merge = parts.merge](const List& a, const List& b) {
    return detail::leaves_of<State>(merge(state_of(a), state_of(b)));
  };
  if constexpr (!std::is_same_v<Wrap, Omitted>)
    monoid.wrap = [wrap = parts.wrap](const List& element) {
      return detail::leaves_of(detail::call_with(wrap, element));
    };
  if constexpr (!std::is_same_v<Unwrap, Omitted>)
    monoid.unwrap = [state_of, unwrap = parts.unwrap](const List& state) {
      return detail::leaves_of(unwrap(state_of(state)));
    };
  if constexpr (!std::is_same_v<WrapAll, Omitted>)
    monoid.wrap_all = [wrap_all = parts.wrap_all](const List& elements) {
      return detail::leaves_of(detail::call_with(wrap_all, elements));
    };
  return monoid;
}

struct LawOptions {
  /// The dtypes of the elements that `wrap` takes; those of `zero` unless given.
  std::vector<DType> elements = {};
  int trials = 100;
  unsigned seed = 0;
  double tolerance = 1e-4; ///< relative, for floats of a monoid that is not exact
};

/// Tries the laws on states wrapped from random elements, through the interpreter: merge is
/// associative, zero is its identity, merge commutes where the monoid says so, and wrap_all of a
/// chunk equals the merged wraps. Throws
/// `[monoid-law]` with the law, the elements and the two sides.
void check_monoid_laws(const Monoid& monoid, const LawOptions& options = {});

} // namespace kolam
