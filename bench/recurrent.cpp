// Recurrent networks as programs on lists: a stacked LSTM beside oneDNN's, a selective scan beside
// a loop by hand.
#include "bench/families.h"
#include "bench/lstm.h"
#include "bench/operands.h"
#include "bench/peers.h"
#include "bench/selective_scan.h"

namespace kolam::bench {
namespace {

using Rows = fractal::FractalTensor<Tensor>;

double bytes(const Array& array) { return static_cast<double>(array.byte_count()); }

Case lstm_case(const LstmSize& size, double goal) {
  const LstmOperands operands = random_lstm(size);
  auto by_sequence = [=](const std::vector<double>& rows) {
    return turned(rows, size.steps, size.batch, size.hidden);
  };
  Peer onednn = onednn_lstm(operands.x, operands.for_x, operands.for_state, operands.bias);
  if (onednn.result)
    onednn.result = [=, result = onednn.result] { return by_sequence(result()); };
  auto f = jit(stacked_lstm);
  const Sequences batch = operands.batch();
  const LstmLayers layers = operands.layers();
  return {.work = {.flops = size.flops(),
                   .reads = bytes(operands.x) + bytes(operands.for_x) + bytes(operands.for_state) +
                            bytes(operands.bias),
                   .writes = bytes(operands.x)},
          .goal = goal,
          .ours = [=] { return fractal::flatten(f(batch, layers)).array(); },
          .reference = [=] { return by_sequence(lstm_of(operands)); },
          .tolerance = 1e-4,
          .peers = {onednn}};
}

/// As in Mamba: h[t] = exp(delta[t] a) h[t - 1] + delta[t] x[t] b[t], y[t] = the sum over the
/// states of h[t] c[t]; a and h are [width, states], x and delta [width], b and c [states] a step.
Rows selective_scan(Rows x, Rows delta, Tensor a, Rows b, Rows c) {
  auto next = [&](Tensor h, Tensor x, Tensor delta, Tensor b) {
    const Tensor step = expand_dims(delta, 1);
    return exp(step * a) * h + step * expand_dims(x, 1) * b;
  };
  const Rows h = fractal::scan(next, fractal::zip(x, delta, b), zeros(a.shape()));
  return fractal::map([](Tensor h, Tensor c) { return sum(h * c, 1); }, fractal::zip(h, c));
}

Case selective_scan_case(SelectiveScan size) {
  constexpr int64_t kStates = SelectiveScan::kStates;
  auto positive = [](const Array& array, double scale) {
    return jit([=](Tensor x) { return abs(x) * scale; })(array).array();
  };
  const Array x = random_array(DType::f32, {size.steps, size.width}, 1),
              delta = positive(random_array(DType::f32, {size.steps, size.width}, 2), 0.1),
              a = positive(random_array(DType::f32, {size.width, kStates}, 3), -4.0),
              b = random_array(DType::f32, {size.steps, kStates}, 4),
              c = random_array(DType::f32, {size.steps, kStates}, 5);
  auto f = jit(selective_scan);
  auto ours = [=, rows_x = Rows::from_offsets(x), rows_delta = Rows::from_offsets(delta),
               rows_b = Rows::from_offsets(b), rows_c = Rows::from_offsets(c)] {
    return fractal::stack(f(rows_x, rows_delta, a, rows_b, rows_c)).array();
  };
  auto reference = [=] {
    std::vector<double> y(static_cast<size_t>(size.steps * size.width));
    fused_selective_scan(size, to_doubles(x).data(), to_doubles(delta).data(), to_doubles(a).data(),
                         to_doubles(b).data(), to_doubles(c).data(), y.data());
    return y;
  };
  Array y = Array::uninitialized(DType::f32, x.shape());
  auto cells = [](const Array& array) { return array.values<float>().data(); };
  auto loop = [=]() mutable {
    fused_selective_scan(size, cells(x), cells(delta), cells(a), cells(b), cells(c),
                         y.mutable_values<float>().data());
  };
  return {.work = {},
          .goal = 0.9,
          .ours = ours,
          .reference = reference,
          .tolerance = 1e-4,
          .peers = {peer("fused loop", y, loop)}};
}

} // namespace

void add_recurrent(Suite& suite) {
  auto add = [&](const LstmSize& size, double goal) {
    suite.push_back({size.name(), [=](int) { return lstm_case(size, goal); }});
  };
  add({.layers = 8, .steps = 64, .batch = 32, .hidden = 256}, 0.95);
  add({.layers = 8, .steps = 100, .batch = 64, .hidden = 512}, 0.95);
  add({.layers = 4, .steps = 64, .batch = 1, .hidden = 64}, 1.2);
  add({.layers = 4, .steps = 64, .batch = 1, .hidden = 256}, 1.2);
  add({.layers = 8, .steps = 64, .batch = 8, .hidden = 128}, 1.2);
  suite.push_back({"selective scan of 512 steps of 512x16",
                   [](int) { return selective_scan_case({.steps = 512, .width = 512}); }, true});
}

} // namespace kolam::bench
