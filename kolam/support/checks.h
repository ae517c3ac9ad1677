/// Checks that a program can be asked to make while it runs.
#pragma once

namespace kolam {

/// What `checks` looks for. Each failure names the op and the user's line.
struct Checks {
  bool nan = false; ///< `[nan-created]`: a result cell is NaN though no operand cell of it is
  /// `[index-out-of-range]`, and `[indices-not-unique]` where `unique_indices` is promised.
  bool bounds = false;
  bool overflow = false; ///< `[integer-overflow]`: an integer add, subtract or multiply wraps

  bool any() const { return nan || bounds || overflow; }
  friend bool operator==(const Checks&, const Checks&) = default;
};

} // namespace kolam
