// Trains a multilayer perceptron on handwritten digits: one jitted step of gradient descent with
// momentum, from parameters to the next ones. Every sixth of 1,797 images of 8 x 8 is held out.
#include "kolam/kolam.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <random>

namespace {

using kolam::Array;
using kolam::Tensor;

constexpr int64_t kPixels = 64, kHidden = 128, kClasses = 10, kBatch = 100, kEpochs = 40;
constexpr float kRate = 0.1F, kMomentum = 0.9F;

struct Params {
  Tensor w1, b1, w2, b2;
};
auto fields(Params& p) { return std::tie(p.w1, p.b1, p.w2, p.b2); }

Tensor logits(const Params& p, const Tensor& images) {
  Tensor hidden = relu(add(matmul(images, p.w1), p.b1));
  return add(matmul(hidden, p.w2), p.b2);
}

Tensor loss(Params p, Tensor images, Tensor labels) {
  return mean(cross_entropy(logits(p, images), labels));
}

/// x + scale y
Tensor moved(const Tensor& x, float scale, const Tensor& y) { return add(x, multiply(y, scale)); }

std::tuple<Tensor, Params, Params> step(Params p, Params v, Tensor images, Tensor labels) {
  auto [value, g] = kolam::value_and_grad(loss)(p, images, labels);
  v = {moved(g.w1, kMomentum, v.w1), moved(g.b1, kMomentum, v.b1), moved(g.w2, kMomentum, v.w2),
       moved(g.b2, kMomentum, v.b2)};
  p = {moved(p.w1, -kRate, v.w1), moved(p.b1, -kRate, v.b1), moved(p.w2, -kRate, v.w2),
       moved(p.b2, -kRate, v.b2)};
  return {value, p, v};
}

Array drawn(std::mt19937& random, int64_t rows, int64_t columns) {
  std::normal_distribution<float> normal(0, std::sqrt(2.0F / static_cast<float>(rows)));
  std::vector<float> values(static_cast<size_t>(rows * columns));
  std::generate(values.begin(), values.end(), [&] { return normal(random); });
  return Array::of<float>(values, {rows, columns});
}

struct Images {
  std::vector<float> pixels;
  std::vector<int32_t> labels;
  int64_t count() const { return static_cast<int64_t>(labels.size()); }
  void add(const float* image, int32_t label) {
    pixels.insert(pixels.end(), image, image + kPixels);
    labels.push_back(label);
  }
  Array images() const { return Array::of<float>(pixels, {count(), kPixels}); }
};

} // namespace

int main(int argc, char** argv) try {
  const std::string path = argc > 1 ? argv[1] : "examples/data/digits.npz";
  auto data = kolam::load_npz(path);
  const Array images = data.at("images"), labels = data.at("labels");
  Images known, held_out;
  for (int64_t number = 0; number < labels.shape()[0]; ++number) {
    std::array<float, kPixels> image{};
    for (int64_t pixel = 0; pixel < kPixels; ++pixel)
      image[static_cast<size_t>(pixel)] = images.values<float>()[number * kPixels + pixel] / 16;
    (number % 6 == 0 ? held_out : known).add(image.data(), labels.values<int32_t>()[number]);
  }
  std::mt19937 random(0);
  auto zeros = [](int64_t count) { return Tensor(kolam::zeros({count})); };
  Params p{drawn(random, kPixels, kHidden), zeros(kHidden), drawn(random, kHidden, kClasses),
           zeros(kClasses)};
  Params v{kolam::zeros({kPixels, kHidden}), zeros(kHidden), kolam::zeros({kHidden, kClasses}),
           zeros(kClasses)};
  auto train = kolam::jit(step, {.donate = {0, 1}}); // the next ones take their memory
  std::vector<int64_t> order(static_cast<size_t>(known.count()));
  std::iota(order.begin(), order.end(), 0);
  for (int64_t epoch = 1; epoch <= kEpochs; ++epoch) {
    std::shuffle(order.begin(), order.end(), random);
    float value = 0;
    for (size_t first = 0; first + kBatch <= order.size(); first += kBatch) {
      Images batch;
      for (size_t number = first; number < first + kBatch; ++number)
        batch.add(&known.pixels[static_cast<size_t>(order[number] * kPixels)],
                  known.labels[static_cast<size_t>(order[number])]);
      auto [result, next, velocity] =
          train(p, v, batch.images(), Array::of<int32_t>(batch.labels, {kBatch}));
      value = result.array().item<float>();
      p = next;
      v = velocity;
    }
    if (epoch % 10 == 0)
      std::printf("epoch %d: loss %.4f\n", static_cast<int>(epoch), static_cast<double>(value));
  }
  Array found = argmax(logits(p, held_out.images()), 1).array();
  int64_t right = 0;
  for (int64_t number = 0; number < held_out.count(); ++number)
    right += found.values<int32_t>()[number] == held_out.labels[static_cast<size_t>(number)];
  const double share = 100.0 * static_cast<double>(right) / static_cast<double>(held_out.count());
  std::printf("held out: %.1f %% of %d images\n", share, static_cast<int>(held_out.count()));
  Images batch;
  for (size_t number = 0; number < kBatch; ++number)
    batch.add(&known.pixels[number * kPixels], known.labels[number]);
  const Array images_of_batch = batch.images(),
              labels_of_batch = Array::of<int32_t>(batch.labels, {kBatch});
  double least = 1;
  for (int repeat = 0; repeat < 50; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    std::tie(std::ignore, p, v) = train(p, v, images_of_batch, labels_of_batch);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count());
  }
  std::printf("a step: %.0f us\n", least * 1e6);
  return share >= 97 ? 0 : 1;
} catch (const kolam::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
