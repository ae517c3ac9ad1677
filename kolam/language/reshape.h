/// The same elements under another shape.
#pragma once

#include "kolam/language/builder.h"

#include <optional>

namespace kolam::language {

/// The elements of `x` in row-major order under `shape`, where one extent may be -1: what the
/// others leave. Throws `[shape-mismatch]` where the products differ; where only the run can see
/// it, a check is put into the program.
Value reshape(Builder& b, Value x, Shape shape);
/// All elements in one dim.
Value flatten(Builder& b, Value x);

/// Dims of extent 1 at the places `axes` of the result. Throws `[axis-out-of-range]`,
/// `[duplicate-axis]`.
Value expand_dims(Builder& b, Value x, const Axes& axes);
/// Without the dims `axes`, which have extent 1; without `axes`, without all whose extent is the
/// number 1. Throws `[axis-out-of-range]`, `[duplicate-axis]`, `[shape-mismatch]`.
Value squeeze(Builder& b, Value x, const std::optional<Axes>& axes);

} // namespace kolam::language
