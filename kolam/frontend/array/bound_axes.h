/// The vmaps around a call that have names, and users' rules for their instances. Internal:
/// includes MLIR.
#pragma once

#include "kolam/frontend/array/trace.h"
#include "kolam/transform/batch.h"

namespace kolam::detail {

/// A vmap whose function is being traced on this thread.
class BoundAxis {
public:
  /// `name` may be empty; `index` is the instance's number, where there is a name.
  BoundAxis(Trace& trace, std::string name, Tensor index, Extent size);
  ~BoundAxis();
  BoundAxis(const BoundAxis&) = delete;
  BoundAxis& operator=(const BoundAxis&) = delete;

  /// The innermost of that name in the trace that is running. Throws `[unbound-axis]`.
  static const BoundAxis& find(const std::string& name);
  /// Whether the trace that is running is in the function of a vmap.
  static bool any();

  const Tensor& index() const { return index_; }
  const Extent& size() const { return size_; }

private:
  Trace* trace_;
  std::string name_;
  Tensor index_;
  Extent size_;
};

/// While one lives on a thread, rules of the calls in functions of vmaps are kept.
class KeepRules {
public:
  KeepRules();
  ~KeepRules();
  KeepRules(const KeepRules&) = delete;
  KeepRules& operator=(const KeepRules&) = delete;
};
/// Gives what the rule of a call gives for all instances.
transform::CustomRule custom_rule(Trace& trace, const Extent& count);

} // namespace kolam::detail
