/// Monoid descriptors, and the fixed trees by which reductions merge.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kolam/support/dtype.h"
#include "kolam/support/error.h"

namespace kolam::space {

/// What is known of a monoid (M, merge, zero, wrap, unwrap) without its bodies: those are regions
/// in the program. merge is associative, up to rounding where `exact` is false. (reference: 2.17)
struct Monoid {
  std::string id;            ///< "sum", "max", or a user's name
  std::vector<DType> state;  ///< the types of M's components
  bool commutative = true;   ///< merge(a, b) is merge(b, a)
  bool exact = false;        ///< merge is associative bit by bit: any order gives the same state
  bool idempotent = false;   ///< merge(a, a) is a
  bool has_wrap_all = false; ///< wraps many elements at once
  friend bool operator==(const Monoid&, const Monoid&) = default;
};

/// `sum<f32>`, `stddev<f64, f64, f64> noncommutative exact`.
std::string to_string(const Monoid& monoid);

/// The numbers of states after each level of a tree with `branching` states a node: 1000 by 10
/// gives 100, 10, 1. No levels for count <= 1. Refuses branching < 2 with `[space-tree]`.
std::vector<int64_t> tree_sizes(int64_t count, int64_t branching);

/// One step of a tree, in place: state[left] = merge(state[left], state[right]).
struct Merge {
  int64_t left;
  int64_t right;
  friend bool operator==(const Merge&, const Merge&) = default;
};
/// The merges of `count` chunks in order, level by level: (2c, 2c + 1) on each, an odd last one
/// moves up. State 0 holds the result. The tree depends on nothing but the count, so neither
/// threads nor shards change a bit of the result.
std::vector<Merge> pairwise_tree(int64_t count);
/// How many chunks of `chunk` elements `count` elements make, the last one smaller. Refuses chunk <
/// 1 with `[space-tree]`.
int64_t chunk_count(int64_t count, int64_t chunk);

/// Merges states by `pairwise_tree`; none give `zero`.
template <class State, class F>
State merge_pairwise(std::vector<State> states, State zero, F&& merge) {
  for (const Merge& step : pairwise_tree(static_cast<int64_t>(states.size())))
    states[step.left] = merge(states[step.left], states[step.right]);
  return states.empty() ? zero : states[0];
}

} // namespace kolam::space
