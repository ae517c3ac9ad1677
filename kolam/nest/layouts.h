/// Where the elements of buffers lie.
#pragma once

#include "kolam/nest/nest.h"

#include <map>

namespace kolam::nest {

/// Of a buffer; row-major where its plan has no strides.
space::Layout layout_of(const BufferPlan& buffer);

/// Tells the nests how their buffers lie. Throws `[bad-layout]` for a layout that overlaps itself,
/// that leaves its buffer, and of a buffer that must be row-major.
void set_layouts(NestList& nests);

/// Layouts by hand: of buffers by name, `b2`, the strides and, where it is not 0, the first
/// element: `1, n` or `n, 1 first 4`. Throws `[bad-layout]`, also for other text and for buffers
/// that are not there.
void give_layouts(NestList& nests, const std::map<std::string, std::string>& texts);

/// Gives every buffer that may be other than row-major, an intermediate value that only nests with
/// loops over elements read and write, its dims in a random order. It is how tests
/// see that nothing counts on row-major memory.
void permute_layouts(NestList& nests, uint64_t seed);

} // namespace kolam::nest
