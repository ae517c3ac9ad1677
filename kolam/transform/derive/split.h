/// A loop in segments: which part of an array belongs to each.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/language/builder.h"

namespace kolam::transform::derive {

using language::Builder;
using language::Value;

/// The elements from `start` on along the first dim, so many.
Value part(Builder& b, Value x, int64_t start, int64_t extent);
/// `[segments, steps, ...]` without the first dim.
Value flat(Builder& b, Value segments);

/// A loop as a head, the steps that run first, and segments of equal length behind it.
struct Split {
  explicit Split(ir::ScanOp op);

  /// The head's part of what has an element for each step.
  Value head_of(Builder& b, Value x) const;
  /// What a loop over segments reads so that `part_of` has an element of each step: a value with
  /// a segment in front or, as a part behind a head would be copied, the segment's number.
  Value for_segments(Builder& b, Value x) const;
  /// The segment's part of `x`, given that value at the segment.
  Value part_of(Builder& b, Value x, Value given) const;
  /// What has an element for each step; `first` is null where there is no head.
  Value joined(Builder& b, Value first, Value segments) const;
  /// What each segment gives in the order of sums: the last that runs first.
  Value last_first(Builder& b, Value of_segments) const;

  bool is_reverse;
  int64_t length, steps, count, head;
};

} // namespace kolam::transform::derive
