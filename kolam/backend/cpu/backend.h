/// Native code for one CPU.
#pragma once

#include "kolam/backend/backend.h"
#include "kolam/backend/cpu/target.h"

namespace kolam::backend::cpu {

class CpuBackend : public Backend {
public:
  explicit CpuBackend(Target target);

  std::string_view name() const override { return "cpu"; }
  std::string target() const override { return words_; }
  std::string build() const override;
  const Machine& machine() const override { return target_.machine; }
  void require_runnable() const override { target_.require_runnable(); }
  /// "lowered" (loops in MLIR), "llvm" (LLVM IR after optimisation), "assembly".
  std::vector<std::string> stages() const override;
  std::unique_ptr<UnfinishedNest> translate(const nest::IsolatedNest& nest,
                                            const nest::Schedule& schedule,
                                            const std::string& symbol,
                                            ShowStage show) const override;
  std::unique_ptr<Tools> make_tools() const override;
  std::shared_ptr<const LoadedNest> load(const std::string& bytes,
                                         const std::string& symbol) const override;

  std::vector<std::string> fallbacks(const nest::IsolatedNest& nest,
                                     const nest::Schedule& schedule) const override;

private:
  Target target_;
  std::string words_; ///< see `target`: every nest's key holds them
};

} // namespace kolam::backend::cpu
