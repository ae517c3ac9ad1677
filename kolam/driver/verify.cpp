// Verifies modules and collects diagnostics.
#include "kolam/driver/verify.h"

#include "kolam/driver/program_rules.h"
#include "kolam/runtime/file.h"
#include "kolam/support/error.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include <filesystem>
#include <unistd.h>

namespace kolam::driver {
namespace {

/// The module with its source lines, in the generic form, which needs no valid ops.
std::string text_of(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, mlir::OpPrintingFlags().printGenericOpForm().enableDebugInfo());
  return text + "\n";
}

/// What the message says of the reproducer.
std::string write_reproducer(mlir::ModuleOp module) {
  try {
    std::string text = text_of(module);
    std::string name = "kolam-" + std::to_string(getpid()) + "-" +
                       std::to_string(llvm::hash_value(text)) + ".mlir";
    std::string path = std::filesystem::temp_directory_path() / name;
    runtime::AtomicFile file(path);
    file.write(text.data(), text.size());
    file.commit();
    return "please report it with the reproducer " + path;
  } catch (const std::exception& error) {
    return std::string("no reproducer: ") + error.what();
  }
}

/// Throws where `is_valid` does not hold, with what it says.
void require(mlir::ModuleOp module, llvm::function_ref<mlir::LogicalResult()> is_valid) {
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic& diagnostic) {
    messages += diagnostic.str() + "\n";
    return mlir::success();
  });
  if (mlir::failed(is_valid()))
    fail(ErrorKind::internal, "internal",
         "the traced program is not valid: " + messages + write_reproducer(module));
}

} // namespace

void verify(mlir::ModuleOp module) {
  require(module, [&] { return mlir::verify(module); });
}

void verify_extents(mlir::ModuleOp module) {
  require(module, [&] { return check_program_rules(module, SymbolsOf::expressions); });
}

} // namespace kolam::driver
