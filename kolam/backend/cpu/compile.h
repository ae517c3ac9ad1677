/// From the LLVM dialect to machine code.
#pragma once

#include "kolam/backend/cpu/target.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace kolam::backend::cpu {

/// Makes code for one target, module after module: describing a target to LLVM and setting up its
/// passes costs as much as a small nest. A thread has its own.
class CodeGenerator {
public:
  explicit CodeGenerator(const Target& target);
  ~CodeGenerator();
  CodeGenerator(const CodeGenerator&) = delete;
  CodeGenerator& operator=(const CodeGenerator&) = delete;

private:
  friend class TranslatedNest;
  struct Tools;
  std::unique_ptr<Tools> tools_;
};

/// A module in LLVM IR, apart from MLIR: threads may compile several at once.
class TranslatedNest {
public:
  /// Of a module in the LLVM dialect; `symbol` becomes the name of its nest function.
  TranslatedNest(mlir::ModuleOp module, const Target& target, const std::string& symbol);
  ~TranslatedNest();
  TranslatedNest(TranslatedNest&&) noexcept;
  TranslatedNest& operator=(TranslatedNest&&) = delete;

  /// The object file. Called once.
  std::string compile(CodeGenerator& generator);
  /// What that has taken.
  struct Seconds {
    double passes = 0, code = 0;
  };
  const Seconds& seconds() const { return seconds_; }

private:
  std::unique_ptr<llvm::LLVMContext> context_;
  std::unique_ptr<llvm::Module> module_;
  Seconds seconds_;
};

/// The same as readable text: LLVM IR after optimisation, or assembly.
std::string llvm_text(mlir::ModuleOp module, const Target& target);
std::string assembly_text(mlir::ModuleOp module, const Target& target);

} // namespace kolam::backend::cpu
