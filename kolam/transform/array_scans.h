/// Scans over lists of tensors as scans over arrays, which may run in segments.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/transform/derive.h"

namespace kolam::transform {

/// Whether elements and states are tensors, and steps run one after the other. Not in bodies over
/// elements, and not with such bodies in its own: of the elements of all levels what they add to a
/// captured value is one sum, in another order than that of loops in one another.
bool is_array_scan(ir::ListScanOp op);

/// Puts a scan over the leaves in the place of one over lists, with the same bits, and erases that:
///
///     list_scan over xs   =   scan over the leaves of xs, whose stacked states are a list's leaves
///
/// Needs `is_array_scan`. Lists that it captures come as their leaves and offsets.
ir::ScanOp as_array_scan(language::Builder& b, ir::ListScanOp op, const NewSymbol& new_symbol);

} // namespace kolam::transform
