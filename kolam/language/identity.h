/// The identities of monoids as values.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/elementwise.h"

namespace kolam::language {

/// The scalar e of `dtype` with fn(e, x) = x. Needs a row with an identity.
Value identity(Builder& b, Fn fn, DType dtype);

} // namespace kolam::language
