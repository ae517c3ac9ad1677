// LSTMs, perceptrons and window attention as streams.
#include "bench/steps/models.h"

#include "bench/operands.h"
#include "bench/peers.h"
#include "bench/steps/torch.h"

#include <cmath>
#include <memory>

namespace kolam::bench {
namespace {

using layout::Stream;

constexpr int64_t kTraced = 8; ///< steps of the sequences that are traced

Array scaled(std::vector<int64_t> shape, uint64_t seed, DType dtype) {
  const double spread = 1 / std::sqrt(static_cast<double>(shape[0]));
  const Array array = random_array(DType::f32, std::move(shape), seed);
  return jit([=](Tensor w) { return astype(w * spread, dtype); })(array).array();
}

/// x w in f32; of narrow weights the operand is as narrow.
Tensor product(const Tensor& x, const Tensor& w) {
  return w.dtype() == DType::f32 ? matmul(x, w) : matmul(astype(x, w.dtype()), w, DType::f32);
}

/// Kolam's step of `f` over x [kTraced, width].
StepPeer ours(std::function<Tensor(Tensor)> f, int64_t width) {
  auto x = std::make_shared<Array>(random_array(DType::f32, {kTraced, width}, 9));
  auto stream =
      std::make_shared<Stream>(layout::stream(jit([=](Tensor x) { return f(x); }), {}, *x));
  auto y = std::make_shared<std::vector<float>>(
      static_cast<size_t>(*element_count(stream->results()[0].shape).constant()));
  return {"kolam", [=] { stream->into({std::span(*y)}, {x->slice_outer(0).values<float>()}); }};
}

void add(StepCase& row, Peer peer) {
  if (peer.seconds)
    row.runners.push_back({peer.name, [peer] { peer.seconds(1); }});
}
void add_torch(StepCase& row, std::function<void()> call) {
  if (has_torch())
    row.runners.push_back({"libtorch", std::move(call)});
}

struct LstmWeights {
  Array for_x, for_h, bias;
};

Tensor lstm(const Tensor& x, const LstmWeights& weights, int64_t size) {
  const Tensor zero = zeros({size});
  auto step = [&](std::tuple<Tensor, Tensor> state, Tensor x) {
    auto [h, c] = state;
    const std::vector<Tensor> gates =
        split(product(x, weights.for_x) + product(h, weights.for_h) + weights.bias, 4, 0);
    const Tensor next = sigmoid(gates[1]) * c + sigmoid(gates[0]) * tanh(gates[2]);
    const Tensor out = sigmoid(gates[3]) * tanh(next);
    return std::pair(std::tuple(out, next), out);
  };
  return scan(step, std::tuple(zero, zero), x).second;
}

StepCase lstm_case(std::string name, int64_t layers, int64_t size, DType dtype) {
  std::vector<LstmWeights> weights;
  int64_t bytes = 0;
  for (int64_t layer = 0; layer < layers; ++layer) {
    const auto seed = static_cast<uint64_t>(10 * layer);
    weights.push_back({scaled({size, 4 * size}, seed, dtype),
                       scaled({size, 4 * size}, seed + 1, dtype),
                       scaled({4 * size}, seed + 2, DType::f32)});
    for (const Array* array : {&weights.back().for_x, &weights.back().for_h, &weights.back().bias})
      bytes += array->byte_count();
    bytes += 8 * size;
  }
  auto f = [=](Tensor x) {
    for (const LstmWeights& layer : weights)
      x = lstm(x, layer, size);
    return x;
  };
  StepCase row{std::move(name), bytes, {ours(f, size)}};
  if (dtype == DType::f32)
    add(row, onednn_lstm(random_array(dtype, {1, 1, size}, 1),
                         scaled({layers, size, 4 * size}, 2, dtype),
                         scaled({layers, size, 4 * size}, 3, dtype),
                         scaled({layers, 1, 4 * size}, 4, dtype)));
  add_torch(row, torch_lstm(layers, size, dtype != DType::f32));
  return row;
}

StepCase mlp_case(std::string name, DType dtype) {
  std::vector<Array> weights;
  int64_t bytes = 0;
  const std::vector<int64_t> widths{256, 384, 384, 128};
  for (size_t layer = 0; layer + 1 < widths.size(); ++layer) {
    weights.push_back(scaled({widths[layer], widths[layer + 1]}, layer, dtype));
    weights.push_back(scaled({widths[layer + 1]}, layer + 9, DType::f32));
  }
  for (const Array& array : weights)
    bytes += array.byte_count();
  auto f = [=](Tensor x) {
    for (size_t layer = 0; layer < weights.size(); layer += 2) {
      x = product(x, weights[layer]) + weights[layer + 1];
      if (layer + 2 < weights.size())
        x = relu(x);
    }
    return x;
  };
  StepCase row{std::move(name), bytes, {ours(f, 256)}};
  if (dtype == DType::f32)
    add(row, onednn_mlp(random_array(dtype, {1, 256}, 1), {weights[0], weights[2], weights[4]},
                        {weights[1], weights[3], weights[5]}));
  add_torch(row, torch_mlp(widths, dtype != DType::f32));
  return row;
}

StepCase attention_case(std::string name) {
  const int64_t inner = 512, heads = 8, keys = 256;
  std::vector<Array> w;
  for (uint64_t number = 0; number < 4; ++number)
    w.push_back(scaled({inner, inner}, number, DType::f32));
  auto f = [=](Tensor x) {
    const int64_t steps = *x.shape()[0].constant();
    auto heads_of = [&](size_t number) {
      return permute_dims(reshape(matmul(x, w[number]), {steps, heads, inner / heads}), {1, 0, 2});
    };
    Tensor y =
        attention(heads_of(0), heads_of(1), heads_of(2), {.window = AttentionWindow{keys - 1, 0}});
    return matmul(reshape(permute_dims(y, {1, 0, 2}), {steps, inner}), w[3]);
  };
  StepCase row{std::move(name), 4 * inner * inner * 4 + 2 * keys * inner * 4, {ours(f, inner)}};
  add_torch(row, torch_window_attention(inner, heads, keys));
  return row;
}

} // namespace

std::vector<StepEntry> step_entries() {
  return {{"lstm 3x256 f32", [] { return lstm_case("lstm 3x256 f32", 3, 256, DType::f32); }},
          {"lstm 3x256 bf16", [] { return lstm_case("lstm 3x256 bf16", 3, 256, DType::bf16); }},
          {"lstm 2x64 f32", [] { return lstm_case("lstm 2x64 f32", 2, 64, DType::f32); }},
          {"mlp f32", [] { return mlp_case("mlp f32", DType::f32); }},
          {"mlp bf16", [] { return mlp_case("mlp bf16", DType::bf16); }},
          {"window attention", [] { return attention_case("window attention"); }}};
}

} // namespace kolam::bench
