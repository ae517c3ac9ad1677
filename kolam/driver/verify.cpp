// Verifies modules and collects diagnostics.
#include "kolam/driver/verify.h"

#include "kolam/support/error.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

namespace kolam::driver {

void verify(mlir::ModuleOp module) {
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic& diagnostic) {
    messages += diagnostic.str() + "\n";
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(module)))
    fail(ErrorKind::internal, "internal", "the traced program is not valid: " + messages);
}

} // namespace kolam::driver
