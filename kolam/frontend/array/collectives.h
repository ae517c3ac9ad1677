/// Collectives: what the function of a vmap that has a name says of all its instances.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace kolam {

/// The name of a vmap around, or the names of several.
class AxisNames {
public:
  AxisNames(const char* name) : names_{name} {}
  AxisNames(std::string name) : names_{std::move(name)} {}
  AxisNames(std::initializer_list<std::string> names) : names_(names) {}
  AxisNames(std::vector<std::string> names) : names_(std::move(names)) {}
  const std::vector<std::string>& names() const { return names_; }

private:
  std::vector<std::string> names_;
};

/// The number of the instance, int32, in the function of `vmap(f, {.axis_name = "i"})`.
///
///     vmap([](Tensor x) { return x + axis_index("i"); }, {.axis_name = "i"})(xs)   // xs[i] + i
///
/// Throws `[unbound-axis]` where no vmap around binds the name, as all that follow.
Tensor axis_index(const std::string& axis_name, Operand::Here where = Operand::Here::current());

/// How many instances there are, of several names their product.
Extent axis_size(const AxisNames& axis_name, Operand::Here where = Operand::Here::current());

/// The sum of x over all instances, the same for each: sum(x of all, axis 0), bit by bit.
///
///     vmap([](Tensor x) { return x / psum(x, "i"); }, {.axis_name = "i"})(xs)   // xs[i] / sum(xs)
///
/// All instances take part, also those that take another branch, or have stopped: with what they
/// hold. Booleans count as int32. It is linear, and its own transpose. Source: MPI's allreduce.
Tensor psum(const Operand& x, const AxisNames& axis_name);
/// psum(x) / axis_size: of integers a float.
Tensor pmean(const Operand& x, const AxisNames& axis_name);
/// The smallest of all instances; a derivative is shared among those that hold it.
Tensor pmin(const Operand& x, const AxisNames& axis_name);
/// The greatest of all instances.
Tensor pmax(const Operand& x, const AxisNames& axis_name);

} // namespace kolam
