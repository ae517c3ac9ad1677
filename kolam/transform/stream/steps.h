/// The two programs of a stream while they are made, and what the rules of all ops share.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/transform/stream.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <tuple>
#include <utility>

namespace kolam::transform::stream {

using language::Builder;
using language::Value;
using language::Values;

/// Which of the two programs an op is made for.
enum class Part : uint8_t { initial, step };

/// A value of the whole program whose elements along a dim come one a step.
struct Sequence {
  Value now; ///< of the step: element `step - offset`, of extent 1 along `dim`
  Value
      before; ///< of the initial program: the first -offset elements, which no step gives; or null
  int64_t dim = 0;
  int64_t offset = 0; ///< by so many steps elements come late; before that many steps, unspecified
  int64_t length = 0; ///< of the whole program's value
  mlir::Operation* latest = nullptr; ///< the op that waits for later elements, where offset > 0

  int64_t count_before() const { return offset < 0 ? -offset : 0; }
};

class Steps {
public:
  Steps(mlir::func::FuncOp main, const std::vector<std::optional<int64_t>>& dims);

  Builder& in(Part part) { return part == Part::initial ? initial_ : step_; }
  /// How many elements the sequences of the whole program have.
  int64_t length() const { return length_; }

  /// The sequence that a value of the whole program is, or null.
  const Sequence* find(Value value) const;
  void set(Value value, Sequence sequence) { sequences_[value] = std::move(sequence); }
  /// A value that is the same at every step, in one of the programs.
  Value fixed(Part part, Value value);
  /// Where one is, in the step's program.
  void set_fixed(Value value, Value made) { fixed_step_[value] = made; }

  /// The number of the step, from 0: an i64 scalar.
  Value count();
  /// The number of the element of a sequence of that offset.
  Value element_number(int64_t offset);
  /// A state that starts as `first`, a value of the initial program; `next` gives what it becomes.
  Value state(Value first, const std::string& what);
  void set_next(Value state, Value next);

  /// The same elements `steps` later.
  Sequence delayed(const Sequence& sequence, int64_t steps);
  /// With that offset, which is not less than its own.
  Sequence at_offset(const Sequence& sequence, int64_t offset);
  /// `now` as elements j, j + apart, ... (`count` of them along the dim), where j is the oldest;
  /// `before` is as it was.
  Sequence window(const Sequence& sequence, int64_t apart, int64_t count);
  /// With `low` elements in front, all `value`, a scalar of the whole program.
  Sequence padded(const Sequence& sequence, int64_t low, Value value);
  /// The elements of a value that is the same at every step, as a sequence along its dim `dim` with
  /// that offset.
  Sequence rows(Value value, int64_t dim, int64_t offset);
  /// Whether there is an element yet at this step: a bool scalar, null where there always is.
  Value has_begun(const Sequence& sequence);
  /// `mask ? x : y` for a scalar mask.
  Value choose(Value mask, Value x, Value y);

  /// A check of what is the same at every step is made once, in a body at every turn.
  void check_fixed(mlir::Operation* check);
  /// There are at most `steps` steps, as `why` says.
  void end_after(int64_t steps, const std::string& why);

  StreamPrograms finish();

  /// What is known of values: to try a rule, and to take back what it set.
  struct Known {
    llvm::DenseMap<Value, Sequence> sequences;
    llvm::DenseMap<Value, Value> fixed;
  };
  Known known() const { return {sequences_, fixed_step_}; }
  void forget_all_but(Known known) {
    sequences_ = std::move(known.sequences);
    fixed_step_ = std::move(known.fixed);
  }

  /// The op whose rule is running: ops that are made have its location.
  void at(mlir::Operation* op);
  mlir::Operation* op() const { return op_; }

private:
  friend class InBody;
  void require_outside_bodies() const;
  struct State {
    Value argument, first, next;
    std::string what;
  };
  /// What elements of a fixed value along a dim are: one, or a function of their number.
  enum class Along : uint8_t { same, counted };
  bool is_along(Along kind, Value value, int64_t dim, int depth);
  Value first_elements(Value value, int64_t dim, int64_t count);
  Value counted_row(Value value, int64_t dim, Value number);
  Value make_counted_row(Value value, int64_t dim, Value number);

  mlir::func::FuncOp main_;
  std::vector<std::optional<int64_t>> dims_;
  int64_t length_ = -1, elements_ = 0;
  mlir::OwningOpRef<mlir::ModuleOp> initial_module_, step_module_;
  mlir::func::FuncOp initial_main_, step_main_;
  Builder initial_, step_;
  llvm::DenseMap<Value, Sequence> sequences_;
  llvm::DenseMap<Value, Value> fixed_initial_, fixed_step_;
  std::vector<State> states_;
  Value count_;
  std::map<std::tuple<const void*, int64_t>, Sequence> delayed_;
  llvm::DenseMap<std::pair<Value, int64_t>, bool> counted_along_, same_along_;
  llvm::DenseMap<std::pair<Value, std::pair<int64_t, Value>>, Value> counted_;
  mlir::Operation* op_ = nullptr;
  bool in_body_ = false;
  int64_t longest_ = -1;
  std::string longest_why_;
};

/// While it lives, ops of the step are made at the end of a body, which has no states and knows
/// nothing of other steps: what asks for either is refused.
class InBody {
public:
  InBody(Steps& steps, mlir::Block* body)
      : steps_(steps), place_(steps.step_), outer_(std::exchange(steps.in_body_, true)) {
    steps.step_.setInsertionPointToEnd(body);
  }
  ~InBody() { steps_.in_body_ = outer_; }
  InBody(const InBody&) = delete;
  InBody& operator=(const InBody&) = delete;

private:
  Steps& steps_;
  mlir::OpBuilder::InsertionGuard place_;
  bool outer_;
};

/// Throws `[not-streamable]` at the user's line of `op`.
[[noreturn]] void refuse(mlir::Operation* op, const std::string& why);
/// `contract at model.py:12`, for the names of states.
std::string op_and_line(mlir::Operation* op);

/// An extent that is a number. Throws `[not-streamable]` for a symbol.
int64_t number(mlir::Operation* op, const Extent& extent);

/// The start of a box that begins at `start` along `dim` of a value of that rank.
Values starts_at(Builder& b, int64_t rank, int64_t dim, Value start);
/// The element number `place` along `dim`, of extent 1; places outside clip.
Value element_at(Builder& b, Value value, int64_t dim, Value place);
Value zeros(Builder& b, DType dtype, const Shape& shape);

/// A copy of `op` on other operands, whose results have `extent` along `dims`, -1 for none.
mlir::Operation* resized(Builder& b, mlir::Operation* op, const Values& operands,
                         llvm::ArrayRef<int64_t> dims, int64_t extent);

} // namespace kolam::transform::stream
