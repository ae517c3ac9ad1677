/// What loops carry and branches give where some of it is numbers without a dtype of their own.
/// Internal: includes MLIR.
#pragma once

#include "kolam/frontend/array/control.h"
#include "kolam/frontend/array/trace.h"

namespace kolam::detail {

/// The initial state of a loop. A number in it takes the dtype that the body gives back for it.
class Carried {
public:
  /// `at_once`: outside a trace, where numbers become arguments of the program.
  Carried(const std::vector<Operand>& leaves, bool at_once);

  /// What the program takes for the state.
  const std::vector<Operand>& operands() const { return operands_; }

  using Body = std::function<Leaves(const Leaves& arguments)>;
  /// What a loop passes beside the state: block arguments before and behind it.
  struct Around {
    llvm::SmallVector<mlir::Type> before, behind;
  };
  /// The region of a body that takes the state at the dtypes found, and gives it first. `values`
  /// are those of `operands`. Throws `[carry-mismatch]` where a number has no dtype that the body
  /// gives back.
  Trace::Region region(Trace& trace, const language::Values& values, const Around& around,
                       const Body& body);
  /// The initial values at the dtypes that `region` has found.
  language::Values inits(Trace& trace, const language::Values& values) const;
  llvm::SmallVector<mlir::Type> types(Trace& trace, const language::Values& values) const;

private:
  struct Leaf {
    std::optional<language::WeakScalar> number = std::nullopt; ///< has no dtype of its own
    std::optional<Operand> parameter = std::nullopt; ///< a number that is a parameter of jit
    std::optional<size_t> operand = std::nullopt;    ///< its place among `operands_`
    std::optional<DType> dtype = std::nullopt;       ///< of a number, once found
    std::vector<DType> tried = {};
  };

  mlir::Value wide(Trace& trace, const language::Values& values, const Leaf& leaf) const;
  mlir::Type type_of(Trace& trace, const language::Values& values, const Leaf& leaf) const;
  bool settle(size_t number, const Leaves& results);

  std::vector<Leaf> leaves_;
  std::vector<Operand> operands_;
};

/// `result` where a value of `dtype` is asked for: a number without a dtype takes it within its
/// kind.
Tensor at_dtype(const Tensor& result, DType dtype);

/// The bodies of branches, which take nothing and yield alike: a number that one gives takes the
/// dtype that the others do.
std::vector<Trace::Region> branch_regions(Trace& trace,
                                          const std::vector<std::function<Leaves()>>& branches);

} // namespace kolam::detail
