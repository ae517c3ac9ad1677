// A loop over all steps, for a block of channels.
#include "kolam/kernels/selective_scan.h"

#include "kolam/frontend/array/control.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/promotion.h"
#include "kolam/frontend/array/reduction.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/kernels/argument_checks.h"

namespace kolam::kernels {
namespace {

namespace pl = kolam::pallas;

Tensor column(const Tensor& x) { return expand_dims(x, {1}); }
Tensor row(const Tensor& x) { return expand_dims(x, {0}); }

} // namespace

Tensor selective_scan(const Operand& u, const Operand& delta, const Operand& A, const Operand& B,
                      const Operand& C, const std::optional<Operand>& D,
                      const SelectiveScanOptions& options) {
  CallScope scope("selective_scan", u.where());
  std::vector<Argument> arguments{{"u", tensor_of(u), "batch length channels"},
                                  {"delta", tensor_of(delta), "batch length channels"},
                                  {"A", tensor_of(A), "channels states"},
                                  {"B", tensor_of(B), "batch length states"},
                                  {"C", tensor_of(C), "batch length states"}};
  if (D)
    arguments.push_back({"D", tensor_of(*D), "channels"});
  Extents of = bind_dims(arguments);
  require_kind(Kind::floats, arguments);
  require_count("block_channels", options.block_channels);
  if (!D)
    arguments.push_back({"D", zeros({of["channels"]}, arguments[0].tensor.dtype()), "channels"});
  std::vector<Tensor> inputs;
  for (const Argument& given : arguments)
    inputs.push_back(given.tensor);
  const DType dtype = result_type(inputs), sums = sums_of(dtype);
  for (Tensor& input : inputs)
    input = astype(input, dtype);
  if (is_empty({of["batch"], of["length"], of["channels"], of["states"]}))
    return inputs[0] * inputs[5];
  const Extent& states = of["states"];
  const Extent& length = of["length"];
  const int64_t channels = block_of(of["channels"], options.block_channels);
  auto kernel = [&](const Refs& refs) {
    const pl::Ref& y = refs[6];
    auto wide = [&](const pl::Ref& ref) { return astype(ref.get(), sums); };
    Tensor a = permute_dims(wide(refs[2]), {1, 0}); // [states, channels]
    Tensor d = wide(refs[5]);
    auto step = [&](const Tensor& t, const Tensor& h) {
      Tensor now = wide(refs[0].at({t})), by = wide(refs[1].at({t}));
      Tensor next = exp(row(by) * a) * h + row(by * now) * column(wide(refs[3].at({t})));
      Tensor out = sum(next * column(wide(refs[4].at({t}))), 0) + d * now;
      y.at({t}).set(astype(out, dtype));
      return next;
    };
    fori_loop(0, length, step, zeros({states, channels}, sums));
  };
  auto of_channels = block_at({pl::squeezed, length, channels},
                              [](const Point& at) { return Point{at[0], Tensor(0), at[1]}; });
  auto of_states = block_at({pl::squeezed, length, states},
                            [](const Point& at) { return Point{at[0], Tensor(0), Tensor(0)}; });
  pl::Call call{
      .out_shape = {{dtype, {of["batch"], of["length"], of["channels"]}}},
      .grid = {of["batch"], ceildiv(of["channels"], channels)},
      .in_specs = {of_channels, of_channels,
                   block_at({channels, states},
                            [](const Point& at) { return Point{at[1], Tensor(0)}; }),
                   of_states, of_states,
                   block_at({channels}, [](const Point& at) { return Point{at[1]}; })},
      .out_specs = {of_channels},
      .name = "selective_scan",
      .interpret = options.interpret,
  };
  return pl::pallas_call(kernel, call, {inputs.begin(), inputs.end()})[0];
}

} // namespace kolam::kernels
