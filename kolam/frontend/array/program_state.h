/// What a Program holds. Internal: includes MLIR.
#pragma once

#include "kolam/driver/compile.h"
#include "kolam/frontend/array/program.h"

#include <array>
#include <atomic>
#include <mutex>

namespace kolam {

struct Program::State {
  /// What has been compiled; programs of equal text may share it.
  struct Compiled {
    std::map<std::string, std::string> layouts; ///< likewise, by buffer
    uint64_t layout_seed = 0;                   ///< see with_random_layouts
    std::mutex mutex;                           ///< guards the making
    /// All that were made; earlier ones may be running still.
    std::vector<std::shared_ptr<const driver::Executable>> made;
    std::array<std::atomic<const driver::Executable*>, 3> ready = {}; ///< by Backend, or null

    /// From now on runs take `executable`.
    void renew(Backend backend, std::shared_ptr<const driver::Executable> executable) {
      made.push_back(std::move(executable));
      ready[static_cast<size_t>(backend)].store(made.back().get(), std::memory_order_release);
    }
  };

  driver::Module program;
  std::vector<Array> hidden;                              ///< arguments after the declared ones
  driver::Prepared prepared;                              ///< of these
  std::vector<std::string> parameter_names, result_names; ///< of a parsed program
  std::map<std::string, std::string> schedules;           ///< given by hand, by nest
  std::map<std::string, std::string> layouts;             ///< likewise, by buffer
  uint64_t layout_seed = 0;                               ///< see with_random_layouts
  std::mutex mutex;                                       ///< guards the MLIR context
  std::shared_ptr<Compiled> compiled = std::make_shared<Compiled>();
  /// How many calls are interpreted before it is worth compiling (at_once.h).
  std::atomic<int> interpreted_calls = 0;

  driver::Options options(Backend backend = Backend::cpu) const;
  /// Made on the first call; then found without a lock. It lives as long as `compiled`.
  const driver::Executable& executable(Backend backend);
  /// What programs that may share compiled code have in common: their text, and the lines of ops
  /// whose errors name them.
  std::string sharing_key();
  /// Makes `program` use what `earlier`, of equal text, has compiled; hidden arguments stay its
  /// own.
  static void share_compiled(const Program& earlier, const Program& program);
  static State& of(const Program& program) { return *program.state_; }
};

} // namespace kolam
