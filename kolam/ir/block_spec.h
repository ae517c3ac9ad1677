/// Which block of an array a point of a kernel's grid sees.
#pragma once

#include "kolam/support/extent.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <vector>

namespace kolam::ir {

enum class BlockKind : uint8_t {
  blocked,  ///< the map gives the number of the block
  squeezed, ///< the same of blocks of one element, a dim that the Ref does not have
  element,  ///< the map gives the first element, in the array with `low` and `high` elements around
};

struct BlockDim {
  BlockKind kind;
  Extent size;
  int64_t low = 0, high = 0; ///< elements in front of the array and behind it; of an element dim
};

/// A block of an array, by dim, and what is read outside of the array.
struct BlockSpec {
  std::vector<BlockDim> dims;
  mlir::DenseElementsAttr pad; ///< a scalar of the array's dtype
  bool is_padded = false; ///< the user gave the pad value: elements outside are meant to be read

  /// The extents of the Ref.
  Shape ref_shape() const;
  /// `{kinds = ["blocked"], sizes = #kolam.extents<["128"]>, low = array<i64: 0>, high = ..., pad =
  /// dense<0.0>}`
  mlir::DictionaryAttr to_attr(mlir::MLIRContext* context) const;
  /// nullopt where the attribute is not of that form.
  static std::optional<BlockSpec> from_attr(mlir::Attribute attr);
};

} // namespace kolam::ir
