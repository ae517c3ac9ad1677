// A step of training Linear > ReLU > Linear on handwritten digits, cut for 1, 2 and 4 workers under
// three limits of memory. two_layers.py says more.
//
//     plans_two_layers digits.npz [page.html]
#include <kolam/kolam.h>

#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>

namespace {

using kolam::Array;
using kolam::Tensor;

constexpr int64_t kImages = 1536, kHidden = 128, kClasses = 10, kSteps = 4;
constexpr float kRate = 0.1F;
constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kLimits[] = {4 * kMiB, kMiB * 7 / 4, kMiB * 11 / 8};

/// The loss of one step and the parameters after it.
std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> step(Tensor x, Tensor truth, Tensor w, Tensor b,
                                                        Tensor v, Tensor c) {
  Tensor h = matmul(x, w) + b;
  Tensor a = relu(h);
  Tensor scores = matmul(a, v) + c;
  Tensor loss = mean(logsumexp(scores, 1) - sum(scores * truth, 1));
  Tensor d_scores = (softmax(scores, 1) - truth) / static_cast<float>(kImages);
  Tensor d_h = matmul(d_scores, kolam::matrix_transpose(v)) * (h > 0);
  return {loss, w - kRate * matmul(kolam::matrix_transpose(x), d_h), b - kRate * sum(d_h, 0),
          v - kRate * matmul(kolam::matrix_transpose(a), d_scores), c - kRate * sum(d_scores, 0)};
}

Array weights(int64_t rows, int64_t columns, uint64_t seed) {
  Tensor drawn = kolam::random::normal(kolam::random::key(seed), {rows, columns});
  return (drawn / std::sqrt(static_cast<float>(rows))).array();
}

void run(const std::string& path, const char* page) {
  kolam::NamedArrays data = kolam::load_npz(path);
  const int64_t pixels = data["images"].size() / data["images"].extent(0);
  Tensor images = kolam::reshape(data["images"], {-1, pixels}) / 16.0F;
  Array x = kolam::index(images, {kolam::Slice{0, kImages}}).array();
  Tensor labels = kolam::index(data["labels"], {kolam::Slice{0, kImages}});
  Array truth = kolam::one_hot(labels, kClasses).array();
  const std::vector<Array> arguments = {x,
                                        truth,
                                        weights(pixels, kHidden, 1),
                                        kolam::zeros({kHidden}).array(),
                                        weights(kHidden, kClasses, 2),
                                        kolam::zeros({kClasses}).array()};
  auto program = kolam::jit(step);
  const auto lower = [&](const std::vector<Array>& a) {
    return program.lower(a[0], a[1], a[2], a[3], a[4], a[5]);
  };
  const kolam::Program lowered = lower(arguments);
  const std::vector<Array> expected = lowered.run(arguments);
  std::cout << "loss " << expected[0].values<float>()[0] << "\n"
            << "workers     limit    time, us   bytes in   peak memory   wasted   equal bits\n";
  std::optional<kolam::Plan> last;
  for (int64_t workers : {1, 2, 4})
    for (int64_t limit : kLimits) {
      std::cout << std::setw(7) << workers << std::setw(10) << limit;
      try {
        kolam::Plan plan =
            kolam::plan(lowered, {.workers = workers, .memory_per_worker = limit, .steps = kSteps});
        const std::vector<Array> results = plan.run({arguments.begin(), arguments.end()});
        bool is_same = true;
        for (size_t result = 0; result < results.size(); ++result)
          is_same &= same_bits(results[result], expected[result]);
        const auto& cost = plan.cost();
        std::cout << std::fixed << std::setprecision(1) << std::setw(12) << cost.at("time") * 1e6
                  << std::setprecision(0) << std::setw(11) << cost.at("bytes_in") << std::setw(14)
                  << cost.at("peak_memory") << std::setw(9) << cost.at("wasted") << "   "
                  << (is_same ? "yes" : "no") << "\n";
        last = plan;
      } catch (const kolam::Error& error) {
        std::cout << "   " << error.message() << "\n";
      }
    }
  if (page && last) {
    std::ofstream(page) << last->as_html(kolam::local_machine(last->data().workers));
    std::cout << "wrote " << page << "\n";
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: plans_two_layers digits.npz [page.html]\n";
    return 2;
  }
  try {
    run(argv[1], argc > 2 ? argv[2] : nullptr);
  } catch (const kolam::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
