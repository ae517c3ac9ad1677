/// Which axes a function acts on.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

namespace kolam {

/// All axes (the default), one, or several; a negative one counts from the end. An empty list names
/// no axis.
class Axis {
public:
  Axis() = default;
  Axis(std::integral auto axis) : axes_(std::vector{static_cast<int64_t>(axis)}) {}
  Axis(std::initializer_list<int64_t> axes) : axes_(axes) {}
  Axis(std::vector<int64_t> axes) : axes_(std::move(axes)) {}

  /// Nullopt for all.
  const std::optional<std::vector<int64_t>>& axes() const { return axes_; }

private:
  std::optional<std::vector<int64_t>> axes_;
};

} // namespace kolam
