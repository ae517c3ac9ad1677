/// Arguments and results that have tangents, the floats among them, and trees that stand beside
/// them.
#pragma once

#include "kolam/frontend/array/control.h"

#include <string>
#include <vector>

namespace kolam::detail {

/// How the user reaches each of some tensors: `tangents[0]["w"]`. None where that is not known.
using Names = std::vector<std::string>;

/// Throws `[not-scalar]` unless the tensor is a float scalar.
void require_scalar(const Tensor& result, const CallSite& call);

/// Throws `[not-differentiable]` unless there are floats among what a function gives.
void require_float_result(const Leaves& results, const CallSite& call);

/// Throws `[tangent-mismatch]` unless `given` has tensors at the places of those of `like`, and
/// none but empty ones beside those that are no floats. `what` are the user's words: "tangents", a
/// tuple, or "cotangent". How the user reaches each of them.
Names require_alongside(const Flat& given, const Flat& like, std::string_view what,
                        const CallSite& call);

/// The tensors of arguments that have tangents: those of floats.
class FloatLeaves {
public:
  /// Throws `[not-differentiable]` where there are none among the function's arguments `numbers`:
  /// all of them where none are given.
  FloatLeaves(Flat arguments, const CallSite& call, const std::vector<size_t>& numbers = {});
  const Leaves& floats() const { return floats_; }
  /// All leaves, floats replaced.
  Leaves with(const Leaves& floats) const;
  /// One for each leaf, empty for those that are no floats.
  Leaves spread(const Leaves& floats) const;
  /// Those of the floats, of one for each leaf.
  template <class T> std::vector<T> among(const std::vector<T>& leaves) const {
    std::vector<T> found;
    for (size_t number = 0; number < leaves.size(); ++number)
      if (is_float_[number])
        found.push_back(leaves[number]);
    return found;
  }
  const Flat& arguments() const { return arguments_; }

private:
  Flat arguments_;
  Leaves floats_;
  std::vector<bool> is_float_; ///< of each leaf
};

} // namespace kolam::detail
