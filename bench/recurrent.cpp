// Recurrent networks as programs on lists: a stacked LSTM beside oneDNN's, a selective scan beside
// a loop by hand.
#include "bench/families.h"
#include "bench/operands.h"
#include "bench/peers.h"
#include "bench/selective_scan.h"

#include "kolam/frontend/fractal/access.h"

#include <cmath>

namespace kolam::bench {
namespace {

namespace lists = fractal::detail;
using fractal::Data;
using fractal::List;
using lists::Parts;

Tensor tensor_of(const fractal::Datum& datum) { return std::get<Tensor>(datum); }
List list_of(const fractal::Datum& datum) { return std::get<List>(datum); }

// ---- LSTM
// -----------------------------------------------------------------------------------------

struct Lstm {
  int64_t layers, steps, batch, hidden;

  double flops() const {
    return 16.0 * static_cast<double>(layers * steps * batch * hidden * hidden);
  }
  std::string name() const {
    return "lstm of " + std::to_string(layers) + " layers, " + std::to_string(steps) +
           " steps of " + by({batch, hidden});
  }
};

/// Gates i, f, g, o of [1, 4 hidden] side by side; gives h and c.
Data lstm_cell(const Tensor& h, const Tensor& c, const Tensor& x, const Data& weights) {
  const Tensor gates =
      matmul(x, tensor_of(weights[0])) + matmul(h, tensor_of(weights[1])) + tensor_of(weights[2]);
  const std::vector<Tensor> parts = split(gates, 4, 1);
  const Tensor next = sigmoid(parts[1]) * c + sigmoid(parts[0]) * tanh(parts[2]);
  return {sigmoid(parts[3]) * tanh(next), next};
}

/// The states h of a layer over a sequence of [1, hidden].
List lstm_layer(const List& sequence, const Data& weights) {
  const Tensor zero = zeros(sequence.leaf_shape(), DType::f32);
  return lists::scan({zero, zero}, {sequence}, {},
                     [&](const Data& given) {
                       return lstm_cell(tensor_of(given[0]), tensor_of(given[1]),
                                        tensor_of(given[2]), weights);
                     })
      .all[0];
}

/// The states h of the last layer over a batch of sequences.
List stacked_lstm(const List& batch, const Parts& layers) {
  return lists::map({batch}, [&](const Data& sequence) {
    return lists::scan(sequence, layers, {.name = "fold"},
                       [](const Data& given) {
                         return Data{
                             lstm_layer(list_of(given[0]), {given.begin() + 1, given.end()})};
                       })
        .last;
  })[0];
}

/// Each layer's part of `array`, one after the other, in f64.
std::vector<double> layer_of(const Array& array, int64_t layer) {
  const std::vector<double> all = to_doubles(array);
  const auto size = static_cast<int64_t>(all.size()) / array.shape()[0];
  return {all.begin() + layer * size, all.begin() + (layer + 1) * size};
}

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

/// A layer in f64; x and the result are [step][sequence][hidden].
std::vector<double> lstm_layer_of(const Lstm& size, const std::vector<double>& x,
                                  const std::vector<double>& w, const std::vector<double>& u,
                                  const std::vector<double>& b) {
  const int64_t hidden = size.hidden, cells = size.batch * hidden;
  std::vector<double> result, h(static_cast<size_t>(cells)), c = h;
  const std::vector<double> from_x = product(x, w, size.steps * size.batch, hidden, 4 * hidden);
  for (int64_t step = 0; step < size.steps; ++step) {
    const std::vector<double> from_h = product(h, u, size.batch, hidden, 4 * hidden);
    for (int64_t cell = 0; cell < cells; ++cell) {
      auto gate = [&](int64_t number) {
        const int64_t column = number * hidden + cell % hidden;
        const int64_t place = cell / hidden * 4 * hidden + column;
        return from_x[static_cast<size_t>(step * 4 * cells + place)] +
               from_h[static_cast<size_t>(place)] + b[static_cast<size_t>(column)];
      };
      double& state = c[static_cast<size_t>(cell)];
      state = sigmoid_of(gate(1)) * state + sigmoid_of(gate(0)) * std::tanh(gate(2));
      h[static_cast<size_t>(cell)] = sigmoid_of(gate(3)) * std::tanh(state);
    }
    result.insert(result.end(), h.begin(), h.end());
  }
  return result;
}

/// Rows of `width` of [outer][inner] as [inner][outer].
std::vector<double> turned(const std::vector<double>& rows, int64_t outer, int64_t inner,
                           int64_t width) {
  std::vector<double> result;
  for (int64_t i = 0; i < inner; ++i)
    for (int64_t o = 0; o < outer; ++o) {
      const auto row = rows.begin() + (o * inner + i) * width;
      result.insert(result.end(), row, row + width);
    }
  return result;
}

Case lstm_case(const Lstm& size, double goal) {
  const int64_t hidden = size.hidden, rows = size.steps * size.batch;
  // [step][sequence][hidden] for oneDNN; the same cells as lists, [sequence][step] of [1, hidden].
  const Array x = random_array(DType::f32, {size.steps, size.batch, hidden}, 1);
  const Array leaves =
      jit([=](Tensor x) { return reshape(permute_dims(x, {1, 0, 2}), {rows, 1, hidden}); })(x)
          .array();
  const double spread = 1 / std::sqrt(static_cast<double>(hidden));
  auto weights = [=](std::vector<int64_t> shape, uint64_t seed) {
    return jit([=](Tensor w) { return w * spread; })(random_array(DType::f32, shape, seed)).array();
  };
  const Array w = weights({size.layers, hidden, 4 * hidden}, 2),
              u = weights({size.layers, hidden, 4 * hidden}, 3),
              b = weights({size.layers, 1, 4 * hidden}, 4);
  std::vector<int64_t> starts;
  for (int64_t sequence = 0; sequence <= size.batch; ++sequence)
    starts.push_back(sequence * size.steps);
  const Array offsets = Array::of<int64_t>(starts);

  auto f = jit([](Tensor x, Tensor offsets, Tensor w, Tensor u, Tensor b) {
    const Parts layers = {lists::pack(w, {}), lists::pack(u, {}), lists::pack(b, {})};
    return lists::leaves(stacked_lstm(lists::pack(x, {offsets}), layers));
  });
  auto reference = [=] {
    std::vector<double> y = to_doubles(x);
    for (int64_t layer = 0; layer < size.layers; ++layer)
      y = lstm_layer_of(size, y, layer_of(w, layer), layer_of(u, layer), layer_of(b, layer));
    return turned(y, size.steps, size.batch, hidden);
  };
  Peer onednn = onednn_lstm(x, w, u, b);
  if (onednn.result)
    onednn.result = [=, result = onednn.result] {
      return turned(result(), size.steps, size.batch, hidden);
    };
  const auto bytes = [](const Array& array) { return static_cast<double>(array.byte_count()); };
  return {.work = {.flops = size.flops(),
                   .reads = bytes(x) + bytes(w) + bytes(u) + bytes(b),
                   .writes = bytes(x)},
          .goal = goal,
          .ours = [=] { return f(leaves, offsets, w, u, b).array(); },
          .reference = reference,
          .tolerance = 1e-4,
          .peers = {onednn}};
}

// ---- Selective scan
// ---------------------------------------------------------------------------------

/// h[t] = exp(delta[t] A) h[t - 1] + delta[t] x[t] B[t], y[t] = h[t] C[t], as in Mamba: A and h are
/// [width, states], x and delta [step][width], B and C [step][states].
List selective_scan(const List& x, const List& delta, const Tensor& a, const List& b,
                    const List& c) {
  const List states =
      lists::scan({zeros(a.shape(), DType::f32)}, {x, delta, b}, {}, [&](const Data& given) {
        const Tensor step = expand_dims(tensor_of(given[2]), 1);
        const Tensor input = expand_dims(tensor_of(given[1]), 1);
        return Data{exp(step * a) * tensor_of(given[0]) + step * input * tensor_of(given[3])};
      }).all[0];
  return lists::map({states, c}, [](const Data& given) {
    return Data{sum(tensor_of(given[0]) * tensor_of(given[1]), 1)};
  })[0];
}

Case selective_scan_case(SelectiveScan size) {
  const Array x = random_array(DType::f32, {size.steps, size.width}, 1),
              b = random_array(DType::f32, {size.steps, SelectiveScan::kStates}, 4),
              c = random_array(DType::f32, {size.steps, SelectiveScan::kStates}, 5);
  auto positive = [](const Array& array, double scale) {
    return jit([=](Tensor x) { return abs(x) * scale; })(array).array();
  };
  const Array delta = positive(random_array(DType::f32, {size.steps, size.width}, 2), 0.1),
              a = positive(random_array(DType::f32, {size.width, SelectiveScan::kStates}, 3), -4.0);
  auto f = jit([](Tensor x, Tensor delta, Tensor a, Tensor b, Tensor c) {
    return lists::leaves(selective_scan(lists::pack(x, {}), lists::pack(delta, {}), a,
                                        lists::pack(b, {}), lists::pack(c, {})));
  });
  auto reference = [=] {
    std::vector<double> y(static_cast<size_t>(size.steps * size.width));
    fused_selective_scan(size, to_doubles(x).data(), to_doubles(delta).data(), to_doubles(a).data(),
                         to_doubles(b).data(), to_doubles(c).data(), y.data());
    return y;
  };
  Array y = Array::uninitialized(DType::f32, x.shape());
  auto cells = [](const Array& array) { return static_cast<const float*>(array.data()); };
  auto loop = [=]() mutable {
    fused_selective_scan(size, cells(x), cells(delta), cells(a), cells(b), cells(c),
                         static_cast<float*>(y.mutable_data()));
  };
  return {.work = {},
          .goal = 0.9,
          .ours = [=] { return f(x, delta, a, b, c).array(); },
          .reference = reference,
          .tolerance = 1e-4,
          .peers = {peer("fused loop", y, loop)}};
}

} // namespace

void add_recurrent(Suite& suite) {
  auto add = [&](const Lstm& size, double goal) {
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
