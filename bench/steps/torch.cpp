// Steps by libtorch, in C++: modules made once, inference mode.
#include "bench/steps/torch.h"

#include <torch/torch.h>

namespace kolam::bench {
namespace {

torch::Dtype type_of(bool is_narrow) { return is_narrow ? torch::kBFloat16 : torch::kFloat32; }

} // namespace

bool has_torch() {
  torch::set_num_threads(1);
  return true;
}

std::function<void()> torch_lstm(int64_t layers, int64_t size, bool is_narrow) {
  torch::nn::LSTM module(torch::nn::LSTMOptions(size, size).num_layers(layers));
  module->to(type_of(is_narrow));
  module->eval();
  auto options = torch::TensorOptions().dtype(type_of(is_narrow));
  auto x = torch::randn({1, 1, size}, torch::kFloat32).to(options.dtype());
  auto h = torch::zeros({layers, 1, size}, options), c = torch::zeros({layers, 1, size}, options);
  return [=]() mutable {
    c10::InferenceMode mode;
    auto [y, state] = module->forward(x, std::make_tuple(h, c));
    std::tie(h, c) = state;
  };
}

std::function<void()> torch_mlp(const std::vector<int64_t>& widths, bool is_narrow) {
  torch::nn::Sequential module;
  for (size_t layer = 0; layer + 1 < widths.size(); ++layer) {
    module->push_back(torch::nn::Linear(widths[layer], widths[layer + 1]));
    if (layer + 2 < widths.size())
      module->push_back(torch::nn::ReLU());
  }
  module->to(type_of(is_narrow));
  module->eval();
  auto x = torch::randn({1, widths[0]}, torch::kFloat32).to(type_of(is_narrow));
  return [=]() mutable {
    c10::InferenceMode mode;
    module->forward(x);
  };
}

/// The keys and values lie in rings that a step writes one row of.
std::function<void()> torch_window_attention(int64_t inner, int64_t heads, int64_t keys) {
  std::vector<torch::nn::Linear> projections;
  for (int i = 0; i < 4; ++i)
    projections.emplace_back(torch::nn::LinearOptions(inner, inner).bias(false));
  const int64_t width = inner / heads;
  auto k = torch::zeros({heads, keys, width}), v = torch::zeros({heads, keys, width});
  auto x = torch::randn({1, inner});
  auto place = std::make_shared<int64_t>(0);
  return [=]() mutable {
    c10::InferenceMode mode;
    auto heads_of = [&](int number) {
      return projections[static_cast<size_t>(number)]->forward(x).view({heads, 1, width});
    };
    auto q = heads_of(0);
    k.narrow(1, *place, 1).copy_(heads_of(1));
    v.narrow(1, *place, 1).copy_(heads_of(2));
    *place = (*place + 1) % keys;
    auto weights = torch::softmax(torch::bmm(q, k.transpose(1, 2)) / std::sqrt(double(width)), -1);
    projections[3]->forward(torch::bmm(weights, v).view({1, inner}));
  };
}

} // namespace kolam::bench
