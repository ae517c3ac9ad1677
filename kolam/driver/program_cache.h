/// Compiled programs on disk: a process that traces a program which an earlier one has compiled
/// goes on behind all stages.
#pragma once

#include "kolam/driver/compile.h"
#include "kolam/driver/compiled_program.h"

#include <optional>

namespace kolam::driver {

/// Where the compiled form of a program lies.
///
/// Its key is the program with its locations, the backend, its target and build, and which
/// arguments are captured. Programs from text, and those with schedules or layouts of their own,
/// have no place, nor have any where nothing is kept on disk.
class ProgramPlace {
public:
  ProgramPlace(const Module& program, const Options& options);

  /// The program and the code of its nests; nullopt where one of these does not lie there, or where
  /// other schedules have been measured since.
  std::optional<CompiledProgram> find() const;
  void keep(const CompiledProgram& program) const;

private:
  CacheDirectory directory_;
  std::shared_ptr<const backend::Backend> backend_;
  std::optional<ContentKey> key_; ///< none: the program has no place
};

} // namespace kolam::driver
