/// Bodies and maps of kernels as ops on arrays: a Ref is a view of an array, and an array that
/// loops and branches change is a state or a result of theirs.
#pragma once

#include "kolam/transform/kernels/ref_names.h"
#include "kolam/transform/kernels/views.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::transform::kernels {

/// What a body sees of the values around it.
struct Environment {
  mlir::IRMapping values;
  llvm::DenseMap<Value, Views> views;
};

/// The arrays of a call, as they are at the builder's place, and what is known there.
struct CallArrays {
  explicit CallArrays(Builder& builder) : b(builder), arrays(builder, ranges) {}
  CallArrays(const CallArrays&) = delete;
  CallArrays& operator=(const CallArrays&) = delete;

  Builder& b;
  Ranges ranges;
  Arrays arrays;
  ir::KernelCallOp call;
  RefNames names;
  bool is_point = false;               ///< whether blocks are arrays of their own
  llvm::DenseMap<Value, int> of_roots; ///< by argument of the kernel and ref_alloc
  ir::CondOp taken;                    ///< a branch whose condition holds
  Values instance;                     ///< the coordinates that count instances

  Value unwritten(mlir::Type type);
  int add_unwritten(mlir::Type type) { return arrays.add(unwritten(type)); }
  /// All of an array, outside of which is zero.
  View whole(int array);
  Values values_of(llvm::ArrayRef<int> numbers);
  void set_values(llvm::ArrayRef<int> numbers, llvm::ArrayRef<Value> values);
  void set_root(Value ref, const View& view, Environment& at);
  /// Stops the run where that does not hold.
  void check(Value holds, const char* slug, const std::string& message);
};

/// The ops of a block, at the builder's place; what it yields.
Values convert_ops(CallArrays& in, mlir::Block& block, Environment& at);
/// A value of a block, and what it is computed of.
Value convert_value(CallArrays& in, Value value, Environment& at);

} // namespace kolam::transform::kernels
