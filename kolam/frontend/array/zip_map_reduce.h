/// The zip-map-reduce pattern: a scalar body over the zipped elements of tensors, then a reduction.
///
/// Source: SambaFlow, "Compose complex operations with parallel patterns" (sn_zipmapreduce).
#pragma once

#include "kolam/frontend/array/axis.h"
#include "kolam/frontend/array/monoid.h"

#include <span>

namespace kolam {

struct PatternOptions {
  /// SUM or ADD, PROD or MUL, MIN, MAX, MEAN, ANY, ALL, ARGMIN, ARGMAX in any case; empty: no
  /// reduction.
  std::string reduce = {};
  Axis axis = {}; ///< of the iteration space; all unless given
  bool keepdims = false;
};

using PatternBody = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// `zip_map_reduce` with a body on lists of scalars: one in per input, one out per result.
std::vector<Tensor> zip_map_reduce_list(const PatternBody& body, std::span<const Operand> inputs,
                                        const PatternOptions& options);
/// The same with a monoid (options.reduce stays empty): the results are what it unwraps.
std::vector<Tensor> zip_map_reduce_list(const PatternBody& body, std::span<const Operand> inputs,
                                        const Monoid& monoid, const PatternOptions& options);

/// result[i] = f(x[i], y[i], ...), then reduced over axes.
///
///     zip_map_reduce([](Tensor x, Tensor y) { return x * y; }, {x, y}, {.reduce = "sum", .axis =
///     -1})
///
/// The inputs broadcast, of any dtypes; f is called once, on traced scalars, and gives a scalar or
/// a pytree of them, a result for each. It may loop and branch, each element for itself
/// (`while_loop`, `cond`), use `iter_idx`, `imm`, `select`, elementwise functions, and outer
/// tensors: scalars as they are, larger ones by gathering. Reductions have dtypes and order as in
/// reduction.h; results lose their axes, or have 1 there with `keepdims`. Throws `[pattern-body]`
/// for what is no scalar, `[unknown-reduction]`, `[shape-mismatch]`, `[axis-out-of-range]`,
/// `[empty-reduction]`.
template <class F>
auto zip_map_reduce(F f, std::initializer_list<Operand> inputs, PatternOptions options = {}) {
  using Result = typename detail::CallSignature<F>::Result;
  std::optional<Result> structure;
  auto body = [&](const std::vector<Tensor>& cells) {
    structure = detail::call_with(f, cells);
    return detail::leaves_of(*structure);
  };
  std::vector<Tensor> results =
      zip_map_reduce_list(body, std::span(inputs.begin(), inputs.size()), options);
  const Tensor* next = results.data();
  return Pytree<Result>::unflatten(*structure, next);
}

/// The same reduced by a monoid, whose elements are what f gives: the results are what it unwraps.
template <class F>
std::vector<Tensor> zip_map_reduce(F f, std::initializer_list<Operand> inputs, const Monoid& monoid,
                                   PatternOptions options = {}) {
  auto body = [&](const std::vector<Tensor>& cells) {
    return detail::leaves_of(detail::call_with(f, cells));
  };
  return zip_map_reduce_list(body, std::span(inputs.begin(), inputs.size()), monoid, options);
}

/// The elements of the inputs (broadcast) combined by a monoid over axes: what it unwraps.
std::vector<Tensor> reduce(std::span<const Operand> inputs, const Monoid& monoid,
                           const Axis& axis = {}, bool keepdims = false);
inline std::vector<Tensor> reduce(std::initializer_list<Operand> inputs, const Monoid& monoid,
                                  const Axis& axis = {}, bool keepdims = false) {
  return reduce(std::span(inputs.begin(), inputs.size()), monoid, axis, keepdims);
}

/// In a body: the coordinate along `dim` of the iteration space, reduced dims included; a negative
/// dim counts from the end. Wraps where the dtype is too narrow. Throws `[iter-idx-outside]`
/// elsewhere and `[axis-out-of-range]`.
Tensor iter_idx(int64_t dim, DType dtype = DType::i32,
                std::source_location where = std::source_location::current());

/// A scalar of a dtype of its own: beside a bf16 tensor an f32 one gives f32. Throws
/// `[scalar-does-not-fit]`.
Tensor imm(const Operand& value, DType dtype);

/// cond ? x : y per element, where cond is boolean or an integer that is true unless 0. Both sides
/// are computed; a NaN in the other one does not leak. The sides are promoted to one dtype. Throws
/// `[dtype-mismatch]` for a float cond.
Tensor select(const Operand& cond, const Operand& x, const Operand& y);

} // namespace kolam
