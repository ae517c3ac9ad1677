/// Which values differ between the instances of a batch.
#pragma once

#include "mlir/IR/Operation.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace kolam::transform::batch {

/// For each of some values whether it is of each instance.
using Flags = std::vector<bool>;

/// Flags of results by those of operands. What a loop carries is of each instance where it starts
/// so, where a turn makes it so, or where instances stop at different turns and a turn changes it.
/// Keeps what it has found: nested loops are asked again and again.
class EachAnalysis {
public:
  /// `axis`: what collectives over it give is the same for all.
  explicit EachAnalysis(std::string axis) : axis_(std::move(axis)) {}
  Flags results(mlir::Operation* op, const Flags& operands);
  /// What a region of a loop or branch yields.
  Flags yields(mlir::Region& region, const Flags& arguments);

private:
  Flags find(mlir::Operation* op, const Flags& operands);

  std::string axis_;
  std::set<std::string> sizes_; ///< symbols that have a value of each instance
  /// By op, flags of operands, and how many sizes there were.
  std::map<std::tuple<mlir::Operation*, Flags, size_t>, Flags> found_;
};

} // namespace kolam::transform::batch
