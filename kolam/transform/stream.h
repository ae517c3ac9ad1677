/// A function of whole sequences as a step: what it gives for one element after the other.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kolam::transform {

/// Two programs, each a module with a function `main`, of one that maps whole sequences.
///
///     initial: (kept...) -> (states...)
///     step:    (elements..., states..., kept...) -> (results..., states...)
///
/// Elements are the arguments that are sequences, without their dim; kept are the others, in their
/// order.
struct StreamPrograms {
  mlir::OwningOpRef<mlir::ModuleOp> initial, step;
  int64_t elements = 0;
  std::vector<std::string> states; ///< what each is: `values of pad at model.py:12`
  int64_t count_state = -1;        ///< which of them is the number of the step, i64; -1: none
  /// The dim of each result of the whole program that a step leaves out; none of a result that is
  /// the same at every step.
  std::vector<std::optional<int64_t>> results;
  /// So many steps there are at most, where a table of the program has no more rows; -1: any.
  int64_t longest = -1;
  std::string longest_why; ///< the table
};

/// The programs of a step along `dims[i]` of argument i of `main`, none where it is not a sequence;
/// the extents along them are one number. Element i of a sequence comes with step i, and what the
/// i-th step gives is, bit by bit, element i of the whole program's results.
///
///     y[t] = f(x[t], x[t - 1], ..., state before t)
///
/// An op may read a sequence at t and before: where its signature walks the dim with coefficient 1
/// its element is the op on one element, windows are rings of past elements, running combinations
/// and scans carry their state. Throws `[not-streamable]` at the user's line for all else.
/// Source: Vollo, "streaming transform".
StreamPrograms make_stream(mlir::func::FuncOp main,
                           const std::vector<std::optional<int64_t>>& dims);

/// The program that runs the steps of `programs` over several elements at once.
///
///     chunk: (n elements..., states..., kept...) -> (n results..., states...)
///
/// A result that is the same at every step is given once, as of the last. Dims of sequences are
/// those of the whole program; n, the symbol `steps`, is 1 or more.
mlir::OwningOpRef<mlir::ModuleOp> chunk_of_stream(StreamPrograms& programs,
                                                  const std::vector<std::optional<int64_t>>& dims);

} // namespace kolam::transform
