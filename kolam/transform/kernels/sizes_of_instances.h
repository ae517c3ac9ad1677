/// Sizes that differ from instance to instance of a list's function, as values of its body.
#pragma once

#include "kolam/language/lists.h"
#include "kolam/transform/size_values.h"

#include <map>
#include <set>

namespace kolam::transform::kernels {

/// The sizes that a call in such a body names. All throw Refusal (whole_grid.h) where they are not
/// those of the block in which the call stands, or of the program.
class SizesOfInstances {
public:
  SizesOfInstances(language::Builder& b, mlir::Operation* call);

  /// Whether an extent names one.
  bool differs(const Extent& extent) const;
  /// Keeps the sizes that ops of a region give; other ops of it name none.
  void require_replaceable(mlir::Region& region);
  /// These sizes, and their values at the call's place: i64.
  const Shape& replaced() const { return values_.found(); }
  language::Values replaced_values();
  /// The ops of a block at the builder's place, with `values` for `replaced`.
  void copy_ops(mlir::Block& block, const language::Values& values, mlir::IRMapping& mapping) {
    values_.copy_ops(b, block, values, mapping);
  }

  /// Makes the symbols of an access scalars of it, but for the list's own length.
  void name_sizes(language::Access& access, const Extent& length);
  /// A symbol that the program does not have.
  std::string new_symbol();

private:
  language::Value value_of(const Extent& extent);
  language::Value value_of(const std::string& symbol);

  language::Builder& b;
  mlir::Operation* function_;
  std::map<std::string, mlir::Operation*> own_;     ///< by symbol the op of the block that binds it
  std::map<std::string, mlir::Operation*> foreign_; ///< those bound elsewhere, and not at the start
  SizeValues values_;
  std::set<std::string> taken_; ///< new symbols
};

} // namespace kolam::transform::kernels
