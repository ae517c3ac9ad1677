/// Places in lists: the symbols of their expressions, and what the functions that read lists check.
/// Internal.
#pragma once

#include "kolam/frontend/fractal/access.h"

namespace kolam::fractal::detail {

/// What the expressions of an access are made of (ir/lists.td): the length of the list, the places
/// of the result's elements, the first scalar.
struct Symbols {
  Extent L = Extent::symbol("L"), j0 = Extent::symbol("j0"), j1 = Extent::symbol("j1"),
         a0 = Extent::symbol("a0");
};
Extent modulo(const Extent& place, const Extent& divisor);

/// Each part read by `form`, with the pad of its number where there are some.
Parts accessed(const Parts& xs, Access form, const std::vector<Tensor>& pads = {});

/// `float32[n, 4]` or `list<float32[4]>`; the types of the parts of a list.
std::string describe(const Datum& datum);
std::string describe(const Parts& xs);

/// A place of a list with elements, counted from the front. Throws `[list-index]`.
int64_t checked_place(int64_t place, int64_t length);
/// Throws `[list-argument]` where `number` is below `least`.
void require_at_least(const char* argument, int64_t number, int64_t least);
/// An integer scalar as i64. Throws `[shape-mismatch]` and `[dtype-mismatch]`.
Tensor integer_scalar(const char* argument, const Operand& given);
/// Throws `[window-too-large]` where the list has fewer than `least` elements.
void require_length(const Parts& xs, int64_t least, const char* name);

} // namespace kolam::fractal::detail
