/// How loops over panels of columns, one behind the other, share the columns of a product.
#pragma once

#include <cstdint>
#include <optional>

namespace kolam::nest {

/// The columns that loops before this one have left to it.
///
/// A thread has blocks of `unit` columns, the last of them with what is left of all. A loop goes
/// over whole panels of `step` columns. Where its step divides the unit, or there is one block,
/// what it leaves is the same number whatever the block: a remainder at the end of the matrix.
/// Elsewhere only the run knows.
///
///     100 columns, units of 64, loops by 32, 16 and 8:   96 and 4;  0 and 4;  0 and 4
class PanelColumns {
public:
  PanelColumns(std::optional<int64_t> columns, int64_t unit) : count_(columns), unit_(unit) {}

  /// What a loop makes of them: how many lie in its whole panels, and how many are left.
  struct Split {
    int64_t whole, left;
  };
  /// nullopt: only the run knows.
  std::optional<Split> split(int64_t step) const {
    if (!count_ || (is_first_ && *count_ > unit_ && unit_ % step != 0))
      return std::nullopt;
    return Split{*count_ - *count_ % step, *count_ % step};
  }
  /// Those that a loop of that step leaves.
  PanelColumns behind(int64_t step) const {
    PanelColumns next = *this;
    std::optional<Split> own = split(step);
    next.count_ = own ? std::optional(own->left) : std::nullopt;
    next.is_first_ = false;
    return next;
  }

private:
  std::optional<int64_t> count_;
  int64_t unit_;
  bool is_first_ = true;
};

} // namespace kolam::nest
