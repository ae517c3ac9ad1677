/// What `explain` says of derivatives: what they keep, what they compute again, why.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace kolam::transform {

/// Notes on an op of a derivative what its user is to know, at the op's line; once for each line of
/// the program.
void note_derivative(mlir::Operation* op, const std::string& what);

/// The user's line of an op, ` (m.py:3)`; nothing where it is not known.
std::string at_line(mlir::Operation* op);

/// The notes of a program's derivatives, each with the user's line.
std::vector<std::string> derivative_notes(mlir::ModuleOp program);
/// They name lines of the user's, which are no part of what is compiled and kept.
void drop_derivative_notes(mlir::ModuleOp program);

/// While it lives, what is added on this thread is kept in it; none of it goes to one around it.
class DerivativeNotes {
public:
  DerivativeNotes();
  ~DerivativeNotes();
  DerivativeNotes(const DerivativeNotes&) = delete;
  DerivativeNotes& operator=(const DerivativeNotes&) = delete;

  static void add(std::string note);
  /// `keeps float32[8, 16] of tanh (m.py:3), of each of 64 steps, 32768 bytes: why`.
  static void add_kept(mlir::Value value, int64_t steps);
  static void add_again(mlir::Value value);
  const std::vector<std::string>& notes() const { return notes_; }
  /// Notes them on an op of the derivative.
  void attach(mlir::Operation* op) const;

private:
  DerivativeNotes* outer_;
  std::vector<std::string> notes_;
};

} // namespace kolam::transform
