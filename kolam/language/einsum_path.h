/// In which order to contract several operands.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace kolam::language {

inline constexpr std::size_t kMaxEinsumLabels = 512;

/// The labels of each operand and of the result as sets of numbers below kMaxEinsumLabels, and how
/// much each label costs.
struct EinsumProblem {
  std::vector<std::vector<int>> operands;
  std::vector<int> result;
  std::vector<double> extents; ///< per label
};

/// Pairs of operands to contract, in order: each takes both from the list of operands and puts the
/// product at its end.
///
/// Contracting two costs the product of the extents of all their labels, one multiplication a point
/// of their joint space; of all orders the cheapest by the sum is chosen, by dynamic programming
/// over subsets, up to 10 operands. Above that each step takes the pair that is cheapest then. Ties
/// are broken by place, so that the path depends on labels and extents alone.
std::vector<std::pair<int, int>> choose_einsum_path(const EinsumProblem& problem);

} // namespace kolam::language
