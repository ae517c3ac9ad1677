// Five 5-point stencils over a grid: a piece reads its box with a halo, and computes what lies
// between anew where that is cheaper than to move it. stencils.py says more.
//
//     plans_stencils [rows [workers]]
#include <kolam/kolam.h>

#include <cstdlib>
#include <iostream>

namespace {

using kolam::Slice;
using kolam::Tensor;

constexpr int64_t kTimes = 5;
constexpr uint64_t kSeed = 0;

Tensor stencils(Tensor x) {
  const Slice inner{1, -1}, before{{}, -2}, after{2, {}};
  for (int64_t time = 0; time < kTimes; ++time) {
    Tensor p = kolam::pad(x, {{1, 1}});
    x = 0.2f * (kolam::index(p, {before, inner}) + kolam::index(p, {after, inner}) +
                kolam::index(p, {inner, before}) + kolam::index(p, {inner, after}) + x);
  }
  return x;
}

} // namespace

int main(int argc, char** argv) {
  const int64_t rows = argc > 1 ? std::atoll(argv[1]) : 512;
  const int64_t workers = argc > 2 ? std::atoll(argv[2]) : 4;
  auto program = kolam::jit(stencils);
  kolam::Array x = kolam::random::normal(kolam::random::key(kSeed), {rows, rows});
  kolam::Array expected = program(x);
  struct Links {
    const char* name;
    kolam::plans::Level level;
  };
  for (const auto& [name, level] :
       {Links{"quick links", {workers, 1e12, 0}}, Links{"slow links", {workers, 1e8, 1e-3}}}) {
    const kolam::plans::Machine machine{.workers = workers,
                                        .flops = 1e8,
                                        .memory_bandwidth = 1e10,
                                        .memory = int64_t{1} << 32,
                                        .levels = {level},
                                        .task_overhead = 1e-5};
    kolam::Plan plan = kolam::plan(program, {.workers = workers, .machine = machine}, x);
    std::cout << name << ": " << plan.cost().at("bytes_in") << " bytes into a worker, "
              << plan.cost().at("wasted") << " points wasted, " << plan.simulate(machine).time * 1e3
              << " ms; equal bits: " << (same_bits(plan.run({x})[0], expected) ? "yes" : "no")
              << "\n";
  }
}
