// Programs whose axes stand in the worse order, beside the same arithmetic in the better one.
#include "bench/families.h"
#include "bench/operands.h"
#include "bench/peers.h"

#include <cmath>

namespace kolam::bench {
namespace {

Array turned(const Array& x, const Axes& axes) {
  return jit([=](Tensor x) { return permute_dims(x, axes); })(x).array();
}

/// `ours` beside `better`, whose result's dims are `axes` of ours; each checks the other.
Case both_orders(double goal, std::function<Array()> ours, std::function<Array()> better,
                 const Axes& axes) {
  return {.work = {},
          .goal = goal,
          .ours = ours,
          .reference = [=] { return to_doubles(turned(better(), axes)); },
          .tolerance = 1e-4,
          .peers = {peer("better order", [=] { better(); })}};
}

Array floats(std::vector<int64_t> shape, uint64_t seed) {
  return random_array(DType::f32, std::move(shape), seed);
}

/// Vectors of three numbers by a matrix, and as long as one.
Case unit_vectors() {
  const Array rows = floats({1000000, 3}, 1), m = floats({3, 3}, 2);
  const Array columns = turned(rows, {1, 0}), mt = turned(m, {1, 0});
  auto unit = [](const Tensor& y, int64_t axis) {
    return y / sqrt(sum(y * y, axis, {.keepdims = true}));
  };
  auto ours = jit([=](Tensor x, Tensor m) { return unit(matmul(x, m), 1); });
  auto better = jit([=](Tensor x, Tensor m) { return unit(matmul(m, x), 0); });
  return both_orders(
      0.75, [=] { return ours(rows, m).array(); }, [=] { return better(columns, mt).array(); },
      {1, 0});
}

Case log_softmax_of_few() {
  const Array rows = floats({200000, 10}, 1), columns = turned(rows, {1, 0});
  auto ours = jit([](Tensor x) { return log_softmax(x, 1); });
  auto better = jit([](Tensor x) { return log_softmax(x, 0); });
  return both_orders(
      0.75, [=] { return ours(rows).array(); }, [=] { return better(columns).array(); }, {1, 0});
}

Case running_sums() {
  const Array rows = floats({4096, 1024}, 1), columns = turned(rows, {1, 0});
  auto running = [](const Tensor& x, int64_t axis) {
    return tanh(cumulative_sum(tanh(x), {.axis = axis}));
  };
  auto ours = jit([=](Tensor x) { return running(x, 1); });
  auto better = jit([=](Tensor x) { return running(x, 0); });
  return both_orders(
      0.7, [=] { return ours(rows).array(); }, [=] { return better(columns).array(); }, {1, 0});
}

enum class Channels : uint8_t { first, last };

/// A convolution of images whose channels come first or last.
Tensor filtered(const Tensor& x, const Tensor& w, Channels channels,
                ConvolutionWindow window = {}) {
  if (channels == Channels::first)
    return conv(x, w, window);
  return permute_dims(conv(permute_dims(x, {0, 3, 1, 2}), w, window), {0, 2, 3, 1});
}

ConvolutionWindow around(int64_t groups = 1) {
  return {.padding = PaddingPairs{{1, 1}}, .groups = groups};
}

/// relu(f), as a network's layers end.
Tensor ended(const Tensor& x) { return maximum(x, 0.0); }

Tensor bottlenecks(Tensor x, const std::vector<Tensor>& w, Channels channels) {
  for (size_t i = 0; i < w.size(); i += 3) {
    Tensor y = ended(filtered(x, w[i], channels));
    y = ended(filtered(y, w[i + 1], channels, around()));
    x = ended(filtered(y, w[i + 2], channels) + x);
  }
  return x;
}

Tensor separable_layers(Tensor x, const std::vector<Tensor>& w, Channels channels) {
  const int64_t groups = 128;
  for (size_t i = 0; i < w.size(); i += 2) {
    x = ended(filtered(x, w[i], channels, around(groups)));
    x = ended(filtered(x, w[i + 1], channels));
  }
  return x;
}

using Network = Tensor (*)(Tensor, const std::vector<Tensor>&, Channels);

Case network(Network layers, const Array& x, const std::vector<Array>& w) {
  const Array last = turned(x, {0, 2, 3, 1});
  auto ours = jit([=](Tensor x, std::vector<Tensor> w) { return layers(x, w, Channels::first); });
  auto better = jit([=](Tensor x, std::vector<Tensor> w) { return layers(x, w, Channels::last); });
  return both_orders(
      0.95, [=] { return ours(x, w).array(); }, [=] { return better(last, w).array(); },
      {0, 3, 1, 2});
}

/// Weights by which values neither grow nor shrink much.
Array weights(std::vector<int64_t> shape, uint64_t seed) {
  const double terms = static_cast<double>(shape[1] * shape[2] * shape[3]);
  return jit([=](Tensor w) { return w / std::sqrt(terms); })(floats(std::move(shape), seed))
      .array();
}

Case two_bottlenecks() {
  std::vector<Array> w;
  for (uint64_t block = 0; block < 2; ++block) {
    w.push_back(weights({64, 256, 1, 1}, 3 * block + 2));
    w.push_back(weights({64, 64, 3, 3}, 3 * block + 3));
    w.push_back(weights({256, 64, 1, 1}, 3 * block + 4));
  }
  return network(bottlenecks, floats({1, 256, 56, 56}, 1), w);
}

Case three_separable_layers() {
  std::vector<Array> w;
  for (uint64_t layer = 0; layer < 3; ++layer) {
    w.push_back(weights({128, 1, 3, 3}, 2 * layer + 2));
    w.push_back(weights({128, 128, 1, 1}, 2 * layer + 3));
  }
  return network(separable_layers, floats({1, 128, 56, 56}, 1), w);
}

/// Functions of elements, a softmax along axis 0 and functions of elements; `ours` turns before and
/// behind.
Case turned_softmax() {
  const Array x = floats({1024, 4096}, 1);
  auto before = [](const Tensor& x) { return sqrt(exp(tanh(x) * 0.5) + 1.0); };
  auto behind = [](const Tensor& x) { return tanh(log(x + 1.0) * 0.5) + x; };
  auto ours = jit([=](Tensor x) {
    const Tensor y = before(permute_dims(x, {1, 0}));
    return permute_dims(behind(softmax(y, 1)), {1, 0});
  });
  auto better = jit([=](Tensor x) { return behind(softmax(before(x), 0)); });
  return both_orders(
      0.7, [=] { return ours(x).array(); }, [=] { return better(x).array(); }, {0, 1});
}

/// (g h) g of many small matrices.
Case small_matrices() {
  const Array g = floats({100000, 4, 4}, 1), h = floats({100000, 4, 4}, 2);
  const Array gs = turned(g, {1, 2, 0}), hs = turned(h, {1, 2, 0});
  auto ours = jit([](Tensor g, Tensor h) { return matmul(matmul(g, h), g); });
  auto better = jit([](Tensor g, Tensor h) {
    auto product = [](const Tensor& x, const Tensor& y) { return einsum("ikn,kjn->ijn", {x, y}); };
    return product(product(g, h), g);
  });
  return both_orders(
      0.75, [=] { return ours(g, h).array(); }, [=] { return better(gs, hs).array(); }, {2, 0, 1});
}

} // namespace

void add_axis_orders(Suite& suite) {
  auto add = [&](std::string name, Case (*make)()) {
    suite.push_back({"axis order: " + name, [=](int) { return make(); }});
  };
  add("unit vectors after a 3x3 map 1000000x3", unit_vectors);
  add("log softmax 200000x10", log_softmax_of_few);
  add("tanh, running sum over the last, tanh 4096x1024", running_sums);
  add("two bottlenecks of 56x56, channels first", two_bottlenecks);
  add("three separable layers of 56x56, channels first", three_separable_layers);
  add("softmax between chains, turned by hand 1024x4096", turned_softmax);
  add("(g h) g of 100000 4x4", small_matrices);
}

} // namespace kolam::bench
