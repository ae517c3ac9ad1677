/// The instances of a batch, and what the rules of all ops do to values of each of them.
#pragma once

#include "kolam/transform/batch.h"
#include "kolam/transform/batch/each.h"

namespace kolam::transform::batch {

using language::Builder;
using language::Value;
using language::Values;
using Operands = llvm::ArrayRef<Batched>;
using Results = std::vector<Batched>;

struct Instances {
  Builder& b;
  const Extent& count;
  EachAnalysis& analysis;
  const BatchOptions& options;
  /// Symbols that have a value of each instance, i64 [count], by name: extents of grids alone.
  std::map<std::string, Value>& sizes;
  /// bool [count]: those that run the ops which are being made, at least one; null: all.
  Value active;

  Instances with(Value running) const { return {b, count, analysis, options, sizes, running}; }
};

/// An op, or the ops in it, can't be batched. Caught by batch_op.
struct Refusal {
  std::string why;
};
[[noreturn]] void refuse(std::string why);

/// The leading dim of the instances, then the dims of `shape`.
Shape each_shape(const Instances& all, Shape shape);
mlir::RankedTensorType each_type(const Instances& all, mlir::Type type);
/// The value for each instance: repeated where it is the same for all.
Value as_each(Instances& all, const Batched& operand);
Values as_each(Instances& all, Operands operands);
/// Values that are all of each instance, as results.
Results each(mlir::ValueRange values);

/// `mask` [count] repeated over the elements of a value of each instance.
Value spread(Instances& all, Value mask, Value like);
/// `x` for the instances of `mask`, `y` for the others.
Value select(Instances& all, Value mask, Value x, Value y);
/// The operands with zero for floats of each instance that does not run the op. See Note [Factors]
/// in transform/batch.cpp.
Results zero_unless_active(Instances& all, Operands operands);
/// Both masks; either may be null for all instances.
Value both(Instances& all, Value x, Value y);
/// Whether an instance of `mask` is left: a bool scalar.
Value any(Instances& all, Value mask);

/// Slice `instance`, an integer scalar that lies inside, of a value of each instance.
Value slice_of(Builder& b, Value value, Value instance);

/// The numbers of dims behind the leading one.
std::vector<int64_t> behind(llvm::ArrayRef<int64_t> dims);
/// `numbers`, one for each dim, with one for the leading dim in front.
std::vector<int64_t> with_leading(int64_t number, llvm::ArrayRef<int64_t> numbers);

/// The op on other operands, as many, with results of each instance. Attributes that number dims
/// are the caller's to set.
template <class Op> Op copy(Instances& all, Op op, const Values& operands) {
  mlir::Operation* copied = all.b.insert(op->clone());
  copied->setOperands(operands);
  for (mlir::OpResult result : copied->getResults())
    result.setType(each_type(all, result.getType())); // may throw: the block owns the op
  return llvm::cast<Op>(copied);
}

/// The op on one instance after the other, in a loop: for what no single op says of all instances.
Results one_by_one(mlir::Operation* op, Operands operands, Instances& all);

} // namespace kolam::transform::batch
