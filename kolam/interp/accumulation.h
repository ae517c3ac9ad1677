/// Combining a sequence of elements in the order that `Accumulate` says.
#pragma once

#include "kolam/support/accumulate.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace kolam::interp {

/// Merges the states of the chunks of elements 0 .. segments * length - 1, where each run of
/// `length` elements starts new chunks. `chunk_state(start, count)` makes the state of one chunk,
/// `merge(a, b)` joins states with a before b. Gives nullopt for no elements.
template <class State, class ChunkState, class Merge>
std::optional<State> accumulate_chunks(int64_t chunk, int64_t segments, int64_t length,
                                       ChunkState chunk_state, Merge merge, bool in_order = false) {
  ChunkTree<State, Merge> tree(merge, in_order);
  for (int64_t segment = 0; segment < segments; ++segment)
    for (int64_t start = 0; start < length; start += chunk)
      tree.push(chunk_state(segment * length + start, std::min(chunk, length - start)));
  return tree.finish();
}

/// The same with chunks walked in lanes: `first(i)` makes a state of element i alone, `step(state,
/// i)` adds element i.
template <class State, class First, class Step, class Merge>
std::optional<State> accumulate(const Accumulate& order, int64_t segments, int64_t length,
                                First first, Step step, Merge merge) {
  auto chunk_state = [&](int64_t start, int64_t count) {
    std::vector<std::optional<State>> lanes(order.lanes);
    for (int64_t i = 0; i < count; ++i) {
      auto& lane = lanes[i % order.lanes];
      lane = lane ? step(*lane, start + i) : first(start + i);
    }
    for (int64_t half = order.lanes / 2; half >= 1; half /= 2)
      for (int64_t l = 0; l < half; ++l)
        if (lanes[l + half])
          lanes[l] = merge(*lanes[l], *lanes[l + half]);
    return *lanes[0];
  };
  return accumulate_chunks<State>(order.chunk, segments, length, chunk_state, merge,
                                  order.in_order);
}

} // namespace kolam::interp
