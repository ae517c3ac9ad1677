// Sums, extremes and statistics along an axis.
#include "bench/families.h"
#include "bench/operands.h"
#include "bench/peers.h"

#include <algorithm>

namespace kolam::bench {
namespace {

using Cells = std::vector<double>;

/// f over the rows [rows, columns] in f64: each gives one element, or several.
std::function<Cells()> by_rows(const Array& x,
                               std::function<void(const double*, size_t, Cells&)> f) {
  return [=] {
    const Cells cells = to_doubles(x);
    const auto width = static_cast<size_t>(x.shape()[1]);
    Cells result;
    for (size_t begin = 0; begin < cells.size(); begin += width)
      f(cells.data() + begin, width, result);
    return result;
  };
}

void sum_of(const double* row, size_t width, Cells& result) {
  double sum = 0;
  for (size_t i = 0; i < width; ++i)
    sum += row[i];
  result.push_back(sum);
}

void argmax_of(const double* row, size_t width, Cells& result) {
  result.push_back(static_cast<double>(std::max_element(row, row + width) - row));
}

void mean_and_variance_of(const double* row, size_t width, Cells& result) {
  sum_of(row, width, result);
  const double mean = result.back() /= static_cast<double>(width);
  double squares = 0;
  for (size_t i = 0; i < width; ++i)
    squares += (row[i] - mean) * (row[i] - mean);
  result.push_back(squares / static_cast<double>(width));
}

/// Count, mean and sum of squared differences from it. Source: Chan, Golub, LeVeque, "Updating
/// formulae and a pairwise algorithm for computing sample variances", 1979.
struct Moments {
  Tensor count, mean, squares;
};
template <class Self> auto fields(Self& moments) {
  return std::tie(moments.count, moments.mean, moments.squares);
}

Moments merged(Moments a, Moments b) {
  Tensor count = a.count + b.count, safe = maximum(count, 1.0), difference = b.mean - a.mean;
  Tensor share = b.count / safe;
  return {count, a.mean + difference * share,
          a.squares + b.squares + difference * difference * a.count * share};
}

/// The statistics of a chunk in two passes over it.
Moments of_chunk(Tensor x) {
  Tensor mean = kolam::mean(x), difference = x - mean;
  return {astype(extent(x.shape()[0]), DType::f32), mean, sum(difference * difference)};
}

Monoid moments_monoid() {
  Array zero = Array::scalar(0.0f);
  return make_monoid(MonoidParts{
      .name = "moments",
      .zero = Moments{zero, zero, zero},
      .merge = merged,
      .wrap = [](Tensor x) { return Moments{Array::scalar(1.0f), x, Array::scalar(0.0f)}; },
      .unwrap =
          [](Moments m) { return std::vector<Tensor>{m.mean, m.squares / maximum(m.count, 1.0)}; },
      .wrap_all = of_chunk,
      .commutative = true});
}

Tensor mean_and_variance(Tensor x) {
  std::vector<Tensor> both = reduce({x}, moments_monoid(), 1);
  return stack({both[0], both[1]}, 1);
}

Case case_of(const Array& x, double goal, std::function<Array()> ours,
             std::function<Cells()> reference, double tolerance, Peer numpy) {
  return {.work = {.reads = static_cast<double>(x.byte_count())},
          .goal = goal,
          .ours = std::move(ours),
          .reference = std::move(reference),
          .tolerance = tolerance,
          .peers = {reading({x}), std::move(numpy)}};
}

Case reduction_case(Tensor (*f)(Tensor), void (*of_row)(const double*, size_t, Cells&),
                    std::string numpy_call, double tolerance, std::vector<int64_t> shape,
                    int threads) {
  Array x = random_array(DType::f32, shape, 1);
  return case_of(
      x, 0.95, [x, f = jit(f)] { return f(x).array(); }, by_rows(x, of_row), tolerance,
      numpy(numpy_call, shape, threads));
}

Case sum_axis_0(std::vector<int64_t> shape, double goal, int threads) {
  Array x = random_array(DType::f32, shape, 1);
  auto f = jit([](Tensor x) { return sum(x, 0); });
  auto reference = [=] {
    const Cells cells = to_doubles(x);
    const auto width = static_cast<size_t>(shape[1]);
    Cells sums(width, 0.0);
    for (size_t i = 0; i < cells.size(); ++i)
      sums[i % width] += cells[i];
    return sums;
  };
  return case_of(
      x, goal, [=] { return f(x).array(); }, reference, 1e-5, numpy("sum_axis_0", shape, threads));
}

} // namespace

void add_reduction(Suite& suite) {
  const std::vector<int64_t> in_l3 = {4096, 1024}, in_memory = {32768, 1024};
  auto add = [&](std::string name, auto f, auto of_row, std::string numpy_call, double tolerance) {
    suite.push_back({name + " " + by(in_memory), [=](int threads) {
                       return reduction_case(f, of_row, numpy_call, tolerance, in_memory, threads);
                     }});
  };
  add("sum over axis 1", [](Tensor x) { return sum(x, 1); }, sum_of, "sum_axis_1", 1e-5);
  add("argmax over axis 1", [](Tensor x) { return argmax(x, 1); }, argmax_of, "argmax", 0);
  add("mean and variance by wrap_all", mean_and_variance, mean_and_variance_of, "mean_and_variance",
      1e-5);
  suite.push_back({"sum over axis 0 " + by(in_l3),
                   [=](int threads) { return sum_axis_0(in_l3, 0.95, threads); }});
  suite.push_back({"sum over axis 0 " + by(in_memory),
                   [=](int threads) { return sum_axis_0(in_memory, 0.85, threads); }});
}

} // namespace kolam::bench
