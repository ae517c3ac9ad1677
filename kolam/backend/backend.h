/// The seam between the compiler and what runs its nests: a backend makes code of a nest and its
/// schedule, and loads it.
#pragma once

#include "kolam/nest/isolate.h"
#include "kolam/nest/schedule.h"
#include "kolam/support/abi.h"
#include "kolam/support/machine.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kolam::backend {

/// A nest that can be called as long as this lives.
class LoadedNest {
public:
  virtual ~LoadedNest() = default;
  LoadedNest(const LoadedNest&) = delete;
  LoadedNest& operator=(const LoadedNest&) = delete;
  const abi::NestCode& code() const { return code_; }

protected:
  LoadedNest() = default;
  abi::NestCode code_;
};

/// What a thread needs to finish one nest after the other, and what is dear to make.
class Tools {
public:
  virtual ~Tools() = default;
};

using Phases = std::vector<std::pair<std::string, double>>; ///< seconds by name, in order

/// A nest on its way to code, apart from MLIR's context: threads may finish several at once.
class UnfinishedNest {
public:
  virtual ~UnfinishedNest() = default;
  /// The bytes of its code: they can be kept on disk and loaded by another process. Called once,
  /// with tools of the same backend.
  virtual std::string finish(Tools& tools) = 0;
  /// What it has taken until now, by phase; none where nobody holds a clock.
  virtual Phases phases() const { return {}; }
};

/// Called after each stage of a backend with its number and what prints it; true: this was the
/// last one that is wanted.
using ShowStage = llvm::function_ref<bool(size_t stage, llvm::function_ref<std::string()> text)>;

/// Makes code for one target. Never changes, and may be used by several threads at once.
class Backend {
public:
  virtual ~Backend() = default;

  /// As users write it: "cpu".
  virtual std::string_view name() const = 0;
  /// The target in words, all that code for it depends on beside the nest, its schedule and the
  /// build of the compiler.
  virtual std::string target() const = 0;
  /// Which build of the compiler makes the code; empty where that cannot be told, and then no code
  /// is kept on disk.
  virtual std::string build() const = 0;
  /// What schedules are chosen for.
  virtual const Machine& machine() const = 0;
  /// Throws `[unknown-target]` where the target's code cannot run here.
  virtual void require_runnable() const = 0;

  /// Names of what a nest is between its schedule and its code, in order: "lowered", "llvm".
  virtual std::vector<std::string> stages() const = 0;
  /// Code for a nest by its schedule; the bytes name it `symbol`. Null where `show` ended it.
  virtual std::unique_ptr<UnfinishedNest> translate(const nest::IsolatedNest& nest,
                                                    const nest::Schedule& schedule,
                                                    const std::string& symbol,
                                                    ShowStage show) const = 0;
  virtual std::unique_ptr<Tools> make_tools() const = 0;
  /// Throws `[internal]` for bytes that `finish` did not make.
  virtual std::shared_ptr<const LoadedNest> load(const std::string& bytes,
                                                 const std::string& symbol) const = 0;

  /// What in the code of a nest goes slower than its schedule says, in words: `gathers lanes`.
  virtual std::vector<std::string> fallbacks(const nest::IsolatedNest& nest,
                                             const nest::Schedule& schedule) const {
    (void)nest, (void)schedule;
    return {};
  }
  /// What goes wrong where the schedule is followed as it stands, the nest's symbols being `sizes`
  /// and parallel loops cut into `threads` parts; nullopt where the backend does not say, as most
  /// do, or where that is too long for it.
  virtual std::optional<std::vector<std::string>> check(const nest::Nest& nest,
                                                        const nest::Schedule& schedule,
                                                        const std::map<std::string, int64_t>& sizes,
                                                        int threads) const {
    (void)nest, (void)schedule, (void)sizes, (void)threads;
    return std::nullopt;
  }
};

} // namespace kolam::backend
