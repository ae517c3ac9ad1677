// Products of matrices, with weights that are constants of the program, and a matrix times a
// vector.
#include "bench/families.h"
#include "bench/operands.h"
#include "bench/peers.h"

namespace kolam::bench {
namespace {

/// [m, k] x [k, n].
struct Shape3 {
  int64_t m, n, k;
};

double cells(int64_t rows, int64_t columns) {
  return static_cast<double>(rows) * static_cast<double>(columns);
}

Work work_of(Shape3 shape, Arithmetic arithmetic, int width, int result_width) {
  return {.flops = 2 * cells(shape.m, shape.n) * static_cast<double>(shape.k),
          .arithmetic = arithmetic,
          .reads = width * (cells(shape.m, shape.k) + cells(shape.k, shape.n)),
          .writes = result_width * cells(shape.m, shape.n)};
}

std::function<std::vector<double>()> reference_of(const Array& x, const Array& w) {
  return [=] {
    return product(to_doubles(x), to_doubles(w), x.shape()[0], x.shape()[1], w.shape()[1]);
  };
}

Case matmul_f32(Shape3 shape, double goal, int threads) {
  Array x = random_array(DType::f32, {shape.m, shape.k}, 1);
  Array w = random_array(DType::f32, {shape.k, shape.n}, 2);
  auto f = jit([w](Tensor x) { return matmul(x, w); });
  return {.work = work_of(shape, Arithmetic::f32, 4, 4),
          .goal = goal,
          .ours = [=] { return f(x).array(); },
          .reference = reference_of(x, w),
          .tolerance = 1e-5,
          .peers = {onednn_matmul("oneDNN", x, w, DType::f32), openblas_matmul(x, w),
                    numpy("matmul", {shape.m, shape.k, shape.n}, threads)}};
}

/// Both factors are arguments: nothing can be packed before the call.
Case matmul_of_arguments(Shape3 shape, int threads) {
  Array x = random_array(DType::f32, {shape.m, shape.k}, 1);
  Array w = random_array(DType::f32, {shape.k, shape.n}, 2);
  auto f = jit([](Tensor x, Tensor w) { return matmul(x, w); });
  return {.work = work_of(shape, Arithmetic::f32, 4, 4),
          .goal = {},
          .ours = [=] { return f(x, w).array(); },
          .reference = reference_of(x, w),
          .tolerance = 1e-5,
          .peers = {openblas_matmul(x, w), numpy("matmul", {shape.m, shape.k, shape.n}, threads)}};
}

Case matmul_bf16(Shape3 shape) {
  Array x = random_array(DType::bf16, {shape.m, shape.k}, 1);
  Array w = random_array(DType::bf16, {shape.k, shape.n}, 2);
  auto f = jit([w](Tensor x) { return matmul(x, w, DType::f32); });
  return {.work = work_of(shape, Arithmetic::bf16, 2, 4),
          .goal = 0.90,
          .ours = [=] { return f(x).array(); },
          .reference = reference_of(x, w),
          .tolerance = 1e-4,
          .peers = {onednn_matmul("oneDNN", x, w, DType::f32)}};
}

Case matmul_i8(Shape3 shape) {
  Array x = random_array(DType::i8, {shape.m, shape.k}, 1);
  Array w = random_array(DType::i8, {shape.k, shape.n}, 2);
  auto f = jit([w](Tensor x) { return matmul(x, w, DType::i32); });
  return {.work = work_of(shape, Arithmetic::i8, 1, 4),
          .goal = 0.85,
          .ours = [=] { return f(x).array(); },
          .reference = reference_of(x, w),
          .tolerance = 0,
          .peers = {onednn_matmul("oneDNN", x, w, DType::i32)}};
}

/// Several matrices take turns, so that none is found in a cache.
Case matrix_vector(int64_t n) {
  std::vector<Array> matrices;
  for (uint64_t seed = 1; seed <= 4; ++seed)
    matrices.push_back(random_array(DType::f32, {n, n}, seed));
  Array vector = random_array(DType::f32, {n, 1}, 5);
  auto f = jit([](Tensor a, Tensor x) { return matmul(a, x); });
  Work work = work_of({n, 1, n}, Arithmetic::f32, 4, 4);
  work.footprint = 4 * work.reads;
  Peer blas = openblas_matmul(matrices[0], vector);
  blas.judged = false; // reads one matrix only, part of which stays in a cache
  auto ours = [=, turn = size_t{0}]() mutable {
    return f(matrices[turn++ % matrices.size()], vector).array();
  };
  return {.work = work,
          .goal = 0.95,
          .ours = ours,
          .reference = reference_of(matrices[0], vector),
          .tolerance = 1e-5,
          .peers = {reading(matrices), blas},
          .checked = [=] { return f(matrices[0], vector).array(); }};
}

} // namespace

void add_matmul(Suite& suite) {
  struct Goal {
    Shape3 shape;
    double f32;
  };
  const Goal goals[] = {
      {{128, 128, 128}, 0.90},    {{256, 256, 256}, 0.90},    {{512, 512, 512}, 0.95},
      {{1024, 1024, 1024}, 0.95}, {{2048, 2048, 2048}, 0.95}, {{8, 1024, 1024}, 0.95},
      {{32, 1024, 1024}, 0.95},   {{64, 1024, 1024}, 0.95},   {{512, 3072, 768}, 0.95}};
  auto text = [](Shape3 shape) { return by({shape.m, shape.n, shape.k}); };
  for (const auto& [shape, goal] : goals)
    suite.push_back({"matmul f32 " + text(shape),
                     [=, s = shape, g = goal](int threads) { return matmul_f32(s, g, threads); }});
  for (Shape3 shape : {goals[2].shape, goals[3].shape})
    suite.push_back({"matmul f32 " + text(shape) + " of arguments",
                     [=](int threads) { return matmul_of_arguments(shape, threads); }});
  suite.push_back({"matrix-vector f32 4096x4096", [](int) { return matrix_vector(4096); }});
  for (const auto& [shape, goal] : goals)
    suite.push_back({"matmul bf16 " + text(shape), [s = shape](int) { return matmul_bf16(s); }});
  suite.push_back({"matmul i8 1024x1024x1024", [](int) { return matmul_i8({1024, 1024, 1024}); }});
}

} // namespace kolam::bench
