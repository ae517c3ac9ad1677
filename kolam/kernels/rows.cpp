// Rows are whole in a block, so a point needs nothing of its neighbours.
#include "kolam/kernels/rows.h"

#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/reduction.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/kernels/argument_checks.h"

namespace kolam::kernels {
namespace {

namespace pl = kolam::pallas;

/// What becomes of the rows of a block, in the dtype of sums.
using RowFunction = std::function<Tensor(const Tensor&)>;

/// Over all rows of x; the parameters, [n] each, scale and move the result.
Tensor over_rows(const std::string& function, const RowFunction& of_rows, const Tensor& x,
                 const std::vector<Argument>& parameters, int64_t block_rows,
                 const std::optional<pl::InterpretParams>& interpret) {
  if (x.rank() == 0)
    fail(ErrorKind::value, "rank-mismatch",
         "argument 'x': expected at least one dim, but got " + describe(x) +
             "; write reshape(x, {1})");
  std::vector<Argument> arguments{{"x", x, "rows n"}};
  arguments.insert(arguments.end(), parameters.begin(), parameters.end());
  require_kind(Kind::floats, arguments);
  require_count("block_rows", block_rows);
  const Extent n = x.extent(-1);
  if (is_empty(x.shape()))
    return x;
  Tensor rows = x.rank() == 2 ? x : reshape(x, {-1, n});
  arguments[0].tensor = rows;
  Extents of = bind_dims(arguments);
  const int64_t block = block_of(of["rows"], block_rows);
  auto row = [](const Point& at) { return Point{at[0], Tensor(0)}; };
  pl::Call call{
      .out_shape = {{x.dtype(), rows.shape()}},
      .grid = {ceildiv(of["rows"], block)},
      .in_specs = {block_at({block, n}, row)},
      .out_specs = {block_at({block, n}, row)},
      .name = function,
      .interpret = interpret,
  };
  std::vector<Operand> inputs{rows};
  for (const Argument& parameter : parameters) {
    call.in_specs.push_back(block_at({n}, [](const Point&) { return Point{Tensor(0)}; }));
    inputs.emplace_back(parameter.tensor);
  }
  auto kernel = [&](const Refs& refs) {
    const DType sums = sums_of(x.dtype());
    Tensor y = of_rows(astype(refs[0].get(), sums));
    if (refs.size() > 2)
      y = y * astype(refs[1].get(), sums);
    if (refs.size() > 3)
      y = y + astype(refs[2].get(), sums);
    refs.back().set(astype(y, x.dtype()));
  };
  return reshape(pl::pallas_call(kernel, call, inputs)[0], x.shape());
}

} // namespace

Tensor softmax(const Operand& x, const RowsOptions& options) {
  CallScope scope("softmax", x.where());
  auto of_rows = [](const Tensor& rows) {
    Tensor powers = exp(rows - max(rows, -1, {.keepdims = true}));
    return powers / sum(powers, -1, {.keepdims = true});
  };
  return over_rows("softmax", of_rows, tensor_of(x), {}, options.block_rows, options.interpret);
}

Tensor layer_norm(const Operand& x, const std::optional<Operand>& weight,
                  const std::optional<Operand>& bias, const RowNormOptions& options) {
  CallScope scope("layer_norm", x.where());
  Tensor all = tensor_of(x);
  std::vector<Argument> parameters;
  if (weight)
    parameters.push_back({"weight", tensor_of(*weight), "n"});
  else if (bias && all.rank() > 0)
    parameters.push_back({"weight", ones({all.extent(-1)}, all.dtype()), "n"});
  if (bias)
    parameters.push_back({"bias", tensor_of(*bias), "n"});
  auto of_rows = [&](const Tensor& rows) {
    Tensor centred = rows - mean(rows, -1, {.keepdims = true});
    Tensor variance = mean(centred * centred, -1, {.keepdims = true});
    return centred * rsqrt(variance + options.epsilon);
  };
  return over_rows("layer_norm", of_rows, all, parameters, options.block_rows, options.interpret);
}

Tensor rms_norm(const Operand& x, const std::optional<Operand>& weight,
                const RowNormOptions& options) {
  CallScope scope("rms_norm", x.where());
  std::vector<Argument> parameters;
  if (weight)
    parameters.push_back({"weight", tensor_of(*weight), "n"});
  auto of_rows = [&](const Tensor& rows) {
    return rows * rsqrt(mean(rows * rows, -1, {.keepdims = true}) + options.epsilon);
  };
  return over_rows("rms_norm", of_rows, tensor_of(x), parameters, options.block_rows,
                   options.interpret);
}

} // namespace kolam::kernels
