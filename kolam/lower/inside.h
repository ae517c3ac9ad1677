/// Elements that lie in a box, or outside of it.
#pragma once

#include "kolam/lower/emission.h"

namespace kolam::lower {

/// Whether an index lies in a box, dim by dim.
class Inside {
public:
  explicit Inside(Emission& emission);
  /// A condition that must hold, or a vector of them.
  void require(Value condition);
  /// An element of this dtype: what `inside` or `outside` gives. Rows that lie outside as a whole
  /// read nothing inside: addresses far from an array belong to no page, and a load that masks all
  /// of its lanes takes a thousand times as long there.
  Values choose(DType dtype, llvm::function_ref<Values()> inside,
                llvm::function_ref<Values()> outside);

private:
  Emission& e_;
  Value all_, rows_; ///< all conditions, and those that are the same for all lanes
};

} // namespace kolam::lower
