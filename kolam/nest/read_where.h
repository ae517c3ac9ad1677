/// Which elements of a product anything reads.
#pragma once

#include "kolam/nest/nest.h"

#include <optional>

namespace kolam::nest {

/// A condition at the nest's own index: elements are read where it holds, or where it fails.
struct ReadWhere {
  mlir::Value condition;
  bool holds;
};

/// Where the nest reads the elements of a product of its own; nullopt: it may read all.
///
///     where(i <= j, scale * (q k'), -inf)     reads (q k')[i, j] where i <= j
std::optional<ReadWhere> read_where(const Product& product, const Nest& nest);

} // namespace kolam::nest
