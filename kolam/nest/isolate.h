/// Nests apart from their programs: what equal nests have in common.
#pragma once

#include "kolam/nest/nest.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace kolam::nest {

/// A nest in a module of its own, so that what is made of it can depend on nothing outside.
struct IsolatedNest {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Nest nest; ///< its ops and values of `module`; inputs are the arguments of its function
  /// All that code for the nest depends on, as text, without source lines: equal texts, equal code.
  std::string content;
};

/// A copy of the nest: its ops in a function of its inputs that gives its outputs. The copy has the
/// source lines of the original.
IsolatedNest isolate(const Nest& nest);

/// The nest that has such a text as its `content`, made in `context`, without a name and source
/// lines. Throws `[internal]` for any other text.
IsolatedNest read_isolated(const std::string& content, mlir::MLIRContext& context);

} // namespace kolam::nest
