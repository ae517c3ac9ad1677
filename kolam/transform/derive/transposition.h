/// What transposing a linear program keeps: the cotangents that its values have received.
#pragma once

#include "kolam/transform/derive/linearisation.h"

#include "llvm/ADT/DenseSet.h"

#include <functional>
#include <optional>

namespace kolam::transform::derive {

/// The dtype of a tensor, or of the tensors in a list.
DType dtype_of_leaves(mlir::Type type);
/// The value at another dtype; element by element for lists.
Value at_dtype(Builder& b, Value value, DType dtype);

/// Throws `[not-linear]` at the op's line.
[[noreturn]] void refuse_nonlinear(mlir::Operation* op, const std::string& why);

/// What the steps of a loop add to a cotangent as one op: `value`, upon which the ops `after` are
/// to act, the last first.
struct StepSum {
  Value value;
  std::vector<mlir::Operation*> after;
  /// Of each operand of the op that gives `value` whether it has a dim of steps.
  std::vector<bool> is_stacked;
  int64_t chunks = 0; ///< that are merged pairwise, whole ones; 0 where that is not so
  /// Zeros that terms are added to one after the other, and that nothing else reads: what other
  /// steps have added may stand in their place. Null for other sums.
  Value start = {};
};

/// A walk over a linear program from its end to its beginning.
///
/// A value that is used several times receives a contribution from each use: the last use comes
/// first, of one op the last operand. Narrow floats add up in f32 and are rounded once.
class Transposition {
public:
  Transposition(Builder& builder, const NewSymbol& symbols) : b(builder), new_symbol(symbols) {}

  Builder& b;
  const NewSymbol& new_symbol;

  /// Whether a value depends on the tangents.
  bool is_linear(Value value) const { return linear_.contains(value); }
  bool any_linear(mlir::ValueRange values) const;
  void set_linear(Value value) { linear_.insert(value); }
  /// What stands for a value that does not.
  Value coefficient(Value value) const { return coefficients_.lookup(value); }
  Values coefficients(mlir::ValueRange values) const;
  void set_coefficient(Value value, Value stands) { coefficients_[value] = stands; }

  bool has_cotangent(Value value) const { return sums_.contains(value); }
  /// What a value has received, as it was added up; null for nothing.
  Value sum(Value value);
  /// The same, rounded.
  Value cotangent(Value value);
  Value cotangent_or_zeros(Value value);
  Values cotangents_or_zeros(mlir::ValueRange values);
  /// Nothing happens where the operand is not linear or the contribution null.
  void add(Value operand, Value contribution);
  /// A contribution to the window at `starts` alone: sums change in place.
  void add_window(Value operand, const Values& starts, Value contribution);
  /// The same at starts that the program knows. Windows along one dim are put together: where they
  /// do not overlap nothing is added.
  void add_window(Value operand, const Shape& starts, Value contribution);
  /// Keeps the contributions to an operand one by one, in their order, instead of adding them up.
  void collect(Value operand) {
    set_linear(operand);
    collected_[operand];
  }
  /// The same for what the steps of a loop add, which is a part of what more steps add.
  /// See Note [Parts].
  void collect_parts(Value operand, Value running) {
    collect(operand);
    running_[operand] = running;
  }
  /// Adds the contributions to an operand to what later steps of a loop have added, which `running`
  /// gives when it is first asked for, but for those that `is_apart` says are collected. Loops and
  /// branches inside go on with that sum: a nest of loops has one. See Note [Running sums].
  void carry(Value operand, std::function<Value()> running, std::function<bool(Value)> is_apart);
  /// The same where all contributions are added to a sum that there is.
  void carry(Value operand, Value running);
  /// Whether what is not apart goes to a running sum.
  bool may_carry(Value operand) const { return carried_.contains(operand); }
  /// A contribution: to the whole operand, or to a window of it.
  struct Contribution {
    Value value;
    std::optional<Values> starts;
    /// Of parts: of what many steps add as one op, the op, and what comes behind it.
    std::optional<StepSum> sum = std::nullopt;
  };
  bool collects(Value operand) const { return collected_.contains(operand); }
  bool collects_parts(Value operand) const { return running_.contains(operand); }
  /// What a sum that a loop carries for the operand starts from: what has been added up so far
  /// where its parts are collected or the sum is carried here too, else zeros; narrow floats in
  /// f32. What the loop makes of it is to be added then.
  Value start_of_sum(Value operand);
  void add_part(Value operand, StepSum sum) {
    collected_[operand].push_back({sum.value, std::nullopt, std::move(sum)});
  }
  std::vector<Contribution> contributions(Value operand) const {
    return collected_.lookup(operand);
  }
  /// Adds a contribution to an operand's sum, in place where it is of a window.
  void add(Value operand, const Contribution& contribution);

  /// Values of the region stay known as long as this.
  void keep(std::unique_ptr<mlir::Region> region) { kept_.push_back(std::move(region)); }

  /// A contribution that `make` adds to what is there; null: nothing yet.
  void add_to(Value operand, const std::function<Value(Value sum)>& make);

private:
  /// A window of a value, and what it received.
  struct Window {
    Shape starts;
    Value value;
  };
  struct Sum {
    Value value;
    int contributions = 0;
    std::vector<Window> windows; ///< contributions that are not in `value` yet, in their order
  };
  /// The windows beside each other, zeros between, sums where they overlap and of what was there
  /// `before` (null: nothing); null where they do not lie along one dim, overlap much, or leave
  /// most as it was.
  Value put_together(Value operand, Value before, const std::vector<Window>& windows);
  /// Adds up the windows of a sum.
  void settle(Value operand, Sum& sum);
  void add_up(Value operand, Sum& sum, const std::function<Value(Value sum)>& make);
  llvm::DenseMap<Value, Sum> sums_;
  llvm::DenseMap<Value, std::vector<Contribution>> collected_;
  llvm::DenseMap<Value, Value> running_;
  /// A running sum, until it is asked for, and what is apart of it.
  struct Carried {
    std::function<Value()> running; ///< null: it is there
    std::function<bool(Value)> is_apart;
  };
  void begin(Value operand, Carried& carried);
  llvm::DenseMap<Value, Carried> carried_;
  llvm::DenseMap<Value, Value> coefficients_;
  llvm::DenseSet<Value> linear_;
  std::vector<std::unique_ptr<mlir::Region>> kept_;
};

/// Says which values of the block depend on those that already do, and makes the ops that do not.
void prepare(mlir::Block& block, Transposition& at);
/// The ops of a prepared block, the last first, but for its end.
void transpose_block(mlir::Block& block, Transposition& at);
/// A whole program, whose tangents `at` knows as linear or collects. `cotangents[i]` of yielded
/// tangent i may be null: zero.
void transpose_program(LinearProgram& program, mlir::ValueRange residuals,
                       llvm::ArrayRef<Value> cotangents, Transposition& at);

} // namespace kolam::transform::derive
