/// Loops whose steps change arrays element by element, in memory.
#pragma once

#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace kolam::ir {

/// Size of code: what has so many elements is carried as numbers of its own.
inline constexpr int64_t kFewElements = 8;

/// How many elements a value has, where these are few.
std::optional<int64_t> few_elements(mlir::Value value);

/// The argument of a block of which a value of the block is a version: itself, or what steps on the
/// way have changed in single elements, by updates, loops and branches. Null where there is none.
///
///     x  ->  y = dynamic_update_slice x, ..  ->  z = for .. carry (y)      z is a version of x
mlir::BlockArgument version_of(mlir::Value value);
/// What a result is a changed version of; null where it is none.
mlir::Value changed_by(mlir::OpResult result);

/// Probe: elements of what a body writes out as a whole, so that a copy of it costs less than a
/// step of the runtime.
inline constexpr int64_t kMostWritten = 512;

/// How many elements a value has, where a body may write it out.
std::optional<int64_t> written_elements(mlir::Value value);

/// Whether a body writes the op's results out into working memory where the op stands, a vector
/// after the other, of an op that reads no memory that changes. The others are computed where they
/// are read: what only moves elements, and what one elementwise op of the same shape reads.
bool is_written(mlir::Operation* op);

/// Why a `for`, `while` or `scan` cannot be code that goes through its steps op by op; empty where
/// it can:
///
/// - What its body computes has few elements, or some hundreds, beside arrays that it reads.
/// - Arrays that it carries are changed in elements and windows, `x = x.at[i].set(v)`, so one
///   memory holds all of their versions: each is read before it is changed. Others, which steps
///   and branches make anew, have as few elements as what it computes.
/// - Loops and branches in it are such, too.
///
/// Nothing in it checks, calls the host, or goes over so many elements that a step for each op
/// costs nothing beside them.
std::string why_not_by_elements(mlir::Operation* loop);

/// Which states of such a loop lie in memory, the others being numbers; those inside another have
/// the same answer for arrays, but for few elements what their initial values are there.
bool lies_in_memory(mlir::Operation* loop, size_t state);
/// Whether a state comes out of a step as a version of what it was, so that of states in memory
/// these are changed there; the others are made anew by each step.
bool is_kept(mlir::Operation* loop, size_t state);

/// Says of a loop that it runs so, as a nest. What it means stays the same.
void set_by_elements(mlir::Operation* loop);
bool is_by_elements(mlir::Operation* op);

/// Whether an op is a `for`, `while` or `scan`.
bool is_loop(mlir::Operation* op);
/// The initial values of a loop, and what its bodies capture.
mlir::OperandRange inits_of(mlir::Operation* loop);
mlir::OperandRange captures_of(mlir::Operation* loop);

} // namespace kolam::ir
