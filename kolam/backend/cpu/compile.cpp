// Translates to LLVM IR, optimises with a short pass list and generates code.
#include "kolam/backend/cpu/compile.h"

#include "kolam/lower/cpu/apart.h"
#include "kolam/lower/cpu/lower.h"
#include "kolam/runtime/cancel.h"
#include "kolam/runtime/long_work.h"
#include "kolam/support/error.h"

#include "mlir/IR/Verifier.h"
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

#include <chrono>

namespace kolam::backend::cpu {
namespace {

/// O3 takes three times as long for the same speed of such loops. By its textual name instcombine
/// aborts the process where one round was not enough, unless told not to.
constexpr llvm::StringLiteral kPasses = "function(lower-expect,sroa,early-cse,instcombine<no-"
                                        "verify-fixpoint>,simplifycfg,loop-mssa(licm),gvn,"
                                        "instcombine<no-verify-fixpoint>,simplifycfg)";

/// For loops whose steps read what the steps before have written: such an element stays in a
/// register, and what no step changes is read in front of them.
constexpr llvm::StringLiteral kMemoryPasses =
    "function(loop-simplify,lcssa,loop-mssa(loop-rotate,licm),loop-load-elim,"
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
  // Shuffles of SSE4a, which LLVM prefers where it has them: one takes 130 ns on Zen 3.
  const std::string features = triple.isX86() ? target.features + ",-sse4a" : target.features;
  return std::unique_ptr<llvm::TargetMachine>(
      description->createTargetMachine(triple, target.cpu, features, options, llvm::Reloc::PIC_,
                                       llvm::CodeModel::Small, llvm::CodeGenOptLevel::Aggressive));
}

/// Makes it a function of the module's own, whose vectors are in registers. Of 32 registers half
/// keep what the caller has there; of 16, or for several elements at once, a function needs most.
/// Where arguments do not fit into registers the convention that keeps half of them loses the
/// caller's frame.
void keep_registers(llvm::Function& function, const Machine& machine) {
  constexpr uint64_t kArgumentBits = uint64_t{8} * 512; // format: of eight registers
  uint64_t bits = 0;
  for (const llvm::Argument& argument : function.args())
    if (argument.getType()->isVectorTy())
      bits += argument.getType()->getPrimitiveSizeInBits();
  const bool needs_half =
      machine.has_avx512() && !function.getReturnType()->isStructTy() && bits <= kArgumentBits;
  const auto convention = needs_half ? llvm::CallingConv::Intel_OCL_BI : llvm::CallingConv::C;
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  function.setCallingConv(convention);
  for (llvm::User* user : function.users())
    llvm::cast<llvm::CallBase>(user)->setCallingConv(convention);
}

std::unique_ptr<llvm::Module> translate(mlir::ModuleOp module, const Target& target,
                                        llvm::LLVMContext& context) {
  // The translation takes well-formed code for granted: a fault of ours would end the process.
  KOLAM_CHECK(mlir::succeeded(mlir::verify(module)));
  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(module, context);
  KOLAM_CHECK(translated != nullptr);
  // Only the nest function is called from elsewhere.
  for (llvm::Function& function : *translated)
    if (!function.isDeclaration() && function.getName() != lower::cpu::kNestFunction)
      keep_registers(function, target.machine);
  return translated;
}

/// The passes of one target with the analyses they share.
class Optimiser {
public:
  explicit Optimiser(llvm::TargetMachine& machine)
      : machine_(machine), builder_(&machine, {}, std::nullopt, &callbacks_) {
    // Optimisation is what a module may do without: one that is to stop skips the rest of it.
    callbacks_.registerShouldRunOptionalPassCallback(
        [](llvm::StringRef, llvm::Any) { return *runtime::cancel_flag() == 0; });
    builder_.registerModuleAnalyses(modules_);
    builder_.registerCGSCCAnalyses(groups_);
    builder_.registerFunctionAnalyses(functions_);
    builder_.registerLoopAnalyses(loops_);
    builder_.crossRegisterProxies(loops_, functions_, groups_, modules_);
    KOLAM_CHECK(!builder_.parsePassPipeline(passes_, kPasses));
    KOLAM_CHECK(!builder_.parsePassPipeline(memory_passes_, kMemoryPasses));
    if (kIsSanitized)
      KOLAM_CHECK(!builder_.parsePassPipeline(last_passes_, "asan"));
  }

  void run(llvm::Module& module) {
    module.setDataLayout(machine_.createDataLayout());
    module.setTargetTriple(machine_.getTargetTriple());
    for (llvm::Function& function : module) {
      if (function.isDeclaration())
        continue;
      // An unwinder or profiler can walk through, but nothing throws.
      function.addFnAttr(llvm::Attribute::NoUnwind);
      function.addFnAttr("frame-pointer", function.hasInternalLinkage() ? "non-leaf" : "all");
      if (kIsSanitized)
        function.addFnAttr(llvm::Attribute::SanitizeAddress);
    }
    passes_.run(module, modules_);
    if (llvm::any_of(module, [](const llvm::Function& function) {
          return function.hasFnAttribute(lower::cpu::kCarriesMemory);
        }))
      memory_passes_.run(module, modules_);
    last_passes_.run(module, modules_);
    if (kIsSanitized)
      drop_registration(module);
    // What is known of this module means nothing for the next.
    loops_.clear();
    functions_.clear();
    groups_.clear();
    modules_.clear();
    runtime::stop_if_cancelled();
  }

private:
  /// No constructor runs that could register tables with the address sanitizer, so they have no
  /// ends that it checks; what would register them is taken away.
  static void drop_registration(llvm::Module& module) {
    for (const char* name :
         {"llvm.global_ctors", "llvm.global_dtors", "llvm.used", "llvm.compiler.used"})
      if (llvm::GlobalVariable* list = module.getNamedGlobal(name))
        list->eraseFromParent();
    for (const char* name : {"asan.module_ctor", "asan.module_dtor"})
      if (llvm::Function* function = module.getFunction(name))
        function->eraseFromParent();
    for (llvm::GlobalVariable& table : llvm::make_early_inc_range(module.globals()))
      if (table.use_empty() && table.getName().contains("asan_global"))
        table.eraseFromParent();
  }

  llvm::TargetMachine& machine_;
  llvm::PassInstrumentationCallbacks callbacks_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager groups_;
  llvm::ModuleAnalysisManager modules_;
  llvm::PassBuilder builder_;
  llvm::ModulePassManager passes_, memory_passes_, last_passes_;
};

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

struct CodeGenerator::Tools {
  explicit Tools(const Target& target) : machine(make_machine(target)), optimiser(*machine) {}
  std::unique_ptr<llvm::TargetMachine> machine;
  Optimiser optimiser;
};

CodeGenerator::CodeGenerator(const Target& target) : tools_(std::make_unique<Tools>(target)) {}
CodeGenerator::~CodeGenerator() = default;

TranslatedNest::TranslatedNest(mlir::ModuleOp module, const Target& target,
                               const std::string& symbol)
    : context_(std::make_unique<llvm::LLVMContext>()),
      module_(translate(module, target, *context_)) {
  module_->getFunction(lower::cpu::kNestFunction)->setName(symbol);
}

TranslatedNest::~TranslatedNest() = default;
TranslatedNest::TranslatedNest(TranslatedNest&&) noexcept = default;

std::string TranslatedNest::compile(CodeGenerator& generator) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  generator.tools_->optimiser.run(*module_);
  const Clock::time_point between = Clock::now();
  std::string bytes =
      generate(*module_, *generator.tools_->machine, llvm::CodeGenFileType::ObjectFile);
  seconds_ = {std::chrono::duration<double>(between - start).count(),
              std::chrono::duration<double>(Clock::now() - between).count()};
  return bytes;
}

std::string llvm_text(mlir::ModuleOp module, const Target& target) {
  auto machine = make_machine(target);
  llvm::LLVMContext context;
  auto translated = translate(module, target, context);
  Optimiser(*machine).run(*translated);
  std::string text;
  llvm::raw_string_ostream stream(text);
  translated->print(stream, nullptr);
  return text;
}

std::string assembly_text(mlir::ModuleOp module, const Target& target) {
  auto machine = make_machine(target);
  llvm::LLVMContext context;
  auto translated = translate(module, target, context);
  Optimiser(*machine).run(*translated);
  return generate(*translated, *machine, llvm::CodeGenFileType::AssemblyFile);
}

} // namespace kolam::backend::cpu
