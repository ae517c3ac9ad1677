/// Calls of functions that Kolam cannot look into, from inside programs.
#pragma once

#include "kolam/frontend/array/operands.h"
#include "kolam/frontend/array/program.h"

#include <functional>

namespace kolam {

/// A function of this process that programs may call: arrays in, arrays out. Make one for each
/// function, not one for each call: it is kept for the life of the process, since compiled programs
/// may call it until then.
class HostFunction {
public:
  using Function = std::function<std::vector<Array>(std::span<const Array>)>;
  explicit HostFunction(Function function);
  /// The name that program texts call it by.
  const std::string& name() const { return name_; }

private:
  std::string name_;
};

/// results = f(inputs), computed by a function of the host each time the program runs.
///
/// The way out for what has no op: a table look-up in another library, a print, a solver. Nothing
/// fuses with it, nothing is assumed of it, and it runs exactly where it stands in the program,
/// also where its results are not used. `results` gives the dtypes and shapes of what f returns,
/// which may be symbolic. Throws when the program runs: `[host-function-result]` where f gives
/// anything else, and what f throws; `[unknown-host-function]` where a program's text is run in a
/// process that has no such function. JAX's pure_callback and io_callback are of this kind.
std::vector<Tensor> opaque_call(const HostFunction& f, const Operands& inputs,
                                const std::vector<TensorSpec>& results);

} // namespace kolam
