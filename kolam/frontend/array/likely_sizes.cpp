// Keeps the sizes of the call that is traced.
#include "kolam/frontend/array/likely_sizes.h"

#include "kolam/frontend/array/program.h"

namespace kolam::detail {

static thread_local const LikelySizes* innermost = nullptr;

LikelySizes::LikelySizes(const std::vector<TensorSpec>& parameters,
                         const std::vector<std::vector<int64_t>>& arguments)
    : outer_(innermost) {
  for (size_t number = 0; number < std::min(parameters.size(), arguments.size()); ++number)
    for (size_t dim = 0; dim < arguments[number].size(); ++dim)
      if (dim < parameters[number].shape.size())
        if (auto symbol = parameters[number].shape[dim].as_symbol())
          sizes_[*symbol] = arguments[number][dim];
  innermost = this;
}

LikelySizes::~LikelySizes() { innermost = outer_; }

const std::map<std::string, int64_t>& LikelySizes::now() {
  static const std::map<std::string, int64_t> none;
  return innermost ? innermost->sizes_ : none;
}

} // namespace kolam::detail
