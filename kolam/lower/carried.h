/// What the bodies of loops and branches are given and carry, element by element.
#pragma once

#include "kolam/ir/pointwise.h"
#include "kolam/lower/emission.h"

#include "llvm/ADT/DenseSet.h"

#include <set>

namespace kolam::lower {

/// The elements of a value inside a body, by their index.
using Elements = std::function<Value(IndexSpan)>;
Elements always(Value cell);

/// The bodies of an op of which the elements at one index are emitted.
class Bodies {
public:
  /// At an index of the op's results (of a scan its states). `lanes_differ`: scalars may be others
  /// in each lane, as where a body on scalars holds the op.
  Bodies(mlir::Operation* op, IndexSpan index, Emission& e, bool lanes_differ = false);

  /// Elements of values of the results' shape at the index, and scalars.
  Values cells(mlir::ValueRange values) const;
  /// What a loop starts from: vectors where steps may give other elements to each lane.
  Values first(mlir::ValueRange inits) const;
  /// What a loop hands on, of the same types.
  Values next(mlir::ValueRange yields) const;
  /// Operands from number `first` on as the bodies read them: elements that they read at the index
  /// are computed here, in front of them.
  std::vector<Elements> captured(size_t first, mlir::ValueRange operands) const;
  /// Binds the arguments of a body until `e.leave()`.
  void enter(mlir::Block& body, llvm::ArrayRef<Elements> arguments) const;
  const ir::Pointwise& pointwise() const { return pointwise_; }
  /// Whether scalars that branches give may be vectors in one and not in the other: a sum, which is
  /// one also where it is the same for all lanes, or a capture that is one already.
  bool gives_vectors(mlir::ValueRange captured, llvm::ArrayRef<Elements> captures) const;
  /// Whether lanes may go other ways: the op works on scalars of a body, which differ between them.
  bool lanes_differ() const { return lanes_differ_; }

private:
  Value spread(mlir::Value value, Value cell) const;
  /// Which states are vectors although their elements are the same for all lanes.
  void find_vectors(mlir::Block& body, size_t results);

  mlir::Operation* op_;
  Index index_;
  ir::Pointwise pointwise_;
  Emission& e_;
  bool lanes_differ_;
  bool are_numbers_ = false; ///< several are carried, by a body without loops
  std::set<size_t> vector_states_;
  llvm::DenseSet<mlir::Value> vectors_; ///< what bodies yield for them
};

std::vector<Elements> joined(std::vector<Elements> first, llvm::ArrayRef<Elements> rest);
std::vector<Elements> all_always(ValueSpan cells);

/// How many numbers lie in [lower, upper); as many as can be counted where that is more.
Value emit_count(Value lower, Value upper, Emission& e);

/// for k in [0, count): state = body(k, state), of so many operations a step. All but short loops
/// look at the cancel flag.
Values emit_counted(Value count, double step_flops, ValueSpan state,
                    llvm::function_ref<Values(Value, ValueSpan)> body, Emission& e);

} // namespace kolam::lower
