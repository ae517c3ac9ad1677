// What a cached call costs beside its work.
#include "bench/child.h"
#include "bench/families.h"
#include "bench/operands.h"
#include "bench/peers.h"

namespace kolam::bench {
namespace {

Case call_from_cpp() {
  Array x = random_array(DType::f32, {4}, 1);
  auto f = jit([](Tensor x) { return x + 1; });
  auto reference = [=] {
    std::vector<double> cells = to_doubles(x);
    for (double& cell : cells)
      cell += 1;
    return cells;
  };
  return {.work = {},
          .goal = 1.0,
          .ours = [=] { return f(x).array(); },
          .reference = reference,
          .tolerance = 1e-6,
          .peers = {limit("goal", 1e-6)}};
}

Case call_from_python() {
  auto child = std::make_shared<Child>(
      std::vector<std::string>{KOLAM_BENCH_PYTHON, KOLAM_BENCH_FOLDER "/python_calls.py"},
      Environment{{"PYTHONPATH", KOLAM_BENCH_PYTHONPATH}});
  return {.work = {},
          .goal = 1.0,
          .ours = {},
          .peers = {limit("goal", 5e-6)},
          .seconds = [=](int64_t calls) { return child->seconds(std::to_string(calls)); }};
}

} // namespace

void add_calls(Suite& suite) {
  suite.push_back({"cached call from C++", [](int) { return call_from_cpp(); }, true});
  suite.push_back({"cached call from Python", [](int) { return call_from_python(); }, true});
}

} // namespace kolam::bench
