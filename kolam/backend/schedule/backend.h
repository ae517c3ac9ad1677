/// Schedules run as they stand, without machine code: what the loops of a schedule compute is what
/// the program gets. Slow, and for finding out whether a schedule says all.
#pragma once

#include "kolam/backend/backend.h"

namespace kolam::backend::schedule {

/// Its code is the text of a nest and its schedule. A nest whose schedule computes an element twice
/// or never, or reads one that is not there, stops its program with `[internal]`.
class ScheduleBackend : public Backend {
public:
  /// Takes the schedules of this backend's machine.
  explicit ScheduleBackend(std::shared_ptr<const Backend> planned_for)
      : planned_for_(std::move(planned_for)) {}

  std::string_view name() const override { return "schedule"; }
  std::string target() const override { return planned_for_->target(); }
  /// Texts are not kept on disk.
  std::string build() const override { return ""; }
  const Machine& machine() const override { return planned_for_->machine(); }
  void require_runnable() const override {}
  std::vector<std::string> stages() const override { return {}; }
  std::unique_ptr<UnfinishedNest> translate(const nest::IsolatedNest& nest,
                                            const nest::Schedule& schedule,
                                            const std::string& symbol,
                                            ShowStage show) const override;
  std::unique_ptr<Tools> make_tools() const override { return std::make_unique<Tools>(); }
  std::shared_ptr<const LoadedNest> load(const std::string& bytes,
                                         const std::string& symbol) const override;
  std::optional<std::vector<std::string>> check(const nest::Nest& nest,
                                                const nest::Schedule& schedule,
                                                const std::map<std::string, int64_t>& sizes,
                                                int threads) const override;

private:
  std::shared_ptr<const Backend> planned_for_;
};

} // namespace kolam::backend::schedule
