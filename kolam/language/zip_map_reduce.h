/// The ops that reduce: elements of values, of their segments, and elements that a body computes.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/elementwise.h"

#include <memory>
#include <optional>

namespace kolam::language {

/// A monoid as the ops take it: the name of an elementwise function with an identity and no
/// regions, or regions (their meaning stands in ir/work.td).
struct Monoid {
  std::string name;
  bool commutative = true;
  std::unique_ptr<mlir::Region> zero, wrap, merge, unwrap, wrap_all;
};

Monoid named_monoid(Fn fn);
/// The smallest element (`before` is less) or the largest (greater) of each of `dtypes`, with its
/// place. Elements: the elements, then their common place. Results: the places. The first NaN wins,
/// else the first extreme.
Monoid argument_monoid(Builder& b, Fn before, const std::vector<DType>& dtypes, DType index);

/// Reduces the elements of inputs of one shape over `dims` (increasing), which vanish.
Values reduce(Builder& b, const Values& inputs, Monoid monoid, const Axes& dims);

/// Reduces the elements of each segment, offsets[s] .. offsets[s + 1] - 1 along the first dim of
/// all inputs (ir/work.td): [S, ...].
Values segment_reduce(Builder& b, Value offsets, const Values& inputs, Monoid monoid);

/// The body over the elements of inputs of the shape `space`, and its reduction over `dims` where
/// there is a monoid.
struct Pattern {
  Values inputs;
  std::unique_ptr<mlir::Region> body;
  Values captures;
  Shape space;
  std::optional<Monoid> monoid;
  Axes dims;
};
Values zip_map_reduce(Builder& b, Pattern pattern);

/// `x` with dims of extent 1 put in at `dims`, where they were reduced.
Value keep_dims(Builder& b, Value x, const Axes& dims);

/// The product of the extents of `dims`.
Extent reduced_count(const Shape& shape, const Axes& dims);
/// i32, or i64 where places over `dims` may exceed it.
DType index_dtype(const Shape& shape, const Axes& dims);
/// The place of the body's point among the elements that `dims` reduce, row-major.
Value reduced_place(Builder& b, const Shape& space, const Axes& dims, DType dtype);
/// Throws `[empty-reduction]` where `dims` hold no elements, also where no results are wanted, as
/// in NumPy; or puts a check into the program where only the run can see.
void require_cells(Builder& b, const Shape& shape, const Axes& dims);

} // namespace kolam::language
