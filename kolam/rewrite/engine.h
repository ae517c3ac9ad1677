/// The engine: applies rules until none applies any more.
#pragma once

#include "kolam/rewrite/rule.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <span>
#include <string>

namespace kolam::rewrite {

/// Rewrites the module and gives how often each rule applied, by name; captures and checks that
/// hold become fewer on the way (captures.h). Ends: every rule makes the program smaller in a fixed
/// order (fewer ops, or the same ops nearer to the arguments), and the number of rounds is bounded.
std::map<std::string, int> apply_rules(mlir::ModuleOp module, std::span<const Rule> rules);

} // namespace kolam::rewrite
