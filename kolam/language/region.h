/// Regions built straight from values: the bodies that the language itself writes.
#pragma once

#include "kolam/language/builder.h"

#include <functional>
#include <memory>

namespace kolam::language {

/// A region whose block has arguments of `types` and yields what `body` gives. It is to use nothing
/// from outside, or to be isolated then.
std::unique_ptr<mlir::Region> make_region(Builder& b, mlir::TypeRange types,
                                          const std::function<Values(const Values&)>& body);

std::unique_ptr<mlir::Region> copy_of(mlir::Region& region);

/// What a region gives for `arguments`, as ops at the builder's place.
Values inlined(Builder& b, mlir::Region& region, const Values& arguments);

/// Makes what the region's ops use from outside arguments behind the others, and gives what they
/// stand for.
Values isolate(mlir::Region& region);

} // namespace kolam::language
