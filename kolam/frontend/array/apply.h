/// How an array function runs: into the current trace, or at once. Internal: includes MLIR.
#pragma once

#include "kolam/frontend/array/tensor.h"
#include "kolam/language/builder.h"

#include <functional>

namespace kolam {

class Trace;

using Body = std::function<language::Values(language::Builder&, const language::Values&)>;

/// Applies `body` to the operands' values. Inside a trace its ops are recorded, unless all operands
/// are arrays; outside it runs at once, as a program of its own: interpreted where that is cheaper
/// than compiling (the bits are the same), else compiled and cached. Errors carry `function` and
/// the first operand's line.
std::vector<Tensor> apply(std::string_view function, std::span<const Operand> operands,
                          const Body& body);

/// `apply` for functions with bodies: `body` may build regions (Trace::region). Inside a trace it
/// is always recorded, since bodies may use traced values that are no operands.
using TraceBody = std::function<language::Values(Trace&, const language::Values&)>;
std::vector<Tensor> apply_traced(std::string_view function, std::span<const Operand> operands,
                                 const TraceBody& body);

/// `apply` for functions that are written over other array functions: what `body` calls on the
/// tensors of a trace becomes one program.
std::vector<Tensor>
apply_composite(std::string_view function, std::initializer_list<Operand> operands,
                const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body);

/// `apply` for one result.
Tensor
apply_one(std::string_view function, std::initializer_list<Operand> operands,
          const std::function<mlir::Value(language::Builder&, const language::Values&)>& body);

/// `operand`, made a value of the current trace where `shape` is symbolic: then `apply` records,
/// although all operands may be arrays. The caller holds a CallScope, as the operand's line is
/// lost.
Operand traced_for(const Shape& shape, const Operand& operand);

} // namespace kolam
