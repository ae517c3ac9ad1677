/// Sums and differences along sequences: convolution, gradients, areas, polynomials.
#pragma once

#include "kolam/frontend/array/axis.h"
#include "kolam/frontend/array/tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace kolam {

/// result[k] = sum over i of x[i] y[k - i] for vectors of n and m elements: all n + m - 1 sums
/// ("full"), the middle max(n, m) ("same") or those of whole overlaps ("valid"). Throws
/// `[rank-mismatch]`, `[bad-option]`, `[empty-dim]`, and `[symbolic-extent]` where only the run
/// knows which is the longer one.
Tensor convolve(const Operand& x, const Operand& y, const std::string& mode = "full");
/// result[k] = sum over i of x[i + k] y[i]; `mode` and errors as in `convolve`.
Tensor correlate(const Operand& x, const Operand& y, const std::string& mode = "valid");

/// Differences of neighbours along each of `axis`: (x[i + 1] - x[i - 1]) / 2 h inside, (x[1] -
/// x[0]) / h at the borders. `spacing` is h, one for all axes (1 if none is given) or one for each.
/// Integers become f32. Throws `[bad-option]` for another number of them, `[empty-dim]` below two
/// elements, `[axis-out-of-range]`, `[duplicate-axis]`.
std::vector<Tensor> gradient(const Operand& x, const std::vector<double>& spacing = {},
                             const Axis& axis = {});
/// The area below the lines between neighbours: the sum along `axis` of (y[i] + y[i + 1]) / 2 times
/// x[i + 1] - x[i], or `dx`. `x` is a vector or of the shape of y. Throws `[rank-mismatch]`,
/// `[shape-mismatch]`, `[axis-out-of-range]`.
Tensor trapezoid(const Operand& y, const std::optional<Operand>& x = {}, const Operand& dx = 1.0,
                 int64_t axis = -1);

/// The polynomial with coefficients p, the highest power first, at each x: p[0] x^(n-1) + ... +
/// p[n-1]. Throws `[rank-mismatch]` unless p is a vector, `[symbolic-extent]`.
Tensor polyval(const Operand& p, const Operand& x);
/// The powers of a vector, a row for each element: x^(n-1), ..., x, 1, the other way about if
/// `increasing`; n is the extent of x if not given. Throws `[rank-mismatch]`, `[negative-count]`,
/// `[symbolic-extent]`.
Tensor vander(const Operand& x, std::optional<int64_t> n = {}, bool increasing = false);

} // namespace kolam
