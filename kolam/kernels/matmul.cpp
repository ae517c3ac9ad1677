// Sums wait in a scratch array from block to block of the summed dim.
#include "kolam/kernels/matmul.h"

#include "kolam/frontend/array/activation.h"
#include "kolam/frontend/array/contraction.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/promotion.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/kernels/argument_checks.h"

namespace kolam::kernels {
namespace {

namespace pl = kolam::pallas;

/// The user's function, whose lines are the user's.
Tensor applied(const Activation& activation, const Tensor& x) {
  if (!activation)
    return x;
  CallbackScope own;
  return activation(x);
}

/// Blocks of one size, as few as `block_of` needs, so that the last reaches out of the dim by as
/// little as can be.
int64_t even_block(const Extent& extent, int64_t most) {
  const int64_t size = block_of(extent, most), all = extent.constant().value_or(size);
  if (size == all)
    return size;
  const int64_t count = (all + size - 1) / size;
  const int64_t least = (all + count - 1) / count;
  return least + least % 2; // pairs of bf16 are summed together
}

void start_at_zero(const pl::Ref& sums, int64_t axis) {
  pl::when(pl::program_id(axis) == 0, [&] { sums.set(zeros(sums.shape(), sums.dtype())); });
}

void at_last(int64_t axis, const std::function<void()>& body) {
  pl::when(pl::program_id(axis) == pl::num_programs(axis) - 1, body);
}

} // namespace

Tensor matmul(const Operand& x, const Operand& y, const MatmulOptions& options) {
  CallScope scope("matmul", x.where());
  Tensor left = tensor_of(x), right = tensor_of(y);
  const std::vector<Argument> arguments{{"x", left, "m k"}, {"y", right, "k n"}};
  Extents of = bind_dims(arguments);
  require_kind(Kind::numbers, arguments);
  require_count("block_m", options.block_m);
  require_count("block_n", options.block_n);
  require_count("block_k", options.block_k);
  const DType dtype = result_type({left, right});
  const DType out = options.out_dtype.value_or(dtype);
  const DType sums = product_sums(dtype, out);
  if (is_empty({of["m"], of["n"], of["k"]}))
    return astype(applied(options.activation, zeros({of["m"], of["n"]}, sums)), out);
  const int64_t m = block_of(of["m"], options.block_m), n = block_of(of["n"], options.block_n),
                k = block_of(of["k"], options.block_k);
  auto kernel = [&](const Refs& refs) {
    const pl::Ref &o = refs[2], &sum = refs[3];
    start_at_zero(sum, 2);
    sum.set(sum.get() + kolam::matmul(refs[0].get(), refs[1].get(), sums));
    at_last(2, [&] { o.set(astype(applied(options.activation, sum.get()), out)); });
  };
  pl::Call call{
      .out_shape = {{out, {of["m"], of["n"]}}},
      .grid = {ceildiv(of["m"], m), ceildiv(of["n"], n), ceildiv(of["k"], k)},
      .in_specs = {block_at({m, k}, [](const Point& at) { return Point{at[0], at[2]}; }),
                   block_at({k, n}, [](const Point& at) { return Point{at[2], at[1]}; })},
      .out_specs = {block_at({m, n}, [](const Point& at) { return Point{at[0], at[1]}; })},
      .scratch_shapes = {{sums, {m, n}}},
      .name = "matmul",
      .interpret = options.interpret,
  };
  return pl::pallas_call(kernel, call, {astype(left, dtype), astype(right, dtype)})[0];
}

Tensor mlp(const Operand& x, const Operand& w1, const Operand& w2, const MlpOptions& options) {
  CallScope scope("mlp", x.where());
  Tensor rows = tensor_of(x), first = tensor_of(w1), second = tensor_of(w2);
  std::vector<Argument> arguments{
      {"x", rows, "m k"}, {"w1", first, "k hidden"}, {"w2", second, "hidden n"}};
  Extents of = bind_dims(arguments);
  auto bias = [&](const std::optional<Operand>& given, const Extent& extent) {
    return given ? tensor_of(*given) : zeros({extent}, rows.dtype());
  };
  Tensor b1 = bias(options.b1, of["hidden"]), b2 = bias(options.b2, of["n"]);
  arguments.push_back({"b1", b1, "hidden"});
  arguments.push_back({"b2", b2, "n"});
  bind_dims(arguments);
  require_kind(Kind::floats, arguments);
  require_count("block_m", options.block_m);
  require_count("block_hidden", options.block_hidden);
  const DType dtype = result_type({rows, first, second, b1, b2}), sums = sums_of(dtype);
  const Shape shape{of["m"], of["n"]};
  if (is_empty({of["m"], of["n"], of["k"], of["hidden"]}))
    return broadcast_to(astype(b2, dtype), shape);
  const int64_t m = block_of(of["m"], options.block_m);
  const int64_t units = even_block(of["hidden"], options.block_hidden);
  const bool fits = of["hidden"].constant().value_or(-1) % units == 0;
  auto kernel = [&](const Refs& refs) {
    const pl::Ref &o = refs[5], &sum = refs[6];
    start_at_zero(sum, 1);
    Tensor inner = kolam::matmul(refs[0].get(), refs[1].get(), sums) + astype(refs[2].get(), sums);
    inner = options.activation ? applied(options.activation, inner) : gelu(inner);
    if (!fits) // the last block reaches out of the hidden layer
      inner = where(pl::program_id(1) * units + arange(units, DType::i32) < of["hidden"], inner, 0);
    sum.set(sum.get() + kolam::matmul(astype(inner, dtype), refs[3].get(), sums));
    at_last(1, [&] { o.set(astype(sum.get() + astype(refs[4].get(), sums), dtype)); });
  };
  auto row = [](const Point& at) { return Point{at[0], Tensor(0)}; };
  pl::Call call{
      .out_shape = {{dtype, shape}},
      .grid = {ceildiv(of["m"], m), ceildiv(of["hidden"], units)},
      .in_specs = {block_at({m, of["k"]}, row),
                   block_at({of["k"], units},
                            [](const Point& at) { return Point{Tensor(0), at[1]}; }),
                   block_at({units}, [](const Point& at) { return Point{at[1]}; }),
                   block_at({units, of["n"]},
                            [](const Point& at) { return Point{at[1], Tensor(0)}; }),
                   block_at({of["n"]}, [](const Point&) { return Point{Tensor(0)}; })},
      .out_specs = {block_at({m, of["n"]}, row)},
      .scratch_shapes = {{sums, {m, of["n"]}}},
      .name = "mlp",
      .interpret = options.interpret,
  };
  return pl::pallas_call(kernel, call,
                         {astype(rows, dtype), astype(first, dtype), astype(b1, dtype),
                          astype(second, dtype), astype(b2, dtype)})[0];
}

} // namespace kolam::kernels
