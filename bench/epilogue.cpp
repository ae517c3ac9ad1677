// Products with what follows them: bias, activation and residual, and whole layers.
#include "bench/families.h"
#include "bench/operands.h"
#include "bench/peers.h"

#include <cmath>

namespace kolam::bench {
namespace {

using Cells = std::vector<double>;

double size(const Array& array) { return static_cast<double>(array.size()); }

double gelu_of(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }

/// x w + bias in f64.
Cells affine(const Cells& x, const Array& w, const Array& bias, int64_t rows) {
  const int64_t k = w.shape()[0], n = w.shape()[1];
  Cells y = product(x, to_doubles(w), rows, k, n);
  const Cells offsets = to_doubles(bias);
  for (size_t i = 0; i < y.size(); ++i)
    y[i] += offsets[i % offsets.size()];
  return y;
}

/// gelu(x w + b) + residual with x [m, k], w [k, n].
Case gelu_residual(int64_t m, int64_t n, int64_t k) {
  Array x = random_array(DType::f32, {m, k}, 1), w = random_array(DType::f32, {k, n}, 2);
  Array b = random_array(DType::f32, {n}, 3), residual = random_array(DType::f32, {m, n}, 4);
  auto f = jit([w, b](Tensor x, Tensor residual) { return gelu(matmul(x, w) + b) + residual; });
  auto reference = [=] {
    Cells y = affine(to_doubles(x), w, b, m);
    const Cells added = to_doubles(residual);
    for (size_t i = 0; i < y.size(); ++i)
      y[i] = gelu_of(y[i]) + added[i];
    return y;
  };
  Epilogue epilogue{.bias = b, .gelu = true, .residual = residual};
  Peer calls = onednn_matmul("oneDNN calls", x, w, DType::f32, epilogue);
  epilogue.fused = true;
  Peer fused = onednn_matmul("oneDNN fused", x, w, DType::f32, epilogue);
  fused.judged = false; // the goal is stated against calls one after the other
  return {.work = {.flops = 2 * size(x) * static_cast<double>(n),
                   .reads = 4 * (size(x) + size(w) + size(b) + size(residual)),
                   .writes = 4 * size(residual)},
          .goal = 1.05,
          .ours = [=] { return f(x, residual).array(); },
          .reference = reference,
          .tolerance = 1e-5,
          .peers = {calls, fused}};
}

/// Layers 784, 1024, 1024, 10 on `rows` samples.
Case mlp(int64_t rows) {
  constexpr int64_t kWidths[] = {784, 1024, 1024, 10};
  Array x = random_array(DType::f32, {rows, kWidths[0]}, 1);
  std::vector<Array> weights, biases;
  Work work{.reads = 4 * size(x), .writes = 4.0 * static_cast<double>(rows * 10)};
  for (size_t layer = 0; layer < 3; ++layer) {
    weights.push_back(random_array(DType::f32, {kWidths[layer], kWidths[layer + 1]}, layer + 2));
    biases.push_back(random_array(DType::f32, {kWidths[layer + 1]}, layer + 5));
    work.flops += 2 * static_cast<double>(rows) * size(weights.back());
    work.reads += 4 * (size(weights.back()) + size(biases.back()));
  }
  auto f = jit([weights, biases](Tensor x) {
    x = relu(matmul(x, weights[0]) + biases[0]);
    x = relu(matmul(x, weights[1]) + biases[1]);
    return matmul(x, weights[2]) + biases[2];
  });
  auto reference = [=] {
    Cells cells = to_doubles(x);
    for (size_t layer = 0; layer < 3; ++layer) {
      cells = affine(cells, weights[layer], biases[layer], rows);
      for (double& cell : cells)
        cell = layer < 2 ? std::max(cell, 0.0) : cell;
    }
    return cells;
  };
  return {.work = work,
          .goal = 1.05,
          .ours = [=] { return f(x).array(); },
          .reference = reference,
          .tolerance = 1e-4,
          .peers = {onednn_mlp(x, weights, biases)}};
}

} // namespace

void add_epilogue(Suite& suite) {
  suite.push_back({"matmul + bias + gelu + residual 512x3072x768",
                   [](int) { return gelu_residual(512, 3072, 768); }});
  for (int64_t rows : {64, 512})
    suite.push_back({"mlp 784-1024-1024-10 of " + std::to_string(rows) + " rows",
                     [=](int) { return mlp(rows); }});
}

} // namespace kolam::bench
