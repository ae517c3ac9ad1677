/// Windows at places that data gives: the code that gather and scatter share.
#pragma once

#include "kolam/lower/emission.h"

namespace kolam::lower {

/// Windows of memory that holds a tensor of shape `operand`, as in WindowPlaces (ir/windows.h);
/// `window` has an extent for each dim behind the batched ones.
struct FarWindows {
  Value memory; ///< null where the tensor lies in none
  DType dtype;
  Shape operand, window;
  Value indices;
  llvm::ArrayRef<int64_t> dims;
  size_t batched;
};

/// The start of a batch's window along every dim that windows have, as i64, and where windows may
/// start.
struct WindowStart {
  Index start; ///< 0 along dims without an index; u64 from 2^63 on stands at the highest i64
  Values last; ///< the highest start whose window lies inside: extent - length
};

/// The elements `indices[batch, c]`, c from 0 on, as i64; of u64, what is larger becomes the
/// largest.
Values emit_places(Value indices, IndexSpan batch, Emission& emission);

/// The window that starts at places[c] along dims[c]. `extents` and `window` have one entry per dim
/// of the window.
WindowStart window_start(ValueSpan places, llvm::ArrayRef<int64_t> dims, ValueSpan extents,
                         ValueSpan window, Emission& emission);

/// Whether the ranges of `indices` [batches..., dims] say that all windows lie inside, whatever the
/// batch. `extents` and `window` have one entry per dim of the window.
bool surely_lie_inside(Value indices, llvm::ArrayRef<int64_t> dims, const Shape& extents,
                       const Shape& window);

/// True where the whole window lies inside.
Value emit_is_inside(const WindowStart& window, llvm::ArrayRef<int64_t> dims, Emission& emission);

/// The start moved so that the window lies inside.
Index emit_clip_start(const WindowStart& window, llvm::ArrayRef<int64_t> dims, Emission& emission);

/// 0 <= place + offset < extent, where place + offset may overflow.
Value emit_cell_is_inside(const Coordinate& place, const Coordinate& offset, Value extent,
                          Emission& emission);

} // namespace kolam::lower
