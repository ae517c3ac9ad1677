// How long the first call of a program takes: compiled anew, or found on disk. Every sample is a
// process of its own, in which another small program was compiled before.
#include "bench/child.h"
#include "bench/families.h"
#include "bench/lstm.h"
#include "bench/operands.h"
#include "bench/peers.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <unistd.h>

namespace kolam::bench {
namespace {

Array small(std::vector<int64_t> shape, uint64_t seed) {
  return random_array(DType::f32, std::move(shape), seed);
}

void small_kernel() {
  jit([](Tensor x) { return exp(x) * 2 + 1; })(small({64, 64}, 1));
}

void matmul_class() {
  jit([](Tensor x, Tensor w, Tensor b) { return relu(matmul(x, w) + b); })(
      small({64, 128}, 1), small({128, 256}, 2), small({256}, 3));
}

/// Fourteen times seven ops with sums along both axes, and two more.
void graph_of_100() {
  jit([](Tensor x) {
    for (int64_t i = 0; i < 14; ++i) {
      x = tanh(x * 1.5 + static_cast<double>(i + 1));
      x = x / (sum(abs(x), i % 2, {.keepdims = true}) + 1.0);
    }
    return exp(x) - 1.0;
  })(small({32, 48}, 1));
}

void equal_layers() {
  std::vector<Array> weights;
  for (uint64_t seed = 1; seed <= 32; ++seed)
    weights.push_back(small({64, 64}, seed));
  jit([](Tensor x, std::vector<Tensor> weights) {
    for (const Tensor& w : weights)
      x = relu(matmul(x, w));
    return x;
  })(small({16, 64}, 99), std::vector<Tensor>(weights.begin(), weights.end()));
}

void lines_of_tanh_and_sin() {
  jit([](Tensor x) {
    for (int i = 0; i < 40; ++i)
      x = sin(tanh(x * 1.5 + 0.1));
    return x;
  })(small({64, 64}, 1));
}

void lines_of_sin() {
  jit([](Tensor x) {
    for (int i = 0; i < 800; ++i)
      x = sin(x) * static_cast<double>(i) + x;
    return x;
  })(small({64, 64}, 1));
}

/// Weights of all layers in one array.
void stacked_layers() {
  jit([](Tensor x, Tensor weights) {
    for (int64_t i = 0; i < 16; ++i)
      x = relu(matmul(x, index(weights, {i})));
    return x;
  })(small({16, 64}, 99), small({16, 64, 64}, 1));
}

constexpr int64_t kRows = 32, kWidth = 64, kHeads = 4;

/// Causal attention of four heads and two layers with gelu, each behind a layer norm.
Tensor decoder_layer(const Tensor& x, const std::vector<Tensor>& w) {
  std::vector<Tensor> parts;
  for (const Tensor& part : split(matmul(layer_norm(x, w[0], w[1]), w[2]), 3, 1))
    parts.push_back(permute_dims(reshape(part, {kRows, kHeads, kWidth / kHeads}), {1, 0, 2}));
  const Tensor seen = attention(parts[0], parts[1], parts[2], {.causal = true});
  const Tensor y = x + matmul(reshape(permute_dims(seen, {1, 0, 2}), {kRows, kWidth}), w[3]);
  return y + matmul(gelu(matmul(layer_norm(y, w[4], w[5]), w[6]) + w[7]), w[8]) + w[9];
}

/// Compiled and run. The weights, a million and a half of random numbers, are there before.
std::function<void()> decoder_layers() {
  constexpr int64_t n = kWidth;
  const std::vector<std::vector<int64_t>> shapes = {{n}, {n},        {n, 3 * n}, {n, n},     {n},
                                                    {n}, {n, 4 * n}, {4 * n},    {4 * n, n}, {n}};
  std::vector<Tensor> weights;
  for (uint64_t layer = 0; layer < 32; ++layer)
    for (uint64_t i = 0; i < shapes.size(); ++i)
      weights.push_back(small(shapes[i], 10 * layer + i));
  return [weights, x = small({kRows, n}, 999)] {
    jit([](Tensor x, std::vector<Tensor> weights) {
      for (auto layer = weights.begin(); layer != weights.end(); layer += 10)
        x = decoder_layer(x, {layer, layer + 10});
      return x;
    })(x, weights);
  };
}

/// 32 layers: compiled, but not run. The operands, a million random numbers, are there before.
std::function<void()> long_lstm(int64_t steps) {
  const LstmOperands operands =
      random_lstm({.layers = 32, .steps = steps, .batch = 1, .hidden = 64});
  return [batch = operands.batch(), layers = operands.layers()] {
    jit(stacked_lstm).lower(batch, layers).compile();
  };
}

/// A program that makes its few operands itself.
template <void (*call)()> std::function<void()> prepared() { return call; }

struct Program {
  std::string_view name;
  std::function<void()> (*prepare)(); ///< gives what is timed
  double goal;                        // seconds
};
constexpr Program kPrograms[] = {
    {"small kernel", prepared<small_kernel>, 0.015},
    {"matmul class", prepared<matmul_class>, 0.060},
    {"graph of 100 ops", prepared<graph_of_100>, 0.100},
    {"32 equal layers", prepared<equal_layers>, 0.150},
    {"80 lines of tanh and sin", prepared<lines_of_tanh_and_sin>, 0.100},
    {"800 lines of sin", prepared<lines_of_sin>, 1.0},
    {"16 layers of one array", prepared<stacked_layers>, 0.100},
    {"32 decoder layers", decoder_layers, 1.0},
    {"32 lstm layers of 1024 steps", [] { return long_lstm(1024); }, 1.0},
    {"32 lstm layers of 8 steps", [] { return long_lstm(8); }, 1.0}};

/// Seconds of one compilation in a new process.
double measure_once(const std::string& name, const Environment& environment) {
  Child child({"/proc/self/exe", "--compile-once", name}, environment);
  const std::string answer = child.read();
  if (answer.empty())
    throw std::runtime_error("the process that compiles has failed: " + name);
  return std::stod(answer);
}

Case compile_case(const std::string& name, double goal, Environment environment) {
  auto seconds = [=](int64_t calls) {
    double sum = 0;
    for (int64_t i = 0; i < calls; ++i)
      sum += measure_once(name, environment);
    return sum;
  };
  return {.work = {}, .goal = 1.0, .ours = {}, .peers = {limit("goal", goal)}, .seconds = seconds};
}

/// A folder that is there until this process ends.
const std::string& cache_folder() {
  struct Folder {
    std::string path =
        std::filesystem::temp_directory_path() / ("kolam-bench-" + std::to_string(getpid()));
    Folder() { std::filesystem::create_directory(path); }
    ~Folder() { std::filesystem::remove_all(path); }
  };
  static const Folder folder;
  return folder.path;
}

} // namespace

int compile_once(const std::string& name) {
  jit([](Tensor x) { return x - 1; })(small({7, 5}, 1));
  const auto* program = std::ranges::find(kPrograms, name, &Program::name);
  if (program == std::end(kPrograms))
    return 1;
  std::cout << time_calls(program->prepare(), 1) << std::endl;
  return 0;
}

void add_compile(Suite& suite) {
  for (const Program& program : kPrograms) {
    const std::string name(program.name);
    auto add = [&](const std::string& text, double goal, Environment environment) {
      suite.push_back({text, [=](int) { return compile_case(name, goal, environment); }, true});
    };
    add("compile " + name, program.goal, {{"KOLAM_CACHE", "off"}});
    add("compile " + name + ", from disk", 0.005,
        {{"KOLAM_CACHE", "on"}, {"KOLAM_CACHE_DIR", cache_folder()}});
  }
}

} // namespace kolam::bench
