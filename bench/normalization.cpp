// Softmax and the norms over rows.
#include "bench/families.h"
#include "bench/operands.h"
#include "bench/peers.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace kolam::bench {
namespace {

constexpr double kEpsilon = 1e-5;

Work work_of(const Array& x) {
  const auto bytes = static_cast<double>(x.byte_count());
  return {.reads = bytes, .writes = bytes};
}

/// Every row of x by `normalize`, in f64.
std::function<std::vector<double>()> by_rows(const Array& x,
                                             std::function<void(std::span<double>)> normalize) {
  return [=] {
    std::vector<double> cells = to_doubles(x);
    const auto width = static_cast<size_t>(x.shape()[1]);
    for (size_t begin = 0; begin < cells.size(); begin += width)
      normalize(std::span(cells).subspan(begin, width));
    return cells;
  };
}

void normalize_softmax(std::span<double> row) {
  const double most = std::ranges::max(row);
  double sum = 0;
  for (double& cell : row)
    sum += cell = std::exp(cell - most);
  for (double& cell : row)
    cell /= sum;
}

double mean_square(std::span<const double> row) {
  double sum = 0;
  for (double cell : row)
    sum += cell * cell;
  return sum / static_cast<double>(row.size());
}

void scale_rms(std::span<double> row) {
  const double factor = 1 / std::sqrt(mean_square(row) + kEpsilon);
  for (double& cell : row)
    cell *= factor;
}

void centre(std::span<double> row) {
  double sum = 0;
  for (double cell : row)
    sum += cell;
  for (double& cell : row)
    cell -= sum / static_cast<double>(row.size());
}

Case softmax_case(std::vector<int64_t> shape, int threads) {
  Array x = random_array(DType::f32, shape, 1);
  auto f = jit([](Tensor x) { return softmax(x); });
  return {.work = work_of(x),
          .goal = 1.3,
          .ours = [=] { return f(x).array(); },
          .reference = by_rows(x, normalize_softmax),
          .tolerance = 1e-5,
          .peers = {onednn_softmax(x), numpy("softmax", shape, threads)}};
}

/// The peers that are judged are copies; `others` are shown beside them.
Case norm_case(const Array& x, std::function<Array()> ours,
               std::function<std::vector<double>()> reference, std::vector<Peer> others) {
  std::vector<Peer> peers = copies(2 * static_cast<double>(x.byte_count()));
  for (Peer& other : others) {
    other.judged = false;
    peers.push_back(other);
  }
  return {.work = work_of(x),
          .goal = 0.9,
          .ours = std::move(ours),
          .reference = std::move(reference),
          .tolerance = 1e-5,
          .peers = std::move(peers)};
}

Case layer_norm_case(std::vector<int64_t> shape) {
  Array x = random_array(DType::f32, shape, 1);
  Array weight = random_array(DType::f32, {shape[1]}, 2),
        bias = random_array(DType::f32, {shape[1]}, 3);
  auto f =
      jit([](Tensor x, Tensor w, Tensor b) { return layer_norm(x, w, b, {.epsilon = kEpsilon}); });
  auto reference =
      by_rows(x, [w = to_doubles(weight), b = to_doubles(bias)](std::span<double> row) {
        centre(row);
        scale_rms(row);
        for (size_t i = 0; i < row.size(); ++i)
          row[i] = row[i] * w[i] + b[i];
      });
  return norm_case(x, [=] { return f(x, weight, bias).array(); }, reference,
                   {onednn_layer_norm(x, weight, bias, kEpsilon)});
}

Case rms_norm_case(std::vector<int64_t> shape) {
  Array x = random_array(DType::f32, shape, 1), weight = random_array(DType::f32, {shape[1]}, 2);
  auto f = jit([](Tensor x, Tensor w) { return rms_norm(x, w, {.epsilon = kEpsilon}); });
  auto reference = by_rows(x, [w = to_doubles(weight)](std::span<double> row) {
    scale_rms(row);
    for (size_t i = 0; i < row.size(); ++i)
      row[i] *= w[i];
  });
  return norm_case(x, [=] { return f(x, weight).array(); }, reference, {});
}

} // namespace

void add_normalization(Suite& suite) {
  for (int64_t rows : {4096, 32768}) {
    const std::vector<int64_t> shape = {rows, 1024};
    suite.push_back(
        {"softmax " + by(shape), [=](int threads) { return softmax_case(shape, threads); }});
    suite.push_back({"layer norm " + by(shape), [=](int) { return layer_norm_case(shape); }});
    suite.push_back({"rms norm " + by(shape), [=](int) { return rms_norm_case(shape); }});
  }
}

} // namespace kolam::bench
