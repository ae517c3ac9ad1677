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

Case call_of_two_from_cpp() {
  Array x = random_array(DType::f32, {8}, 1), y = random_array(DType::f32, {8}, 2);
  auto f = jit([](Tensor x, Tensor y) { return x + y; });
  auto reference = [=] {
    std::vector<double> cells = to_doubles(x), others = to_doubles(y);
    for (size_t i = 0; i < cells.size(); ++i)
      cells[i] += others[i];
    return cells;
  };
  return {.work = {},
          .goal = 1.0,
          .ours = [=] { return f(x, y).array(); },
          .reference = reference,
          .tolerance = 1e-6,
          .peers = {limit("goal", 0.2e-6)}};
}

/// Calls of bench/python_calls.py by name.
std::function<double(int64_t)> calls_in(const std::shared_ptr<Child>& child,
                                        const std::string& name) {
  return [=](int64_t calls) { return child->seconds(name + " " + std::to_string(calls)); };
}

Case call_from_python(const std::string& name, double goal) {
  auto child = std::make_shared<Child>(
      std::vector<std::string>{KOLAM_BENCH_PYTHON, KOLAM_BENCH_FOLDER "/python_calls.py"},
      Environment{{"PYTHONPATH", KOLAM_BENCH_PYTHONPATH}});
  Peer extension{
      .name = "np.add", .seconds = calls_in(child, "extension"), .result = {}, .judged = false};
  return {.work = {},
          .goal = 1.0,
          .ours = {},
          .peers = {limit("goal", goal), extension},
          .seconds = calls_in(child, name)};
}

} // namespace

void add_calls(Suite& suite) {
  suite.push_back({"cached call from C++", [](int) { return call_from_cpp(); }, true});
  suite.push_back({"cached call of two arrays of 8 from C++",
                   [](int) { return call_of_two_from_cpp(); }, true});
  suite.push_back(
      {"cached call from Python", [](int) { return call_from_python("one", 5e-6); }, true});
  suite.push_back({"cached call of two arrays of 8 from Python",
                   [](int) { return call_from_python("two", 0.5e-6); }, true});
}

} // namespace kolam::bench
