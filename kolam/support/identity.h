/// The identities of elementwise functions, as bits.
#pragma once

#include "kolam/support/elementwise.h"

namespace kolam {

/// The bits of the element e of `dtype` with fn(e, x) = x, in the low bytes. Needs a row with an
/// identity.
uint64_t identity_bits(Fn fn, DType dtype);

} // namespace kolam
