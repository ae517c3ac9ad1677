/// Checks that a program can be asked to make while it runs.
#pragma once

namespace kolam {

/// What `checks` looks for. Each failure names the op and the user's line.
struct Checks {
  bool nan = false; ///< `[nan-created]`: a result element is NaN though no operand element of it is
  /// `[index-out-of-range]`, and `[indices-not-unique]` where `unique_indices` is promised.
  bool bounds = false;
  /// `[integer-overflow]`: an integer result is out of range. Seen are the elementwise functions,
  /// casts between integers, sums, products and running ones, contractions, convolutions, scatters
  /// that add or multiply, and the body of a zip_map_reduce; not seen are a user's monoids and
  /// combiners. Totals are exact for up to 2^25 terms.
  bool overflow = false;

  bool any() const { return nan || bounds || overflow; }
  friend bool operator==(const Checks&, const Checks&) = default;
};

} // namespace kolam
