/// Numbers sorted into bins, and piecewise linear functions.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <tuple>
#include <variant>

namespace kolam {

/// Bins at equal distances by their number, or by their edges.
using Bins = std::variant<int64_t, Operand>;

struct HistogramOptions {
  std::optional<std::pair<Operand, Operand>> range = {}; ///< else the least and greatest element
  std::optional<Operand> weights = {};
  bool density = false;
};

/// What `histogram` gives: counts, and the edges of the bins, one more.
struct Histogram {
  Tensor counts, edges;
};
inline auto fields(Histogram& x) { return std::tie(x.counts, x.edges); }

/// How many elements lie in each bin: counts[k] = number of i with edges[k] <= x[i] < edges[k + 1],
/// or <= edges[k + 1] in the last bin.
///
/// `bins` are so many of one width over `range`, or rising edges. Elements outside and NaN are in
/// no bin. Counts are int32, with `weights` the sums of the weights in their float dtype; with
/// `density` they are divided by their sum and the widths of the bins. Edges are floats of the
/// dtype of x, float32 of integers. Throws `[negative-count]` for less than one bin,
/// `[shape-mismatch]` for less than two edges and for other weights, `[rank-mismatch]`, and stops
/// with `[not-finite]` where a limit is not finite. Edges in hand that do not rise are
/// `[unordered-bins]`; those that only the run knows are taken as they are.
///
///     >>> import kolam as ko
///     >>> counts, edges = ko.histogram(ko.asarray([1.0, 2.0, 2.5, 4.0]), 3)
///     >>> counts.tolist(), edges.tolist()
///     ([1, 2, 1], [1.0, 2.0, 3.0, 4.0])
Histogram histogram(const Operand& x, const Bins& bins = int64_t{10},
                    const HistogramOptions& options = {});
/// The edges that `histogram` uses.
Tensor histogram_bin_edges(const Operand& x, const Bins& bins = int64_t{10},
                           const HistogramOptions& options = {});

/// In which bin each element lies: k where bins[k - 1] <= x[i] < bins[k], or with `right` where
/// bins[k - 1] < x[i] <= bins[k]; 0 below the first edge, their number above the last. `bins` are
/// rising, or falling, with the signs turned. int32, or int64 where their number is symbolic.
/// Throws `[rank-mismatch]`, `[no-promotion]`, and `[unordered-bins]` for edges in hand that do
/// neither.
///
///     >>> import kolam as ko
///     >>> ko.digitize(ko.asarray([0.2, 6.4, 3.0]), ko.asarray([0.0, 1.0, 2.5, 4.0])).tolist()
///     [1, 4, 3]
Tensor digitize(const Operand& x, const Operand& bins, bool right = false);

/// The function that goes through the points (xp[k], fp[k]) in straight lines, at each x. `xp` are
/// rising. Below the first and above the last it is `left` and `right`, or their fp. Throws
/// `[rank-mismatch]`, `[shape-mismatch]`, `[empty-dim]` where there is no point.
///
///     >>> import kolam as ko
///     >>> xp, fp = ko.asarray([1.0, 2.0]), ko.asarray([10.0, 20.0])
///     >>> ko.interp(ko.asarray([1.5, 9.0]), xp, fp).tolist()
///     [15.0, 20.0]
Tensor interp(const Operand& x, const Operand& xp, const Operand& fp,
              const std::optional<Operand>& left = {}, const std::optional<Operand>& right = {});

} // namespace kolam
