/// Ops with bodies over values: loops, branches, scans; and the fitting of what their bodies yield.
#pragma once

#include "kolam/language/builder.h"

#include <functional>
#include <memory>

namespace kolam::language {

/// A program body: a region of one block, and what its trailing block arguments stand for outside.
struct Body {
  std::unique_ptr<mlir::Region> region;
  Values captures;
};

/// A body over values of `types`, which may use values from outside.
Body make_body(Builder& b, mlir::TypeRange types, const std::function<Values(const Values&)>& body);

/// Gives all bodies the same captures, in one order.
Values share_captures(llvm::MutableArrayRef<Body> bodies);

/// The bounds of a counted loop at one dtype, i32 or i64. Throws `[dtype-mismatch]` for anything
/// but integers that i64 holds, `[shape-mismatch]` for anything but scalars.
std::pair<Value, Value> loop_bounds(Builder& b, Value lower, Value upper);

/// `state = inits; for i in [lower, upper): state = body(i, state)`. Throws `[carry-mismatch]`
/// where the body yields other dtypes or shapes than it takes.
Values for_loop(Builder& b, Value lower, Value upper, const Values& inits, Body body);

/// `state = inits; while condition(state): state = body(state)`. Throws `[carry-mismatch]`, and
/// `[dtype-mismatch]` or
/// `[shape-mismatch]` where the condition is no bool scalar.
Values while_loop(Builder& b, const Values& inits, Body condition, Body body);

/// "branch 2"; of `cond(pred, true_fn, false_fn)`, whose selector is a bool, "the true branch".
std::string branch_name(size_t number, DType selector);

/// `branches[clip(selector)]()`; a bool selector picks branch 0 for false, 1 for true. Throws
/// `[branch-mismatch]` where branches yield other dtypes or shapes than the first.
Values cond(Builder& b, Value selector, std::vector<Body> branches);

/// Runs `body`, which gives nothing, where `condition`, a bool scalar, holds.
void when(Builder& b, Value condition, const std::function<void()>& body);

enum class Direction : uint8_t { forward, reverse };

/// `for t < length: (state, y) = body(state, xs[t])`; the last state, then the stacked y. Throws
/// `[carry-mismatch]`.
Values scan(Builder& b, const Values& inits, const Values& xs, const Extent& length,
            Direction direction, Body body);

/// The common leading extent of `xs`, and `xs` under it; where only the run can see that extents
/// are equal, that is checked then. Throws `[shape-mismatch]` for rank 0 and unequal extents.
Extent scan_length(Builder& b, Values& xs, std::optional<Extent> length);

/// The type of one slice of `x` along its leading dimension.
mlir::RankedTensorType slice_type(Builder& b, Value x);

} // namespace kolam::language
