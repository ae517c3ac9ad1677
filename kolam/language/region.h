/// Regions built straight from values: the bodies that the language itself writes.
#pragma once

#include "kolam/language/builder.h"

#include <functional>
#include <memory>

namespace kolam::language {

/// A region whose block has arguments of `types` and yields what `body` gives. It uses nothing from
/// outside.
std::unique_ptr<mlir::Region> make_region(Builder& b, mlir::TypeRange types,
                                          const std::function<Values(const Values&)>& body);

} // namespace kolam::language
