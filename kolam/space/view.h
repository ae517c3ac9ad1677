/// Views: other arrangements of a tensor's elements, without copies.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kolam/space/affine_map.h"

namespace kolam::space {

/// One dim of a view: `count` elements, `step` apart along dim `source` of the base tensor; step <
/// 0 counts backwards. A dim that the base does not have (broadcast) has source kNewAxis and step
/// 0.
inline constexpr int kNewAxis = -1;
struct ViewDim {
  int source;
  int64_t step;
  int64_t count;
  friend bool operator==(const ViewDim&, const ViewDim&) = default;
};

/// Shows element y of the view at element x of the base: x_k = start_k + step_d y_d for the dim d
/// with source k, x_k = start_k where no dim has it. So each shown dim is a strided range (start,
/// step, count), closed under slicing, striding, reversing and permuting. (reference: 2.15)
struct View {
  Point start;
  std::vector<ViewDim> dims;
  friend bool operator==(const View&, const View&) = default;
};

/// All of a tensor.
View view_of(const Point& shape);
Point shape(const View& view);
/// x = A y + b.
AffineMap to_map(const View& view);

/// Elements start, start + step, ... (count of them) of dim `dim`. Refuses what leaves the view
/// with `[space-out-of-bounds]`. A step of 0 repeats one element.
View slice(const View& view, int dim, int64_t start, int64_t step, int64_t count);
View reverse(const View& view, int dim);
/// Dim d of the result is dim order[d].
View permute(const View& view, const std::vector<int>& order);
/// One element of dim `dim`; the dim goes.
View select(const View& view, int dim, int64_t index);
/// A new dim of `count` equal copies before dim `position`.
View insert_axis(const View& view, int position, int64_t count = 1);
/// Removes a dim of extent 1; refuses another with `[space-squeeze]`.
View squeeze(const View& view, int dim);
/// Repeats dims of extent 1 and adds leading dims; refuses other differences with
/// `[space-broadcast]`.
View broadcast_to(const View& view, const Point& shape);
/// The view that `outer` shows of what `inner` shows. Needs dims of `inner` for every dim of
/// `outer`.
View compose(const View& outer, const View& inner);

/// How many elements start, start + step, ... lie before `stop` (after it for step < 0): the extent
/// of x[start:stop:step]. Refuses step 0 with `[space-step]`.
int64_t slice_count(int64_t start, int64_t stop, int64_t step);
/// Elements r, r + d, r + 2d ... of n: what a dilated or strided window reads as one dense window.
/// ceil((n - r) / d) elements. Needs 0 <= r < d (`[space-step]`). (reference: 2.18)
ViewDim phase(int64_t extent, int64_t distance, int64_t remainder);

} // namespace kolam::space
