/// The CPU that code is generated for.
#pragma once

#include "kolam/support/machine.h"

#include <string>

namespace kolam::backend::cpu {

struct Target {
  std::string cpu;      ///< LLVM's name: "znver4", "haswell", "x86-64"
  std::string features; ///< LLVM's list: "+avx2,+fma"
  Machine machine;

  /// The machine that this runs on, or the CPU named by KOLAM_TARGET ("haswell", "x86-64") where
  /// that is set.
  static const Target& host();
  /// A named CPU; throws `[unknown-target]`.
  static Target named(const std::string& cpu);
  /// Throws `[unknown-target]` where this machine lacks instructions that code for the CPU has.
  void require_runnable() const;
  friend bool operator==(const Target&, const Target&) = default;
};

} // namespace kolam::backend::cpu
