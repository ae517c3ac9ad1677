// Lowers, translates, compiles and links.
#include "kolam/backend/cpu/backend.h"

#include "kolam/backend/cpu/compile.h"
#include "kolam/backend/cpu/identity.h"
#include "kolam/backend/cpu/load.h"
#include "kolam/lower/cpu/lower.h"
#include "kolam/lower/fallbacks.h"
#include "kolam/lower/to_llvm.h"
#include "kolam/runtime/long_work.h"
#include "kolam/support/error.h"
#include "kolam/support/trace.h"

#include <chrono>

namespace kolam::backend::cpu {
namespace {

class CpuTools : public Tools {
public:
  explicit CpuTools(const Target& target) : generator(target) {}
  CodeGenerator generator;
};

class CpuNest : public UnfinishedNest {
public:
  CpuNest(TranslatedNest nest, double lowering) : nest_(std::move(nest)), lowering_(lowering) {}
  std::string finish(Tools& tools) override {
    return nest_.compile(static_cast<CpuTools&>(tools).generator);
  }
  Phases phases() const override {
    return {{"lowering", lowering_},
            {"LLVM's passes", nest_.seconds().passes},
            {"code generation", nest_.seconds().code}};
  }

private:
  TranslatedNest nest_;
  double lowering_; ///< seconds
};

} // namespace

CpuBackend::CpuBackend(Target target)
    : target_(std::move(target)),
      words_(target_.cpu + " " + target_.features + " " + to_string(target_.machine)) {}

std::string CpuBackend::build() const { return build_identity(); }

std::vector<std::string> CpuBackend::stages() const { return {"lowered", "llvm", "assembly"}; }

std::unique_ptr<UnfinishedNest> CpuBackend::translate(const nest::IsolatedNest& nest,
                                                      const nest::Schedule& schedule,
                                                      const std::string& symbol,
                                                      ShowStage show) const {
  const auto start = std::chrono::steady_clock::now();
  lower::cpu::load_dialects(*nest.module.get()->getContext());
  runtime::stop_if_cancelled();
  auto code = traced("lower", "compile",
                     [&] { return lower::cpu::lower_nest(nest.nest, target_.machine, schedule); });
  auto text = [&] {
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    code->print(stream);
    return printed + "\n";
  };
  if (show(0, text))
    return nullptr;
  runtime::stop_if_cancelled();
  traced("llvm", "compile", [&] { KOLAM_CHECK(lower::to_llvm(*code)); });
  if (show(1, [&] { return llvm_text(*code, target_); }) ||
      show(2, [&] { return assembly_text(*code, target_); }))
    return nullptr;
  TranslatedNest translated(*code, target_, symbol);
  const std::chrono::duration<double> lowering = std::chrono::steady_clock::now() - start;
  return std::make_unique<CpuNest>(std::move(translated), lowering.count());
}

std::vector<std::string> CpuBackend::fallbacks(const nest::IsolatedNest& nest,
                                               const nest::Schedule& schedule) const {
  lower::cpu::load_dialects(*nest.module.get()->getContext());
  return lower::fallbacks_of(*lower::cpu::lower_nest(nest.nest, target_.machine, schedule));
}

std::unique_ptr<Tools> CpuBackend::make_tools() const {
  return std::make_unique<CpuTools>(target_);
}

std::shared_ptr<const LoadedNest> CpuBackend::load(const std::string& bytes,
                                                   const std::string& symbol) const {
  return link_nest(bytes, symbol);
}

} // namespace kolam::backend::cpu
