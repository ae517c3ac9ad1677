/// Functions that move the elements of tensors: every result element is an operand element, or a
/// pad value.
///
/// Extents may be symbolic throughout; a mismatch that only the run can see stops the run with the
/// same words.
#pragma once

#include "kolam/frontend/array/axes.h"
#include "kolam/frontend/array/operands.h"
#include "kolam/support/pad_width.h"

#include <optional>

namespace kolam {

/// The elements of `x` in row-major order under another shape; one extent may be -1, which is what
/// the others leave.
///
///     reshape(float32[2, 6], {3, -1}) is float32[3, 4]
///
/// Throws `[shape-mismatch]` where the numbers of elements differ.
Tensor reshape(const Operand& x, const Shape& shape);

/// Dim d of the result is dim `axes[d]` of `x`. Throws `[rank-mismatch]` unless every dim is named,
/// `[axis-out-of-range]`, `[duplicate-axis]`.
Tensor permute_dims(const Operand& x, const Axes& axes);
/// The last two dims exchanged; throws `[rank-mismatch]` for fewer than two.
Tensor matrix_transpose(const Operand& x);
/// The dims `source` moved to the places `destination`; the others keep their order. Throws as
/// `permute_dims`.
Tensor moveaxis(const Operand& x, const Axes& source, const Axes& destination);

/// Two dims exchanged. Throws `[axis-out-of-range]`.
///
///     >>> import kolam as ko
///     >>> ko.swapaxes(ko.zeros((2, 3, 4)), 0, 2).shape
///     (4, 3, 2)
Tensor swapaxes(const Operand& x, int64_t axis1, int64_t axis2);

/// New dims of extent 1 at the places `axis` of the result. Throws `[axis-out-of-range]`,
/// `[duplicate-axis]`.
Tensor expand_dims(const Operand& x, const Axes& axis);
/// Without the dims `axis`, which have extent 1. Throws `[shape-mismatch]` where one has not,
/// `[axis-out-of-range]`, `[duplicate-axis]`.
Tensor squeeze(const Operand& x, const Axes& axis);
/// Without all dims whose extent is the number 1.
Tensor squeeze(const Operand& x);
/// `x`, or a scalar as a tensor of one element.
Tensor atleast_1d(const Operand& x);
/// `x` with dims of extent 1 in front where it has fewer than two.
Tensor atleast_2d(const Operand& x);

/// `x` repeated to `shape`, aligned at the right, extents 1 stretching. Throws `[shape-mismatch]`.
Tensor broadcast_to(const Operand& x, const Shape& shape);
/// All arrays at their common shape. Throws `[shape-mismatch]`.
std::vector<Tensor> broadcast_arrays(const Operands& arrays);

/// The arrays one after the other along `axis`, at their common dtype; without an axis, all
/// flattened first. Extents add: [n, 4] and [m, 4] give [n + m, 4]. Throws `[no-operands]`,
/// `[rank-mismatch]`, `[shape-mismatch]` where other dims differ, `[axis-out-of-range]`,
/// `[no-promotion]`.
Tensor concat(const Operands& arrays, std::optional<int64_t> axis = 0);
/// Arrays of one shape along a new dim, at the place `axis` of the result. Throws as `concat`.
Tensor stack(const Operands& arrays, int64_t axis = 0);
/// The sub-arrays along `axis`, which vanishes. Throws `[symbolic-extent]` where their number is
/// not known.
std::vector<Tensor> unstack(const Operand& x, int64_t axis = 0);
/// `sections` equal parts along `axis`. Throws `[uneven-split]` where they do not come out even.
std::vector<Tensor> split(const Operand& x, int64_t sections, int64_t axis = 0);
/// The parts x[: indices[0]], x[indices[0] : indices[1]], ... along `axis`, bounds as in Python's
/// slices.
std::vector<Tensor> split(const Operand& x, const std::vector<int64_t>& indices, int64_t axis = 0);

/// The order of elements reversed along all dims, or along `axis`. Throws `[axis-out-of-range]`,
/// `[duplicate-axis]`.
Tensor flip(const Operand& x);
Tensor flip(const Operand& x, const Axes& axis);
/// result[i] = x[(i - shift) mod n] along every axis. One shift serves all axes; an axis may be
/// named several times. Throws `[rank-mismatch]` where there are neither one nor as many shifts as
/// axes, `[axis-out-of-range]`.
Tensor roll(const Operand& x, const Axes& shift, const Axes& axis);
/// The flattened elements rolled, under the shape of `x`.
Tensor roll(const Operand& x, int64_t shift);
/// The whole of `x`, `repetitions[d]` times along dim d; the shorter of shape and repetitions is
/// filled with 1 at the front. Throws `[negative-count]`.
Tensor tile(const Operand& x, const Axes& repetitions);
/// Every element `repeats` times in a row along `axis`, or, without one, of the flattened `x`.
/// Throws
/// `[negative-count]`, `[axis-out-of-range]`.
Tensor repeat(const Operand& x, int64_t repeats, std::optional<int64_t> axis = std::nullopt);
/// The same with a count for each element along the axis, as many as there are elements (or one for
/// all):
///
///     repeat({7, 8, 9}, {2, 0, 1})   =   {7, 7, 9}
///
/// Throws `[shape-mismatch]` for another number of counts; a symbolic extent is compared at run
/// time. Counts that only the run knows would give an extent that only the run knows: an Array of
/// integers is read now, and a traced value is `[traced-value]`.
Tensor repeat(const Operand& x, const std::vector<int64_t>& repeats,
              std::optional<int64_t> axis = std::nullopt);
Tensor repeat(const Operand& x, const Tensor& repeats, std::optional<int64_t> axis = std::nullopt);

/// Elements around `x`: `pad_width` before and after every dim, or one width for all dims.
///
///     constant   0 0 | 1 2 3 | 0 0       edge   1 1 | 1 2 3 | 3 3
///     reflect    3 2 | 1 2 3 | 2 1       wrap   2 3 | 1 2 3 | 1 2
///
/// reflect and wrap go on periodically where a width exceeds the extent. Throws `[bad-pad-width]`
/// for a negative width or a wrong number of them, `[unknown-mode]`, `[dtype-mismatch]` where the
/// constant does not convert, `[empty-dim]` where a mode other than constant finds no elements. As
/// NumPy's pad.
Tensor pad(const Operand& x, const std::vector<PadWidth>& pad_width,
           const std::string& mode = "constant", const Operand& constant_values = 0);

} // namespace kolam
