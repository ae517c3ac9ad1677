/// What is known of an op beside its signature: a row of `facts.cpp` for each op.
#pragma once

#include <cstdint>

namespace mlir {
class Operation;
} // namespace mlir

namespace kolam::ir {

/// How an op runs once its program is cut into nests.
enum class Runs : uint8_t {
  elements,   ///< in a nest, which asks its signature whether single elements can be had
  step,       ///< as a step of the runtime, whose operands and results lie in memory
  lists,      ///< not at all: ops on lists become ops on arrays before
  kernels,    ///< not at all: kernels and their Refs become ops on arrays before
  composites, ///< not at all: their bodies take their place before
  ends,       ///< it ends a region
};

/// Whether the elements of an op's result are elements of its first operand.
enum class View : uint8_t {
  none,
  by_map,  ///< at the places that its projection gives, where that is affine
  by_data, ///< in windows that data places, always inside
};

/// How the regions of an op run.
enum class Bodies : uint8_t {
  none,
  of_elements, ///< on scalars, for single elements
  once,        ///< whole programs, at most once
  in_turn,     ///< whole programs, once for each step of a loop
  of_lists,    ///< whole programs, once for each element of lists
};

/// What computing an element again costs beside keeping it.
enum class Again : uint8_t {
  free,  ///< less than reading it
  cheap, ///< one element of each operand is read, and little is computed
  fair,
  dear, ///< many elements are read, or all
};

/// What an op does beside giving results.
enum class Effect : uint8_t {
  none,
  check,  ///< it may stop the program
  symbol, ///< it binds a symbol to a number
  memory, ///< its elements are those that the memory held before
  host,   ///< it calls a function of the process
};

/// What an op takes from lists.
enum class FromLists : uint8_t {
  none,
  lengths, ///< lengths alone
  part,    ///< a part whose lengths are those of the list
  other,   ///< a list or tensor of other structure
};

/// What checks look at; several are joined by `|`.
enum class Checked : uint8_t { nothing = 0, nan = 1, overflow = 2, bounds = 4 };
constexpr Checked operator|(Checked x, Checked y) {
  return static_cast<Checked>(static_cast<uint8_t>(x) | static_cast<uint8_t>(y));
}

struct Facts {
  Runs runs;
  View view;
  /// Its result has its operand's elements in their row-major order.
  bool keeps_order;
  /// A result element depends on its index otherwise than by the operand elements that the
  /// projections name.
  bool reads_index;
  Bodies bodies;
  Again again;
  /// Products of its operands are summed.
  bool has_factors;
  Effect effect;
  FromLists from_lists;
  Checked checked;

  bool checks(Checked what) const {
    return (static_cast<uint8_t>(checked) & static_cast<uint8_t>(what)) != 0;
  }
};

/// The facts of an op of the dialect; of another, which holds functions together, that it runs
/// whole and is read by nobody.
Facts facts_of(mlir::Operation* op);

} // namespace kolam::ir
