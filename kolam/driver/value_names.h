/// The names of values in the text of a program, and where they are known.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace kolam::driver {

/// Follows a text from bracket to bracket. A value that is used before it is defined is refused:
/// MLIR's parser would put the one in a region for it, and frees that where the region is wrong
/// although it is in use.
class ValueNames {
public:
  explicit ValueNames(llvm::StringRef text) : text_(text) {}

  /// The word `func.func`: what the text before it defines is not known inside.
  void begin_function();
  /// A name of a block, behind which its parameters may stand.
  void begin_block() { waits_for_ = Parameters::of_block; }
  void open(char bracket);
  void close(char bracket);
  /// The name `name` stands behind the % at `at`. False where it is used and not known.
  bool see(llvm::StringRef name, size_t at);

private:
  enum class Parameters : uint8_t { none, of_function, of_block };

  bool defines(size_t at);
  bool knows(llvm::StringRef name) const;

  llvm::StringRef text_;
  std::vector<llvm::StringSet<>> scopes_{1}; ///< by the braces around the names
  llvm::StringSet<> parameters_;             ///< of the function
  size_t first_known_ = 0;                   ///< of `scopes_`
  Parameters waits_for_ = Parameters::none, inside_ = Parameters::none;
  int depth_ = 0, parameter_depth_ = 0;
  size_t decided_until_ = 0; ///< names that start before it are in one list, which ends with =
  bool is_definition_ = false;
};

} // namespace kolam::driver
