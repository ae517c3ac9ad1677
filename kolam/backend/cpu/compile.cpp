// Translates to LLVM IR, optimises with a short pass list and generates code.
#include "kolam/backend/cpu/compile.h"

#include "kolam/lower/lower.h"
#include "kolam/support/error.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"

namespace kolam::backend::cpu {
namespace {

/// O3 takes three times as long for the same speed of such loops. By its textual name instcombine
/// aborts the process where one round was not enough, unless told not to.
constexpr llvm::StringLiteral kPasses =
    "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),gvn,"
    "instcombine<no-verify-fixpoint>,simplifycfg)";

/// Under the address sanitizer generated code is checked as our own is.
#if __has_feature(address_sanitizer)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

std::unique_ptr<llvm::TargetMachine> make_machine(const Target& target) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  std::string problem;
  llvm::Triple triple(llvm::sys::getProcessTriple());
  const llvm::Target* description = llvm::TargetRegistry::lookupTarget(triple, problem);
  KOLAM_CHECK(description != nullptr);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.MCOptions.AsmVerbose = true; // blocks say which loops they are of
  return std::unique_ptr<llvm::TargetMachine>(description->createTargetMachine(
      triple, target.cpu, target.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Aggressive));
}

std::unique_ptr<llvm::Module> translate(mlir::ModuleOp module, llvm::LLVMContext& context) {
  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(module, context);
  KOLAM_CHECK(translated != nullptr);
  return translated;
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple());
  for (llvm::Function& function : module) {
    if (function.isDeclaration())
      continue;
    // An unwinder or profiler can walk through, but nothing throws.
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("frame-pointer", "all");
    if (kIsSanitized)
      function.addFnAttr(llvm::Attribute::SanitizeAddress);
  }

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager groups;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(groups);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, groups, modules);
  llvm::ModulePassManager passes;
  KOLAM_CHECK(!builder.parsePassPipeline(passes, kPasses));
  if (kIsSanitized)
    KOLAM_CHECK(!builder.parsePassPipeline(passes, "asan"));
  passes.run(module, modules);
}

std::string generate(llvm::Module& module, llvm::TargetMachine& machine,
                     llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  KOLAM_CHECK(!machine.addPassesToEmitFile(passes, stream, nullptr, type));
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

} // namespace

TranslatedNest::TranslatedNest(mlir::ModuleOp module, const std::string& symbol)
    : context_(std::make_unique<llvm::LLVMContext>()), module_(translate(module, *context_)) {
  module_->getFunction(lower::kNestFunction)->setName(symbol);
}

TranslatedNest::~TranslatedNest() = default;
TranslatedNest::TranslatedNest(TranslatedNest&&) noexcept = default;

std::string TranslatedNest::compile(const Target& target) {
  auto machine = make_machine(target);
  optimise(*module_, *machine);
  return generate(*module_, *machine, llvm::CodeGenFileType::ObjectFile);
}

std::string llvm_text(mlir::ModuleOp module, const Target& target) {
  auto machine = make_machine(target);
  llvm::LLVMContext context;
  auto translated = translate(module, context);
  optimise(*translated, *machine);
  std::string text;
  llvm::raw_string_ostream stream(text);
  translated->print(stream, nullptr);
  return text;
}

std::string assembly_text(mlir::ModuleOp module, const Target& target) {
  auto machine = make_machine(target);
  llvm::LLVMContext context;
  auto translated = translate(module, context);
  optimise(*translated, *machine);
  return generate(*translated, *machine, llvm::CodeGenFileType::AssemblyFile);
}

} // namespace kolam::backend::cpu
