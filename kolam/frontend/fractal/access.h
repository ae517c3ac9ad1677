/// Reading lists: elements, windows, parts and products, over lists without types of their own.
///
/// All are maps of places: no leaf is copied for them. What they mean stands in fractal.h; what is
/// an element at a known place of a list with elements is a view.
#pragma once

#include "kolam/frontend/fractal/functions.h"
#include "kolam/support/slice.h"

#include <concepts>
#include <utility>

namespace kolam::fractal::detail {

/// What a list of tuples is: a list for each part of the tuples, all of one length. A list of
/// tensors or of lists is one part.
using Parts = std::vector<List>;

/// Raises `[list-lengths]` when run, naming `function`, unless the lists, some of them traced, are
/// of one length.
void require_one_length(const Parts& xs, const char* function = "zip");

/// The number of elements, an int64 scalar.
Tensor length(const Parts& xs, Here where = Here::current());

/// The number of leaves, an int64 scalar.
Tensor leaf_count(const Parts& xs, Here where = Here::current());

/// The parts of element i. Throws `[list-index]`, and `[shape-mismatch]` and `[dtype-mismatch]`
/// where i is no integer scalar.
Data index(const Parts& xs, const Operand& i);
/// Throws `[bad-step]`.
Parts slice(const Parts& xs, const Slice& slice, Here where = Here::current());
/// The same of bounds that may be tensors: integer scalars, counted from the end where below 0.
/// Throws `[shape-mismatch]` and `[dtype-mismatch]` of others.
struct TracedSlice {
  std::optional<Operand> start = {}, stop = {};
  int64_t step = 1;
};
Parts slice_by_data(const Parts& xs, const TracedSlice& slice, Here where = Here::current());
/// The elements at `places`: integers in one dim, or a list of integer scalars. Throws
/// `[bad-index]`, `[list-index]`.
Parts gather(const Parts& xs, const Datum& places, Here where = Here::current());
Parts reverse(const Parts& xs, Here where = Here::current());

/// How many elements windows see outside of a list, before and behind it; one number is both.
struct Padding {
  int64_t before, behind;
  Padding(std::integral auto both) : before(both), behind(both) {}
  Padding(int64_t front, int64_t back) : before(front), behind(back) {}
};

/// What windows over a list are like.
struct SlideOptions {
  int64_t stride = 1, dilation = 1;
  Padding padding = 0;
  /// What lies outside the list: a tensor or scalar for each part, or nothing for zeros.
  std::vector<Operand> value = {};
};
/// Throws `[list-argument]`, and `[list-type]` where a value fits no element.
Parts slide(const Parts& xs, int64_t window, const SlideOptions& options = {},
            Here where = Here::current());
/// Throws `[list-argument]`, also for an even window.
Parts shifted_slide(const Parts& xs, int64_t window, int64_t dilation = 1,
                    Here where = Here::current());
/// Lists have no value that could lie outside: then `[list-index]` where a place does.
Parts window(const Operand& i, const Parts& xs, int64_t window, int64_t dilation = 1,
             const std::vector<Operand>& value = {});
Parts shifted_window(const Operand& i, const Parts& xs, int64_t window, int64_t dilation = 1);

/// Throws `[list-argument]`.
Parts dilate(const Parts& xs, int64_t dilation, Here where = Here::current());
/// The opposite of `dilate`: result[i] = rows[i mod dilation][i div dilation]. Throws
/// `[list-type]`.
Parts interleave(const Parts& rows, int64_t dilation, Here where = Here::current());
/// Throws `[list-argument]`, `[window-too-large]`.
Parts split(const Parts& xs, int64_t n, Here where = Here::current());

/// The parts of all lists. Throws `[no-operands]`, `[list-lengths]`.
Parts zip(const std::vector<Parts>& lists, Here where = Here::current());
/// The places of the elements of the first, then the parts of all. Throws as `zip`.
Parts enumerate(const std::vector<Parts>& lists, Here where = Here::current());
/// Columns and rows: xss[i][j] = xs[j], yss[i][j] = ys[i].
std::pair<Parts, Parts> product(const Parts& xs, const Parts& ys, Here where = Here::current());
/// Throws `[no-operands]`, `[list-type]`.
Parts join(const std::vector<Parts>& lists, Here where = Here::current());
/// The list of one element, by its parts.
Parts single(const Data& element, Here where = Here::current());
/// The list of tensors or lists of one type, at least one. Throws `[list-type]`.
List list_of(const Data& elements, Here where = Here::current());
/// n times an element; a traced n below 0 counts as 0. Throws `[list-argument]`.
Parts repeat(const Data& element, const Operand& n);

/// All leaves in order, joined along an axis of theirs; of rank 0 as a vector. Throws
/// `[axis-out-of-range]`.
Tensor flatten_leaves(const List& xs, int64_t axis = 0, Here where = Here::current());
/// Throws `[list-depth]`, `[axis-out-of-range]`.
Tensor stack(const List& xs, int64_t axis = 0, Here where = Here::current());
/// Throws `[axis-out-of-range]`.
List unbind(const Tensor& x, int64_t axis = 0, Here where = Here::current());
List slices(const Tensor& x, int64_t axis = 0, Here where = Here::current());

} // namespace kolam::fractal::detail
