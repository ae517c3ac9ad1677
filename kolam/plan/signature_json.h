/// Signatures as parts of JSON documents. Only for .cpp files of this folder.
#pragma once

#include "kolam/plan/document.h"
#include "kolam/space/signature.h"

namespace kolam::plans {

/// All of a signature. Refuses extents that are no numbers with `[bad-plan]`.
Json json_of(const space::Signature& signature);
space::Signature signature_from_json(const Place& place);
DType dtype_from_json(const Place& place);

} // namespace kolam::plans
