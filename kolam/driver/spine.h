/// The spine: every stage from a traced program to machine code, in order.
#pragma once

#include "kolam/backend/cpu/load.h"
#include "kolam/driver/compile.h"
#include "kolam/nest/nest.h"

#include <map>
#include <optional>
#include <set>

namespace kolam::driver {

/// What a road can stop after. All but the last have a text.
enum class Stage : uint8_t { program, tensors, rewritten, nests, lowered, llvm, assembly, loaded };

/// What the stages have made of a program.
struct Road {
  Module program; ///< as of the last stage; `nests` points into it
  nest::NestList nests;
  std::vector<std::shared_ptr<const backend::cpu::LoadedNest>> loaded; ///< by nest
  std::map<Stage, std::string> texts;                                  ///< of the stages shown
  /// The program before its lists became tensors, where it has any and is to be run.
  std::optional<Module> on_lists = {};
  /// In which order the scans and maps of lists run, and why.
  std::vector<std::string> list_orders = {};
};

/// Runs every stage up to `last` on the program, and writes down what those of `shown` made.
/// "lowered", "llvm" and "assembly" are those of one nest after another.
Road travel(Module program, const Options& options, Stage last, const std::set<Stage>& shown = {});

} // namespace kolam::driver
