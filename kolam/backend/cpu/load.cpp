// Links objects with LLVM's JIT linker.
#include "kolam/backend/cpu/load.h"

#include "kolam/support/error.h"
#include "kolam/support/scalar/libcall.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"

#include <atomic>

namespace kolam::backend::cpu {
namespace {

/// Throws an `[internal]` Error for a failure of LLVM's.
void check(llvm::Error error) {
  if (error)
    fail(ErrorKind::internal, "internal", "linking failed: " + llvm::toString(std::move(error)));
}

/// The process's linker. Named by the style rules as part of the compile cache; never torn down,
/// since nests may still be called from other threads at exit.
llvm::orc::LLJIT& linker() {
  static llvm::orc::LLJIT* const jit = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto made = llvm::orc::LLJITBuilder().create();
    check(made.takeError());
    llvm::orc::LLJIT& jit = **made;
    llvm::orc::SymbolMap symbols;
    for (const scalar::LibcallSymbol& symbol : scalar::libcall_symbols())
      symbols[jit.mangleAndIntern(symbol.name)] = {llvm::orc::ExecutorAddr::fromPtr(symbol.address),
                                                   llvm::JITSymbolFlags::Exported};
    check(jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))));
    auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
        jit.getDataLayout().getGlobalPrefix());
    check(process.takeError());
    jit.getMainJITDylib().addGenerator(std::move(*process));
    return made->release();
  }();
  return *jit;
}

/// A nest in a library of its own.
class LinkedNest : public LoadedNest {
public:
  explicit LinkedNest(llvm::orc::JITDylib& library) : library_(library) {}
  ~LinkedNest() override {
    llvm::consumeError(linker().getExecutionSession().removeJITDylib(library_));
  }
  void find(const std::string& symbol) {
    auto address = linker().lookup(library_, symbol);
    check(address.takeError());
    code_ = {address->toPtr<abi::NestFunction>(), nullptr};
  }

private:
  llvm::orc::JITDylib& library_;
};

} // namespace

std::shared_ptr<const LoadedNest> link_nest(const std::string& object, const std::string& symbol) {
  static std::atomic<uint64_t> count = 0;
  llvm::orc::LLJIT& jit = linker();
  // A library each: objects of equal nests have the same symbol.
  llvm::orc::JITDylib& library =
      jit.getExecutionSession().createBareJITDylib(symbol + "." + std::to_string(count++));
  auto nest = std::make_shared<LinkedNest>(library);
  library.addToLinkOrder(jit.getMainJITDylib());
  check(jit.addObjectFile(library, llvm::MemoryBuffer::getMemBufferCopy(object, symbol)));
  nest->find(symbol);
  return nest;
}

} // namespace kolam::backend::cpu
