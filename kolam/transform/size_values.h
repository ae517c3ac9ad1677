/// Sizes that a body names, as values that it is given.
#pragma once

#include "kolam/language/builder.h"

#include "mlir/IR/IRMapping.h"

#include <functional>
#include <optional>
#include <string>

namespace kolam::transform {

/// An extent as an i64 scalar: `value_of` gives those of its symbols.
language::Value computed(language::Builder& b, const Extent& extent,
                         const std::function<language::Value(const std::string&)>& value_of);

/// For copies of bodies for which a size is not one number: `kolam.extent` of it becomes a value.
class SizeValues {
public:
  /// `differs`: whether an extent names such a size.
  explicit SizeValues(std::function<bool(const Extent&)> differs) : differs_(std::move(differs)) {}

  /// Notes the sizes that ops of a region give; why they can't all be values, where something else
  /// names one.
  std::optional<std::string> note(mlir::Region& region);
  /// The extents whose values bodies are to be given, as found by `note`.
  const Shape& found() const { return found_; }
  /// The ops of a block at the builder's place, with `values`, i64 scalars, for `found`.
  void copy_ops(language::Builder& b, mlir::Block& block, const language::Values& values,
                mlir::IRMapping& mapping) const;

private:
  bool names(mlir::Type type) const;
  language::Value replacement(mlir::Operation* op, const language::Values& values) const;
  void replace_inside(mlir::Operation* op, const language::Values& values) const;

  std::function<bool(const Extent&)> differs_;
  Shape found_;
};

} // namespace kolam::transform
