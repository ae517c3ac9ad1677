/// What kolam.reduce and kolam.zip_map_reduce say of their reduction, read off either op.
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
/// Nullopt without a monoid.
std::optional<Reduction> reduction_of(ZipMapReduceOp op);
/// Nullopt where the op is none.
std::optional<Reduction> reduction_of(mlir::Operation* op);

/// True for the region whose block arguments have the extent kChunkSymbol, bound inside.
bool binds_chunk(mlir::Region& region);

} // namespace kolam::ir
