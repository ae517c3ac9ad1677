/// Results of the tasks of plans, kept from one run to the next.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace kolam {

namespace driver {
class KeptResults;
}

/// Keeps what tasks computed, under a hash of their piece, their offsets and the elements that they
/// read: a run that is repeated with some inputs changed computes only what reads these.
///
///     kolam::KeptResults kept(int64_t{1} << 30);
///     p.run({x, w}, {.kept = kept});
///
/// At most `bytes` in memory, and, where there is a directory, as many again in it, where later
/// processes and the workers of engines find them; what was used least recently goes. Copies share
/// it. Throws `[plan-option]` for bytes below 1, and `[io-write]` for a directory that can't be
/// had, belongs to another user or may be written by others.
class KeptResults {
public:
  explicit KeptResults(int64_t bytes, const std::string& directory = {});

  int64_t hits() const;    ///< tasks whose results were there
  int64_t misses() const;  ///< tasks whose results were not
  int64_t entries() const; ///< in memory
  int64_t bytes() const;   ///< in memory
  int64_t allowed_bytes() const { return allowed_bytes_; }
  const std::string& directory() const { return directory_; }
  const std::shared_ptr<driver::KeptResults>& store() const { return store_; }

private:
  int64_t allowed_bytes_;
  std::string directory_;
  std::shared_ptr<driver::KeptResults> store_;
};

} // namespace kolam
