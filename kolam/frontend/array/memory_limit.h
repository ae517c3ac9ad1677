/// Derivatives that work within a limit of memory.
#pragma once

#include "kolam/frontend/array/derive.h"
#include "kolam/language/builder.h"
#include "kolam/transform/recompute.h"

namespace kolam::detail {

/// What a derivative makes of a body: ops at the builder's place, on the body's arguments.
using Derive = std::function<language::Values(language::Builder& b, mlir::Region& body,
                                              const language::Values& arguments)>;

/// Changes `body`, which is called on `given`, so that what `derive` makes of it plans to work in
/// `limit` bytes at most, beside arguments and results: by the first of the ways of
/// transform/recompute.h that fits; not at all where it fits as it is. Symbols have the sizes of
/// the call that is traced (LikelySizes); a call with others, at which more is planned, is stopped
/// by a check. Throws `[memory-limit]`, with the least that was found and what holds it.
void keep_within(int64_t limit, language::Builder& b, mlir::Region& body,
                 const language::Values& given, const Derive& derive,
                 const transform::NewSymbol& new_symbol);

} // namespace kolam::detail
