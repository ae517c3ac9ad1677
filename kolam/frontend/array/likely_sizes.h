/// The sizes of the call for which a program is traced.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <map>
#include <string>

namespace kolam {
struct TensorSpec;

namespace detail {

/// While it lives, what is traced on this thread can ask which sizes the symbols of its parameters
/// have in the call that asked for it. Nothing that holds at other sizes may rest on them.
class LikelySizes {
public:
  /// Of parameters, and of the arguments they stand for; a shape may be missing.
  LikelySizes(const std::vector<TensorSpec>& parameters,
              const std::vector<std::vector<int64_t>>& arguments);
  ~LikelySizes();
  LikelySizes(const LikelySizes&) = delete;
  LikelySizes& operator=(const LikelySizes&) = delete;

  /// By symbol; none outside of a trace, or where it is traced without a call.
  static const std::map<std::string, int64_t>& now();

private:
  std::map<std::string, int64_t> sizes_;
  const LikelySizes* outer_;
};

} // namespace detail
} // namespace kolam
