/// What kolam.reduce, kolam.segment_reduce and kolam.zip_map_reduce say of their reduction, read
/// off any of them.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/support/accumulate.h"
#include "kolam/support/elementwise.h"

#include <optional>
#include <vector>

namespace kolam::ir {

/// The symbol of the extent of what `wrap_all` takes.
inline constexpr std::string_view kChunkSymbol = "chunk";

/// A monoid, the dims it reduces and the order. Elements are what is reduced: one element of each
/// input, or what the body yields.
struct Reduction {
  /// A named monoid: it combines each element on its own, wraps and unwraps by casts to and from
  /// the state's dtype, and has no regions.
  std::optional<Fn> function;
  mlir::Region* zero = nullptr;
  mlir::Region* wrap = nullptr;
  mlir::Region* merge = nullptr;
  mlir::Region* unwrap = nullptr;
  mlir::Region* wrap_all = nullptr; ///< null where missing
  std::vector<DType> elements;
  std::vector<DType> states;
  std::vector<int64_t> dims; ///< of the space, increasing
  Accumulate accumulate;

  /// How many of `dims`, from the end, form the run that is cut into chunks: with lanes the last
  /// adjacent ones, so that each index of the others starts new chunks; else all.
  size_t run_length() const;
  /// The dims of a space of `rank` that stay, increasing.
  std::vector<int64_t> kept_dims(int64_t rank) const;
};

Reduction reduction_of(ReduceOp op);
/// Of a segment: the space is that of a result and behind it the elements of the segment.
Reduction reduction_of(SegmentReduceOp op);
/// Nullopt without a monoid.
std::optional<Reduction> reduction_of(ZipMapReduceOp op);
/// Nullopt where the op is none.
std::optional<Reduction> reduction_of(mlir::Operation* op);

/// Where a kolam.list_reduce combines elements by one commutative function, that: of numbers in the
/// dtype of the elements, the same for each. Nullopt for other bodies.
std::optional<Fn> function_of(ListReduceOp op);
/// The order of a kolam.list_reduce: that of a kolam.reduce over the list's dim, by lanes of
/// numbers that a commutative function combines, else by chunks.
Accumulate order_of(ListReduceOp op);

/// True for the region whose block arguments have the extent kChunkSymbol, bound inside.
bool binds_chunk(mlir::Region& region);

} // namespace kolam::ir
