/// Combining a sequence of elements in the order that `Accumulate` says.
#pragma once

#include "kolam/support/accumulate.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace kolam::interp {

/// Combines elements 0 .. segments * length - 1, where each run of `length` elements starts new chunks.
///
/// `first(i)` makes a state of element i alone, `step(state, i)` adds element i, `merge(a, b)` joins states with a
/// before b. Gives nullopt for no elements.
template <class State, class First, class Step, class Merge>
std::optional<State> accumulate(const Accumulate& order, int64_t segments, int64_t length,
                                First first, Step step, Merge merge) {
  ChunkTree<State, Merge> tree(merge);
  std::vector<std::optional<State>> lanes(order.lanes);
  for (int64_t segment = 0; segment < segments; ++segment)
    for (int64_t start = 0; start < length; start += order.chunk) {
      int64_t count = std::min(order.chunk, length - start);
      lanes.assign(order.lanes, std::nullopt);
      for (int64_t i = 0; i < count; ++i) {
        auto& lane = lanes[i % order.lanes];
        int64_t element = segment * length + start + i;
        lane = lane ? step(*lane, element) : first(element);
      }
      for (int64_t half = order.lanes / 2; half >= 1; half /= 2)
        for (int64_t l = 0; l < half; ++l)
          if (lanes[l + half])
            lanes[l] = merge(*lanes[l], *lanes[l + half]);
      tree.push(*lanes[0]);
    }
  return tree.finish();
}

} // namespace kolam::interp
