/// Signatures: which indices an op has and which region of each tensor each index touches.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kolam/space/issue.h"
#include "kolam/space/monoid.h"
#include "kolam/space/policy.h"
#include "kolam/space/projection.h"

namespace kolam::space {

/// How the points along an index dim depend on one another.
enum class DimKind : uint8_t {
  map,    ///< independent
  reduce, ///< merged by a monoid
  scan    ///< each reads the state of the point `distance` before it
};
enum class Direction : uint8_t { forward, backward };

struct IndexDim {
  std::string name;
  Extent extent;
  DimKind kind = DimKind::map;
  std::optional<Monoid> monoid = {};        ///< of a reduce dim
  Direction direction = Direction::forward; ///< of a scan dim
  int64_t distance = 1;                     ///< of a scan dim: its dependence distance, >= 1

  friend bool operator==(const IndexDim&, const IndexDim&) = default;
};
IndexDim map_dim(std::string name, Extent extent);
IndexDim reduce_dim(std::string name, Extent extent, Monoid monoid);
IndexDim scan_dim(std::string name, Extent extent, Direction direction = Direction::forward,
                  int64_t distance = 1);

enum class Role : uint8_t { in, out, inout, scratch };

struct Operand {
  std::string name;
  Role role = Role::in;
  Shape shape; ///< of the tensor
  Projection projection;
  Policy policy = {}; ///< for elements outside the shape
  /// Which elements are touched depends on data: those dims have a zero row, start 0 and size the
  /// full extent.
  bool indirect = false;
  /// The tensor's first element, 0 in every dim where empty: selections may start anywhere.
  Shape origin = {};
  friend bool operator==(const Operand&, const Operand&) = default;
};

/// What an op answers to "who touches what". The order of `dims` is the order of the projections'
/// columns.
struct Signature {
  std::string op;
  std::vector<IndexDim> dims;
  std::vector<Operand> operands;
  /// The op cannot say more: it has one index point, which owns every tensor whole.
  bool opaque = false;
  friend bool operator==(const Signature&, const Signature&) = default;
};

bool reads(Role role);
bool writes(Role role);
/// The extents of the index dims.
Shape index_shape(const Signature& signature);
/// [0, extents); `[space-symbolic]` where an extent holds symbols.
Box index_box(const Signature& signature);
/// The elements that an operand's tensor has, from its origin.
Box tensor_box(const Operand& operand);

/// Every rule that the signature breaks, never just the first.
///
/// Names are there and distinct, ranks agree, extents and sizes are >= 0. A reduce dim has a monoid
/// with a state, a scan dim a distance >= 1. Policies fit the role; an indirect operand owns some
/// dim whole. Where sizes are numbers: a forbidding operand stays inside its tensor, and the points
/// of an `out` own disjoint regions along map and scan dims and the same one along reduce dims.
std::vector<Issue> validate(const Signature& signature);
/// The part of `validate` for outputs that must be written completely, once: regions of the map and
/// scan points are disjoint and exactly the whole tensor (reference: 2.14). Needs numbers.
std::vector<Issue> validate_total_outputs(const Signature& signature);

/// Tensors, by operand name, that more than one op of a program writes.
std::vector<Issue> validate_single_writers(const std::vector<Signature>& program);

Signature instantiate(const Signature& signature, const std::map<std::string, int64_t>& sizes);
/// Counts an index dim backwards in every operand; a scan changes its direction.
Signature reverse_dim(const Signature& signature, int dim);
Signature permute_dims(const Signature& signature, const std::vector<int>& order);

/// One line an index dim and an operand, the projection as `[A | b | S]`:
///
///     linear
///       dim i: map 8
///       dim m: reduce 16 sum<float32>
///       in x [8, 16]: [1 0 | 0 | 1; 0 1 | 0 | 1]
///       out y [8]: [1 0 | 0 | 1]
std::string to_string(const Signature& signature);

} // namespace kolam::space
