// Chains of elementwise functions.
#include "bench/families.h"
#include "bench/operands.h"
#include "bench/peers.h"

#include <algorithm>
#include <cmath>

namespace kolam::bench {
namespace {

/// max(sqrt(|1.5 x + 0.25|) - x, 0): six functions, one pass over memory.
Tensor chain(Tensor x) { return maximum(sqrt(abs(x * 1.5 + 0.25)) - x, 0.0); }
double chain_of(double x) { return std::max(std::sqrt(std::abs(x * 1.5 + 0.25)) - x, 0.0); }

Case chain_case(std::vector<int64_t> shape, int threads) {
  Array x = random_array(DType::f32, shape, 1);
  auto f = jit(chain);
  const auto bytes = static_cast<double>(x.byte_count());
  auto reference = [=] {
    std::vector<double> cells = to_doubles(x);
    std::ranges::transform(cells, cells.begin(), chain_of);
    return cells;
  };
  std::vector<Peer> peers = copies(2 * bytes);
  peers.push_back(numpy("chain", shape, threads));
  return {.work = {.reads = bytes, .writes = bytes},
          .goal = 0.95,
          .ours = [=] { return f(x).array(); },
          .reference = reference,
          .tolerance = 1e-4, // the root of a number near 0 loses digits
          .peers = std::move(peers)};
}

} // namespace

void add_elementwise(Suite& suite) {
  for (int64_t rows : {2048, 32768}) {
    const std::vector<int64_t> shape = {rows, 1024};
    suite.push_back({"chain of six elementwise " + by(shape),
                     [=](int threads) { return chain_case(shape, threads); }});
  }
}

} // namespace kolam::bench
