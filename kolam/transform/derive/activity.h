/// Which values of a body may have tangents, before any op is made.
#pragma once

#include "kolam/transform/derive/linearisation.h"

#include "llvm/ADT/DenseSet.h"

#include <map>

namespace kolam::transform::derive {

using Flags = llvm::SmallVector<bool>;

/// Which values count: floats, which may have tangents, or all that depend on what is active, as
/// numbers of elements and places do, and what a condition that does so decides.
enum class Counts { floats, all };

/// Answers for bodies, each once for the same arguments: loops ask until their states agree.
class Activity {
public:
  explicit Activity(Counts counts = Counts::floats) : counts_(counts) {}
  /// Which results of a body depend on the arguments that are active.
  Flags of_results(mlir::Region& body, const Flags& arguments);
  /// `arguments` of a loop's body, whose first are its states from number `first`, until what the
  /// body gives for a state is active only where the state is.
  Flags of_states(mlir::Region& body, Flags arguments, size_t first, size_t states);

  /// The values of a block that are active where `values` are, these too.
  llvm::DenseSet<Value> of_block(mlir::Block& block, llvm::DenseSet<Value> values);

  /// Notes what makes the lengths of lists; whether active values are among it.
  void note_lengths(mlir::Operation* op, llvm::function_ref<bool(Value)> is_active);
  bool are_lengths_active() const { return are_lengths_active_; }

private:
  Counts counts_;
  bool are_lengths_active_ = false;
  std::map<std::pair<mlir::Region*, std::vector<bool>>, Flags> known_;
};

} // namespace kolam::transform::derive
