/// Names of Refs, for what explain and checks say.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/language/builder.h"

#include "llvm/ADT/DenseMap.h"

#include <string>

namespace kolam::transform::kernels {

/// `kernel scale (model.py:12)`.
std::string note_of(ir::KernelCallOp call);

/// The names of the Refs of a call, and of the arrays that it changes. Loops and branches keep
/// those of their results (`ref_name` in transform/kernels.h).
class RefNames {
public:
  void set_call(ir::KernelCallOp call) { call_ = call; }

  /// Of a Ref by its number; -1 is none of the call's.
  std::string of(int ref) const;
  /// An array is that of a Ref, and of the one that it begins with, if that is not -1.
  void note(int array, int64_t ref, int64_t first);
  /// The results of an op are arrays from `place` on.
  void put_on(const language::Values& results, size_t place, llvm::ArrayRef<int> arrays) const;

private:
  mutable ir::KernelCallOp call_;
  llvm::DenseMap<int, std::string> arrays_;
};

} // namespace kolam::transform::kernels
