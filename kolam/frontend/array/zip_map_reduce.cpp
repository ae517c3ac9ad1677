// Records patterns.
#include "kolam/frontend/array/zip_map_reduce.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/monoid_captures.h"
#include "kolam/frontend/array/reduced_dims.h"
#include "kolam/frontend/array/scalar_body.h"
#include "kolam/interp/convert.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/named_reduction.h"
#include "kolam/language/promotion.h"

namespace kolam {
namespace {

using Yield = std::function<language::Values(language::Values)>;

/// The pattern without a monoid. `yield` turns what the body gives into the elements that are
/// reduced.
language::Pattern record_pattern(Trace& trace, const PatternBody& body, language::Values inputs,
                                 language::Axes dims, const Yield& yield) {
  language::Builder& b = trace.builder();
  language::Pattern pattern;
  pattern.inputs = language::broadcast(b, std::move(inputs));
  pattern.space = ir::shape_of(pattern.inputs[0]);
  pattern.dims = std::move(dims);
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value input : pattern.inputs)
    types.push_back(language::tensor_type(b, ir::dtype_of(input), {}));
  Trace::Region region = trace.region(
      types,
      [&](std::vector<Tensor> cells) {
        language::Values results;
        for (const Tensor& result : body(cells))
          results.push_back(trace.value_of(result));
        std::vector<Tensor> yielded;
        for (mlir::Value value : yield(std::move(results)))
          yielded.push_back(trace.wrap(value));
        return yielded;
      },
      BodyKind::cells, pattern.space);
  require_scalar_body(region.region->front());
  pattern.body = std::move(region.region);
  pattern.captures = std::move(region.captures);
  return pattern;
}

/// The dims that `axis` names in the space of the inputs.
language::Axes dims_in_space(const language::Values& inputs, const Axis& axis) {
  int64_t rank = 0;
  for (mlir::Value input : inputs)
    rank = std::max(rank, ir::rank_of(input));
  return reduced_dims(axis, rank);
}

language::Values keep_all(language::Builder& b, language::Values results,
                          const language::Axes& dims) {
  for (mlir::Value& result : results)
    result = language::keep_dims(b, result, dims);
  return results;
}

void require_inputs(std::span<const Operand> inputs) {
  if (inputs.empty())
    fail(ErrorKind::value, "no-operands", "expected one or more inputs, but got none");
}

language::Values unreduced(Trace& trace, const PatternBody& body, const language::Values& inputs) {
  auto same = [](language::Values results) { return results; };
  return language::zip_map_reduce(trace.builder(), record_pattern(trace, body, inputs, {}, same));
}

std::vector<DType> yielded_dtypes(const language::Pattern& pattern) {
  std::vector<DType> dtypes;
  for (mlir::Value value : pattern.body->front().getTerminator()->getOperands())
    dtypes.push_back(ir::dtype_of(value));
  return dtypes;
}

} // namespace

std::vector<Tensor> zip_map_reduce_list(const PatternBody& body, std::span<const Operand> inputs,
                                        const PatternOptions& options) {
  CallScope scope("zip_map_reduce", inputs.empty() ? SourceLocation() : inputs[0].where());
  require_inputs(inputs);
  if (options.reduce.empty()) {
    if (options.axis.axes())
      fail(ErrorKind::value, "unknown-reduction",
           "argument 'reduce': expected a reduction for the given axis, but got none");
    return apply_traced("zip_map_reduce", inputs,
                        [&](Trace& trace, const language::Values& values) {
                          return unreduced(trace, body, values);
                        });
  }
  language::NamedReduction named = language::parse_reduction(options.reduce);
  return apply_traced("zip_map_reduce", inputs, [&](Trace& trace, const language::Values& values) {
    language::Builder& b = trace.builder();
    language::Axes dims = dims_in_space(values, options.axis);
    std::vector<DType> given;
    language::Pattern pattern =
        record_pattern(trace, body, values, dims, [&](language::Values results) {
          for (mlir::Value result : results)
            given.push_back(ir::dtype_of(result));
          return language::elements_of(b, named, std::move(results), *trace.space(), dims);
        });
    if (named.refuses_empty)
      language::require_cells(b, pattern.space, dims);
    Extent count = language::reduced_count(pattern.space, dims);
    pattern.monoid = language::monoid_of(b, named, yielded_dtypes(pattern));
    language::Values results = language::zip_map_reduce(b, std::move(pattern));
    results = language::results_of(b, named, std::move(results), given, count);
    return options.keepdims ? keep_all(b, std::move(results), dims) : results;
  });
}

std::vector<Tensor> zip_map_reduce_list(const PatternBody& body, std::span<const Operand> inputs,
                                        const Monoid& monoid, const PatternOptions& options) {
  CallScope scope("zip_map_reduce", inputs.empty() ? SourceLocation() : inputs[0].where());
  require_inputs(inputs);
  if (!options.reduce.empty())
    fail(ErrorKind::value, "unknown-reduction",
         "argument 'reduce': expected no name beside a monoid, but got '" + options.reduce + "'");
  return apply_traced("zip_map_reduce", inputs, [&](Trace& trace, const language::Values& values) {
    language::Axes dims = dims_in_space(values, options.axis);
    auto same = [](language::Values results) { return results; };
    language::Pattern pattern = record_pattern(trace, body, values, dims, same);
    RecordedMonoid recorded = record_monoid(trace, monoid, yielded_dtypes(pattern));
    language::Values results = reduce_elements(trace, std::move(pattern), std::move(recorded));
    return options.keepdims ? keep_all(trace.builder(), std::move(results), dims) : results;
  });
}

std::vector<Tensor> reduce(std::span<const Operand> inputs, const Monoid& monoid, const Axis& axis,
                           bool keepdims) {
  CallScope scope("reduce", inputs.empty() ? SourceLocation() : inputs[0].where());
  require_inputs(inputs);
  return apply_traced("reduce", inputs, [&](Trace& trace, const language::Values& values) {
    language::Builder& b = trace.builder();
    language::Values operands = language::broadcast(b, values);
    language::Axes dims = dims_in_space(operands, axis);
    std::vector<DType> elements;
    for (mlir::Value operand : operands)
      elements.push_back(ir::dtype_of(operand));
    RecordedMonoid recorded = record_monoid(trace, monoid, elements);
    language::Values results =
        recorded.captures()
            ? reduce_elements(trace, pattern_of_cells(b, operands, dims), std::move(recorded))
            : language::reduce(b, operands, std::move(recorded.monoid), dims);
    return keepdims ? keep_all(b, std::move(results), dims) : results;
  });
}

Tensor iter_idx(int64_t dim, DType dtype, std::source_location where) {
  CallScope scope("iter_idx", {where.file_name(), static_cast<int>(where.line())});
  Trace* trace = Trace::current();
  if (!trace || !trace->space())
    fail(ErrorKind::runtime, "iter-idx-outside",
         "expected a call in the body of zip_map_reduce, but got one outside; an index over a "
         "whole array is arange");
  if (!is_integer(dtype))
    fail(ErrorKind::type, "dtype-mismatch",
         "argument 'dtype': expected integers, but got " + std::string(name(dtype)));
  language::Builder& b = trace->builder();
  dim = language::normalize_axis(dim, static_cast<int64_t>(trace->space()->size()), "dim");
  return trace->wrap(
      ir::IterIndexOp::create(b, language::tensor_type(b, dtype, {}), static_cast<uint64_t>(dim)));
}

Tensor imm(const Operand& value, DType dtype) {
  CallScope scope("imm", value.where());
  return std::visit(
      [&](const auto& scalar) -> Tensor {
        using T = std::decay_t<decltype(scalar)>;
        if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, Extent>) {
          return apply_one("imm", {with_dtype(value, dtype)},
                           [&](language::Builder& b, const language::Values& v) {
                             return language::cast(b, v[0], dtype);
                           });
        } else {
          language::require_fit(scalar, dtype);
          Array given = Array::scalar(scalar), result = interp::convert(given, dtype);
          if (is_integer(dtype) && !same_bits(interp::convert(result, given.dtype()), given))
            fail(ErrorKind::value, "scalar-does-not-fit",
                 "expected a scalar in the range of " + std::string(name(dtype)) + ", but got " +
                     given.to_string());
          return result;
        }
      },
      value.value());
}

Tensor select(const Operand& cond, const Operand& x, const Operand& y) {
  CallScope scope("select", cond.where());
  auto* tensor = std::get_if<Tensor>(&cond.value());
  bool is_float_cond =
      tensor ? is_float(tensor->dtype()) : std::holds_alternative<double>(cond.value());
  if (is_float_cond)
    fail(ErrorKind::type, "dtype-mismatch",
         "argument 'cond': expected booleans or integers, but got floats");
  if (tensor && tensor->dtype() == DType::boolean)
    return where(cond, x, y);
  // The condition has no say in the dtype of scalars beside it.
  return where(not_equal(cond, 0), x, y);
}

} // namespace kolam
