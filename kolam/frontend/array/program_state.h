/// What a Program holds. Internal: includes MLIR.
#pragma once

#include "kolam/driver/compile.h"
#include "kolam/frontend/array/program.h"

#include <mutex>

namespace kolam {

struct Program::State {
  driver::Module program;
  std::vector<Array> hidden; ///< arguments after the declared ones
  std::vector<std::string> parameter_names, result_names; ///< of a parsed program
  std::mutex mutex;          ///< guards what follows, and the MLIR context
  std::map<Backend, std::shared_ptr<const driver::Executable>> executables;

  std::shared_ptr<const driver::Executable> executable(Backend backend);
};

} // namespace kolam
