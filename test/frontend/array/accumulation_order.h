/// The accumulation order of reductions, written out once more from its description, without lanes'
/// or chunks' code.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace kolam {

/// Merges neighbours 0 1, 2 3, ... level by level; an odd last one moves up.
template <class T> T merge_chunks(std::vector<T> chunks, const std::function<T(T, T)>& merge) {
  while (chunks.size() > 1) {
    std::vector<T> next;
    for (size_t i = 0; i + 1 < chunks.size(); i += 2)
      next.push_back(merge(chunks[i], chunks[i + 1]));
    if (chunks.size() % 2 == 1)
      next.push_back(chunks.back());
    chunks = next;
  }
  return chunks[0];
}

/// chunk<64>: left to right.
template <class T>
T in_chunks(const std::vector<T>& elements, const std::function<T(T, T)>& merge) {
  std::vector<T> chunks;
  for (size_t i = 0; i < elements.size(); ++i)
    if (i % 64 == 0)
      chunks.push_back(elements[i]);
    else
      chunks.back() = merge(chunks.back(), elements[i]);
  return merge_chunks(chunks, merge);
}

/// lanes<64>, chunk<4096> over runs of `length` elements, each of which starts new chunks.
template <class T>
T in_lanes(const std::vector<T>& elements, size_t length, const std::function<T(T, T)>& merge) {
  std::vector<T> chunks;
  for (size_t run = 0; run < elements.size(); run += length)
    for (size_t start = run; start < run + length; start += 4096) {
      size_t end = start + 4096 < run + length ? start + 4096 : run + length;
      std::vector<std::vector<T>> lanes(64);
      for (size_t i = start; i < end; ++i)
        lanes[(i - start) % 64].push_back(elements[i]);
      std::vector<std::vector<T>> states; // each empty or one state
      for (const std::vector<T>& lane : lanes) {
        states.emplace_back();
        for (const T& element : lane)
          states.back() = {states.back().empty() ? element : merge(states.back()[0], element)};
      }
      for (size_t half : {32, 16, 8, 4, 2, 1})
        for (size_t lane = 0; lane < half; ++lane)
          if (!states[lane + half].empty())
            states[lane] = {merge(states[lane][0], states[lane + half][0])};
      chunks.push_back(states[0][0]);
    }
  return merge_chunks(chunks, merge);
}

} // namespace kolam
