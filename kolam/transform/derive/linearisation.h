/// What linearising a program keeps: what stands for each value, and its tangent.
#pragma once

#include "kolam/transform/derive.h"
#include "kolam/transform/interpret.h"

namespace kolam::transform::derive {

using language::Builder;
using language::Value;
using language::Values;

/// Throws `[not-differentiable]` at the op's line.
[[noreturn]] void refuse(mlir::Operation* op, const std::string& why);
/// The same where the op, a loop or a branch over arrays, gives lists.
void refuse_lists(mlir::Operation* op);

/// A walk over a body: primal ops are made by one builder, linear ones by another, which may be the
/// same.
class Linearisation {
public:
  Linearisation(Builder& primal, Builder& tangent, const NewSymbol& symbols)
      : b(primal), linear(tangent), new_symbol(symbols) {}

  Builder& b;
  Builder& linear;
  const NewSymbol& new_symbol;
  /// Linear ops stand beside the primal ones: nothing is kept for later.
  bool is_joint() const { return &b == &linear; }
  /// What stands for a value of the body.
  Value primal(Value value) const { return primals_.at(value); }
  Values primals(mlir::ValueRange values) const { return primals_.at(values); }
  /// Null where it is zero.
  Value tangent(Value value) const { return tangents_.at(value); }
  Values tangents(mlir::ValueRange values) const { return tangents_.at(values); }
  bool is_active(Value value) const { return tangents_.has(value); }
  bool any_active(mlir::ValueRange values) const;
  /// The tangent, or zeros like the primal value, made by `linear`.
  Value tangent_or_zeros(Value value);

  void set(Value value, Value primal) { primals_.set(value, primal); }
  void set_tangent(Value value, Value tangent) {
    if (tangent)
      tangents_.set(value, tangent);
  }
  /// The op on primal values.
  mlir::Operation* copy(mlir::Operation* op);
  /// The op, which is linear in operands `numbers`, on their tangents: its other operands are
  /// primal values.
  mlir::Operation* copy_linear(mlir::Operation* op, llvm::ArrayRef<unsigned> numbers);
  /// The same, whose results become the tangents of the op's.
  void set_linear(mlir::Operation* op, llvm::ArrayRef<unsigned> numbers);

private:
  Environment<Value> primals_, tangents_;
};

/// The ops of a block, but for its end.
void linearise_block(mlir::Block& block, Linearisation& at);

/// Erases ops whose results nothing uses.
void drop_unused(mlir::Block& block);
/// Moves the first `count` arguments of a block behind the others.
void put_last_first(mlir::Block& block, size_t count);

/// Linearises the ops that `make` makes of values of `op`'s operands' types: what they give has the
/// op's tangents; with `as_primal` it stands for the op's results too, which are to have no other.
void linearise_as(mlir::Operation* op, Linearisation& at, bool as_primal,
                  llvm::function_ref<Values(Builder& b, const Values& operands)> make);
/// The value, which derivatives take as constant.
Value stop_gradient(Builder& b, Value value);

/// sum + part; `part` alone where the sum is null, as before its first part.
Value added(Builder& b, Value sum, Value part);
/// Whether a value may have a tangent: floats, lists of floats.
bool is_differentiable(mlir::Type type);

} // namespace kolam::transform::derive
