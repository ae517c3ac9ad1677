/// One op for many instances at once.
#pragma once

#include "kolam/language/builder.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kolam::transform {

/// An operand or a result of an op in a batch: the same for all instances, or with a leading dim
/// that counts them.
struct Batched {
  mlir::Value value;
  bool is_each = false;
};

/// What `op` gives for `count` instances at once, as ops at the builder's place: slice i of a
/// result is, bit by bit, what `op` gives for the slices i of its operands.
///
///     z[i, j] = sum_k x[i, k] w[k, j]   where x is of each instance becomes
///     z[n, i, j] = sum_k x[n, i, k] w[k, j]
///
/// Only the attributes, regions and result types of `op` are read; `operands` stand for its own.
/// Where none of them is of each instance, the results are not either. A loop runs on while one
/// instance does, a branch is computed where one takes it; a check of each instance holds only for
/// those that come to it, and one of what all share is made even where there are no instances.
/// No value where the op can't be batched; then nothing is left in the program, and `why` says so
/// in the words of `explain`.
std::optional<std::vector<Batched>> batch_op(language::Builder& b, mlir::Operation* op,
                                             llvm::ArrayRef<Batched> operands, const Extent& count,
                                             std::string* why);

/// What a user's rule gives for all instances of a call of a function that has one, composite
/// `kCustomVmap`; none where the function's own ops are to be batched.
using CustomRule = std::function<std::optional<std::vector<Batched>>(
    mlir::Operation* call, llvm::ArrayRef<Batched> operands)>;
inline constexpr llvm::StringLiteral kCustomVmap = "custom_vmap";

/// What a batch knows beside its ops.
struct BatchOptions {
  std::string axis_name =
      {}; ///< collectives over it (language/collective.h) are of these instances
  CustomRule custom = {};
};

/// The same of all ops of a body in turn, whose arguments `arguments` stand for: what it yields.
std::optional<std::vector<Batched>> batch_body(language::Builder& b, mlir::Region& body,
                                               llvm::ArrayRef<Batched> arguments,
                                               const Extent& count, std::string* why,
                                               const BatchOptions& options = {});

} // namespace kolam::transform
