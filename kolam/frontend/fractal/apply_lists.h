/// How a function on lists runs: into the current trace, or at once. Internal: includes MLIR.
#pragma once

#include "kolam/frontend/array/trace.h"
#include "kolam/frontend/fractal/list.h"
#include "kolam/language/control.h"

#include <source_location>

namespace kolam::fractal {

using Here = std::source_location;

/// Applies `body` to the values of `operands`. Inside a trace its ops are recorded; outside it runs
/// at once, as a program of its own, interpreted where that is small. Errors carry `function` and
/// `where`.
Data apply_lists(std::string_view function, const Data& operands, Here where,
                 const std::function<language::Values(Trace&, const language::Values&)>& body);

/// A datum for a value of the innermost open scope, and back.
Datum wrap(Trace& trace, mlir::Value value);
mlir::Value value_of(Trace& trace, const Datum& datum);
/// The region that `body` records over arguments of `types`, of which the last ones are elements of
/// `lists`.
language::Body record_body(Trace& trace, mlir::TypeRange types, const language::Values& lists,
                           const std::function<Data(const Data&)>& body);

} // namespace kolam::fractal
