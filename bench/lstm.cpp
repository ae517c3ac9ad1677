// Layers are a fold, steps a scan, sequences a map.
#include "bench/lstm.h"

#include "bench/families.h"
#include "bench/operands.h"

#include <cmath>

namespace kolam::bench {
namespace {

using Weights = std::tuple<Tensor, Tensor, Tensor>;
using State = std::tuple<Tensor, Tensor>; // h, c

State lstm_cell(const State& state, const Tensor& x, const Weights& weights) {
  const auto& [h, c] = state;
  const auto& [for_x, for_state, bias] = weights;
  const std::vector<Tensor> gates = split(matmul(x, for_x) + matmul(h, for_state) + bias, 4, 1);
  const Tensor next = sigmoid(gates[1]) * c + sigmoid(gates[0]) * tanh(gates[2]);
  return {sigmoid(gates[3]) * tanh(next), next};
}

fractal::FractalTensor<Tensor> lstm_layer(const fractal::FractalTensor<Tensor>& sequence,
                                          const Weights& weights) {
  const Tensor zero = zeros({1, std::get<1>(weights).shape()[0]});
  auto cell = [&](State state, Tensor x) { return lstm_cell(state, x, weights); };
  return std::get<0>(fractal::scan(cell, sequence, State(zero, zero)));
}

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

/// The cells of one layer of [layer, ...], in f64.
std::vector<double> layer_of(const Array& array, int64_t layer) {
  const std::vector<double> all = to_doubles(array);
  const auto size = static_cast<int64_t>(all.size()) / array.shape()[0];
  return {all.begin() + layer * size, all.begin() + (layer + 1) * size};
}

/// One layer in f64.
struct Layer {
  int64_t steps, batch, hidden;
  std::vector<double> for_x, for_state, bias;

  std::vector<double> run(const std::vector<double>& x) const {
    const int64_t cells = batch * hidden;
    const std::vector<double> from_x = product(x, for_x, steps * batch, hidden, 4 * hidden);
    std::vector<double> result, h(static_cast<size_t>(cells)), c = h;
    for (int64_t step = 0; step < steps; ++step) {
      const std::vector<double> from_h = product(h, for_state, batch, hidden, 4 * hidden);
      for (int64_t cell = 0; cell < cells; ++cell) {
        auto gate = [&](int64_t number) {
          const int64_t column = number * hidden + cell % hidden;
          const int64_t place = cell / hidden * 4 * hidden + column;
          return from_x[static_cast<size_t>(step * 4 * cells + place)] +
                 from_h[static_cast<size_t>(place)] + bias[static_cast<size_t>(column)];
        };
        double& state = c[static_cast<size_t>(cell)];
        state = sigmoid_of(gate(1)) * state + sigmoid_of(gate(0)) * std::tanh(gate(2));
        h[static_cast<size_t>(cell)] = sigmoid_of(gate(3)) * std::tanh(state);
      }
      result.insert(result.end(), h.begin(), h.end());
    }
    return result;
  }
};

} // namespace

std::string LstmSize::name() const {
  return "lstm of " + std::to_string(layers) + " layers, " + std::to_string(steps) + " steps of " +
         by({batch, hidden});
}

Sequences stacked_lstm(Sequences batch, LstmLayers layers) {
  return fractal::map(
      [&](fractal::FractalTensor<Tensor> sequence) {
        return fractal::fold(lstm_layer, layers, sequence);
      },
      batch);
}

Sequences LstmOperands::batch() const {
  const int64_t steps = x.shape()[0], batch = x.shape()[1], hidden = x.shape()[2];
  const Array leaves = jit([=](Tensor x) {
                         return reshape(permute_dims(x, {1, 0, 2}), {batch * steps, 1, hidden});
                       })(x)
                           .array();
  std::vector<int64_t> offsets;
  for (int64_t sequence = 0; sequence <= batch; ++sequence)
    offsets.push_back(sequence * steps);
  return Sequences::from_offsets(leaves, {Array::of<int64_t>(offsets)});
}

LstmLayers LstmOperands::layers() const {
  auto list = [](const Array& array) {
    return fractal::FractalTensor<Tensor>::from_offsets(array);
  };
  return fractal::zip(list(for_x), list(for_state), list(bias));
}

LstmOperands random_lstm(const LstmSize& size) {
  const double spread = 1 / std::sqrt(static_cast<double>(size.hidden));
  auto scaled = [=](int64_t rows, uint64_t seed) {
    const Array array = random_array(DType::f32, {size.layers, rows, 4 * size.hidden}, seed);
    return jit([=](Tensor w) { return w * spread; })(array).array();
  };
  return {random_array(DType::f32, {size.steps, size.batch, size.hidden}, 1),
          scaled(size.hidden, 2), scaled(size.hidden, 3), scaled(1, 4)};
}

std::vector<double> lstm_of(const LstmOperands& operands) {
  const std::vector<int64_t>& shape = operands.x.shape();
  std::vector<double> y = to_doubles(operands.x);
  for (int64_t layer = 0; layer < operands.for_x.shape()[0]; ++layer)
    y = Layer{shape[0],
              shape[1],
              shape[2],
              layer_of(operands.for_x, layer),
              layer_of(operands.for_state, layer),
              layer_of(operands.bias, layer)}
            .run(y);
  return y;
}

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

} // namespace kolam::bench
