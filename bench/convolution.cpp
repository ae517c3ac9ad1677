// Convolutions of one image.
#include "bench/families.h"
#include "bench/operands.h"
#include "bench/peers.h"

namespace kolam::bench {
namespace {

/// A square window over a square image.
struct Geometry {
  int64_t channels, filters, image, window, stride = 1;
  int64_t padding() const { return window / 2; }
  int64_t result() const { return (image + 2 * padding() - window) / stride + 1; }
};

/// One filter at one place, in f64.
double filtered(const Geometry& g, const double* x, const double* w, int64_t row, int64_t column) {
  double sum = 0;
  for (int64_t c = 0; c < g.channels; ++c)
    for (int64_t i = 0; i < g.window; ++i)
      for (int64_t j = 0; j < g.window; ++j) {
        const int64_t y = row * g.stride + i - g.padding(), z = column * g.stride + j - g.padding();
        if (y >= 0 && y < g.image && z >= 0 && z < g.image)
          sum += x[(c * g.image + y) * g.image + z] * w[(c * g.window + i) * g.window + j];
      }
  return sum;
}

std::vector<double> reference_of(const Geometry& g, const Array& x, const Array& w) {
  const std::vector<double> image = to_doubles(x), filters = to_doubles(w);
  std::vector<double> result;
  for (int64_t o = 0; o < g.filters; ++o)
    for (int64_t row = 0; row < g.result(); ++row)
      for (int64_t column = 0; column < g.result(); ++column)
        result.push_back(filtered(
            g, image.data(), filters.data() + o * g.channels * g.window * g.window, row, column));
  return result;
}

Case convolution(Geometry g, double goal) {
  Array x = random_array(DType::f32, {1, g.channels, g.image, g.image}, 1);
  Array w = random_array(DType::f32, {g.filters, g.channels, g.window, g.window}, 2);
  const ConvolutionWindow window{.strides = {g.stride},
                                 .padding = PaddingPairs{{g.padding(), g.padding()}}};
  auto f = jit([w, window](Tensor x) { return conv(x, w, window); });
  const double cells = static_cast<double>(g.filters * g.result() * g.result());
  return {.work = {.flops = 2 * cells * static_cast<double>(g.channels * g.window * g.window),
                   .reads = static_cast<double>(x.byte_count() + w.byte_count()),
                   .writes = 4 * cells},
          .goal = goal,
          .ours = [=] { return f(x).array(); },
          .reference = [=] { return reference_of(g, x, w); },
          .tolerance = 1e-5,
          .peers = {onednn_convolution(x, w, g.stride, g.padding())}};
}

} // namespace

void add_convolution(Suite& suite) {
  auto add = [&](std::string name, Geometry geometry, double goal) {
    suite.push_back({"convolution " + name, [=](int) { return convolution(geometry, goal); }});
  };
  add("3x3 64 to 64 of 56x56", {64, 64, 56, 3}, 0.90);
  add("3x3 256 to 256 of 14x14", {256, 256, 14, 3}, 0.90);
  add("1x1 256 to 64 of 56x56", {256, 64, 56, 1}, 0.95);
  add("7x7 stride 2 3 to 64 of 224x224", {3, 64, 224, 7, 2}, 0.80);
}

} // namespace kolam::bench
