/// Broadcasting by NumPy's rule, with symbolic extents.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

/// Extents that must be equal, seen as one: the number where one is, else the first. A symbol never
/// broadcasts; where only the run can see a mismatch, a check is put into the program. Throws
/// `[shape-mismatch]` for unequal numbers, whose words `note` ends.
Extent unify(Builder& b, const Extent& x, const Extent& y, std::string_view what,
             std::string_view note = "");

/// The common shape, aligned at the right, 1 stretching. Throws `[shape-mismatch]`, naming the
/// operand, the dim and all shapes.
Shape broadcast_shapes(Builder& b, const std::vector<Shape>& shapes);

/// `x` repeated to `shape`: result[i] = x[j] with j the trailing coordinates of i, 0 where x's
/// extent is 1. Throws
/// `[shape-mismatch]`.
Value broadcast_to(Builder& b, Value x, const Shape& shape);

/// All values at their common shape.
Values broadcast(Builder& b, Values values);

/// The value of an extent: an i64 scalar.
Value extent_value(Builder& b, const Extent& extent);

/// Stops the program with `[slug] message` at the lowest row-major index where `condition` is
/// false.
void check(Builder& b, Value condition, std::string_view slug, const std::string& message);
/// Stops the program with `[slug] message` unless two extents are equal at run time.
void check_equal(Builder& b, const Extent& x, const Extent& y, std::string_view slug,
                 const std::string& message);

/// The same unless x <= y. Where that can be seen now it throws now; where it surely holds no check
/// is made.
void require_at_most(Builder& b, const Extent& x, const Extent& y, std::string_view slug,
                     const std::string& message, ErrorKind kind = ErrorKind::value);

/// `x` under extents that are equal to its own at run time.
Value with_shape(Builder& b, Value x, const Shape& shape);

} // namespace kolam::language
