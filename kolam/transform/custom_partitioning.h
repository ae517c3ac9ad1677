/// Functions of users that are cut as they say.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/space/box.h"
#include "kolam/space/signature.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kolam::transform {

/// What is known of a function beside what it computes.
struct PartitionedFunction {
  std::string name; ///< as errors call it
  /// Its signature: operands that are in, then results. Extents may be symbols, which the operands'
  /// extents bind. Of a dim that is reduced the monoid is named by an elementwise function, which
  /// merges results of parts.
  std::optional<space::Signature> signature = {};
  /// Or the boxes of its operands that a box of its results needs, where these are all of one
  /// shape.
  std::function<std::vector<space::Box>(const space::Box& result)> boxes = {};
  /// Its program, as text, for operands of these dtypes and extents.
  std::function<std::string(const std::vector<std::pair<DType, Shape>>& operands)> program;
};

/// Keeps it for the life of the process, as plans may be made of programs that name it until then.
/// The name by which they do.
std::string register_partitioning(PartitionedFunction partitioning);

/// Such a function in a program is a composite, of which an attribute names how it is cut.
void set_partitioning(ir::CompositeOp call, const std::string& name);
/// Null where it is another op. Throws `[bad-partitioning]` for a name that this process doesn't
/// know.
const PartitionedFunction* partitioning_of(mlir::Operation* op);

/// Which composites stay; `of_values`: those that take no Refs and give floats, as derivatives have
/// rules for them; `checks`: those of users, which may become errors.
enum class Composites : uint8_t { none, partitioned, of_values, checks };
/// Puts the bodies of all others in their place.
void take_bodies(mlir::ModuleOp program, Composites kept);
/// Puts the ops of a call's body in its place; its rules are gone.
void take_body(ir::CompositeOp call);

/// The signature with the extents that operands and results have. Throws `[bad-partitioning]`,
/// naming the operand, where they don't fit.
space::Signature bound_signature(const PartitionedFunction& partitioning,
                                 const std::vector<Shape>& operands,
                                 const std::vector<std::pair<DType, Shape>>& results);

/// The boxes of operands of such extents that a box of the results needs. Throws
/// `[bad-partitioning]` for boxes that don't lie in them.
std::vector<space::Box> needed_boxes(const PartitionedFunction& partitioning,
                                     const space::Box& result, const std::vector<Shape>& operands);

} // namespace kolam::transform
