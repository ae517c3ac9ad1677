/// A loop in segments: which part of an array belongs to each.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/language/builder.h"

namespace kolam::transform::derive {

using language::Builder;
using language::Value;

/// The elements from `start` on along the first dim, so many.
Value part(Builder& b, Value x, const Extent& start, const Extent& extent);
/// `[segments, steps, ...]` without the first dim.
Value flat(Builder& b, Value segments);

/// A loop as a head, the steps that run first, and segments of equal length behind it. Where only
/// the run knows the number of steps, it knows that of segments, and how long the head is.
struct Split {
  explicit Split(ir::ScanOp op);

  /// The head's part of what has an element for each step.
  Value head_of(Builder& b, Value x) const;
  /// What a loop over segments reads so that `part_of` has an element of each step: a value with
  /// a segment in front or, as a part behind a head would be copied, the segment's number.
  Value for_segments(Builder& b, Value x) const;
  /// The segment's part of `x`, given that value at the segment.
  Value part_of(Builder& b, Value x, Value given) const;
  /// Where there is a head, what has an element for each step is written part by part, so that
  /// nothing is copied; begun with the head's, which may be null.
  Value begun_with(Builder& b, mlir::Type whole, Value of_head) const;
  Value with_head(Builder& b, Value whole, Value of_head) const;
  /// `number` is that of the segment.
  Value with_part(Builder& b, Value whole, Value part, Value number) const;
  /// The head's sum as a term of one over all steps: of no steps beside others -0, which changes no
  /// bit.
  Value nothing_without_head(Builder& b, Value sum) const;
  /// The numbers of the segments, for a loop over them to read.
  Value numbers(Builder& b) const;
  /// What each segment gives in the order of sums: the last that runs first.
  Value last_first(Builder& b, Value of_segments) const;

  bool has_head() const { return head != Extent(0); }

  bool is_reverse;
  Extent length;
  int64_t steps; ///< of a segment
  Extent count, head;

private:
  static Value number(Builder& b, const Extent& value);
  language::Values starts_of(Builder& b, Value x, Value segment) const;
};

} // namespace kolam::transform::derive
