/// Derivatives of functions of tensors.
#pragma once

#include "kolam/frontend/array/control.h"
#include "kolam/frontend/array/jit.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kolam {

namespace detail {

using LeavesFunction = std::function<Leaves(const Leaves&)>;

/// The linear part of a function at a point: what stands for its residuals, and the program of
/// tangents. May be called any number of times, inside a trace and outside.
class LinearFunction {
public:
  struct State;
  LinearFunction() = default;
  explicit LinearFunction(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  /// One tangent for each result of the function, zeros for one that does not depend on the
  /// arguments; empty for results of integers. Throws `[tangent-mismatch]`.
  Leaves forward(const Leaves& tangents, Operand::Here where) const;
  /// One cotangent for each argument, given one for each result; empty ones count as zero.
  Leaves transposed(const Leaves& cotangents, Operand::Here where) const;

private:
  std::shared_ptr<const State> state_;
};

/// Results of `body` at `primals`, tensors of floats, and its linear part there. Throws
/// `[not-differentiable]`.
struct LinearisedLeaves {
  Leaves results;
  LinearFunction linear;
};
LinearisedLeaves linearise(std::string_view function, const Leaves& primals,
                           const LeavesFunction& body, Operand::Here where);

/// Results of `body` and the gradients of the first, a scalar, to `primals`.
struct Gradients {
  Leaves results, gradients;
};
Gradients gradients(std::string_view function, const Leaves& primals, const LeavesFunction& body,
                    Operand::Here where);

/// Results of `body`, and their tangents; empty for integers.
struct Pushed {
  Leaves results, tangents;
};
Pushed push_forward(std::string_view function, const Leaves& primals, const Leaves& tangents,
                    const LeavesFunction& body, Operand::Here where);

/// The cotangents of the arguments of a function that is linear in them, which are like `like`.
/// Throws `[not-linear]`.
Leaves transpose_linear(const std::vector<TensorSpec>& like, const LeavesFunction& body,
                        const Leaves& cotangents, Operand::Here where);

/// What a rule of the user's gives of values of its own, then the function's arguments.
using RuleBody = std::function<Leaves(const Leaves& own, const Leaves& arguments)>;
/// `body` of `arguments`, the first `floats` of which are floats: to derivatives one op of that name
/// (kolam.composite), with a rule. Only a trace that differentiates sees it so.
///
/// | name | rules |
/// |---|---|
/// | stop_gradient, checkpoint | none |
/// | custom_jvp | of tangents of the floats: results, then tangents of those that are floats |
/// | custom_vjp | of nothing: results, then residuals; of these and cotangents: cotangents |
///
/// Throws `[custom-rule]` where a rule gives other numbers, dtypes or shapes.
Leaves composite(std::string_view name, const Leaves& arguments, size_t floats,
                 const LeavesFunction& body, const std::vector<RuleBody>& rules,
                 Operand::Here where);

/// Throws `[not-scalar]` unless the tensor is a float scalar.
void require_scalar(const Tensor& result, std::string_view function);

} // namespace detail

/// x, which derivatives take as constant.
Tensor stop_gradient(const Operand& x);

} // namespace kolam
