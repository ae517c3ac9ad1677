/// Where ops are made: an insertion point and the user's location; and the refusals that all
/// functions share.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/support/axis.h"
#include "kolam/support/error.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <string>
#include <vector>

namespace kolam::language {

using mlir::Value;
using Builder = mlir::ImplicitLocOpBuilder;
using Values = std::vector<Value>;
using Axes = std::vector<int64_t>;

inline Value make_constant(Builder& b, mlir::DenseElementsAttr value) {
  return ir::ConstantOp::create(b, value.getType(), value);
}
/// Throws `[extent-overflow]` where nobody can count the tensor's bytes.
mlir::RankedTensorType tensor_type(Builder& b, DType dtype, const Shape& shape);

/// While it lives, the ops that the builder makes carry a note beside the user's line: what checks
/// of them are to know.
class LocationNote {
public:
  LocationNote(Builder& b, const std::string& note);
  ~LocationNote();
  LocationNote(const LocationNote&) = delete;
  LocationNote& operator=(const LocationNote&) = delete;

private:
  Builder& builder_;
  mlir::Location outer_;
};

/// The note of ops whose integers wrap on purpose.
inline constexpr std::string_view kWrapsOnPurpose = "wraps on purpose";
/// The note of ops that belong to a check.
/// Precedes what is wrong where an element of the op is false, which checks of bounds look for.
inline constexpr std::string_view kMustHold = "must hold: ";
inline constexpr std::string_view kOfCheck = "of a check";

/// The note of an op; empty where it has none.
std::string note_of(mlir::Operation* op);

/// `float32[n, 4]`: how errors show a value.
std::string describe(Value value);

/// Throws `[shape-mismatch]`, `[axis-out-of-range]` and so on in the words all functions share.
[[noreturn]] void fail_argument(ErrorKind kind, std::string_view slug, std::string_view argument,
                                const std::string& expected, const std::string& actual);

using kolam::normalize_axis;
/// The same for several, sorted; throws `[duplicate-axis]` too.
Axes normalize_axes(const Axes& axes, int64_t rank, std::string_view argument = "axis");

} // namespace kolam::language
