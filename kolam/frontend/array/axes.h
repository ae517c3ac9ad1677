/// Axes: the dims of a tensor that a function acts on, one or several.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace kolam {

/// Numbers of dims, counted from the end where negative: `flip(x, 0)`, `flip(x, {0, -1})`.
class Axes {
public:
  Axes(std::integral auto axis) : values_{static_cast<int64_t>(axis)} {}
  Axes(std::initializer_list<int64_t> axes) : values_(axes) {}
  Axes(std::vector<int64_t> axes) : values_(std::move(axes)) {}

  const std::vector<int64_t>& values() const { return values_; }

private:
  std::vector<int64_t> values_;
};

} // namespace kolam
