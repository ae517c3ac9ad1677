/// What is kept of compiled code.
#pragma once

#include <cstdint>
#include <string>

namespace kolam {

/// The cache of compiled nests and programs: its entries on disk, and what it did for this process.
struct CacheInfo {
  std::string directory;                             ///< empty where nothing is kept on disk
  std::string reason;                                ///< why nothing is kept on disk; else empty
  int64_t entries = 0, bytes = 0, allowed_bytes = 0; ///< on disk
  int64_t shared = 0;   ///< nests that another program of the process had compiled
  int64_t loaded = 0;   ///< nests that were loaded from disk
  int64_t compiled = 0; ///< nests that were compiled
  int64_t damaged = 0;  ///< of these, nests whose entry on disk could not be used
};

/// What the cache of compiled nests holds and did.
///
/// Nests are kept in memory as long as a program uses them, and with the programs that they are of
/// on disk in KOLAM_CACHE_DIR, else in `$XDG_CACHE_HOME/kolam`, else in `~/.cache/kolam`, under a
/// hash of their ops, the processor and the build of Kolam. KOLAM_CACHE=off keeps nothing on disk.
/// A directory that belongs to another user, or that others may write, is not used: its entries run
/// with your rights.
CacheInfo cache_info();

/// Removes the compiled nests on disk. Programs of running processes keep theirs.
void clear_cache();

} // namespace kolam
