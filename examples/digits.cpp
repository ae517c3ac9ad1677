// Classifies handwritten digits by their nearest neighbours, with parallel patterns only.
//
// 297 images of 8 x 8 are held out of 1,797; each is compared with the other 1,500. Distances are
// one zip_map_reduce, the k nearest come from top_k, their labels from gather, and votes are
// counted by scatter with kAdd.
#include <kolam/kolam.h>

#include <chrono>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace {

using kolam::Array;
using kolam::Tensor;

constexpr int64_t kNeighbours = 3;
constexpr int64_t kPixels = 64;
constexpr int64_t kClasses = 10;
/// The data is grouped by writer: every sixth image is held out, so that all writers are on both
/// sides.
constexpr int64_t kEvery = 6;
constexpr int64_t kHeldOut = 297;

struct Answer {
  Tensor labels, neighbours;
};
auto fields(Answer& x) { return std::tie(x.labels, x.neighbours); }

Answer classify(Tensor images, Tensor known, Tensor known_labels) {
  int64_t queries = *images.extent(0).constant();
  Tensor distances = kolam::zip_map_reduce(
      [](Tensor x, Tensor y) { return (x - y) * (x - y); },
      {kolam::expand_dims(images, 1), kolam::expand_dims(known, 0)}, {.reduce = "sum", .axis = -1});
  Tensor nearest = kolam::top_k(distances, kNeighbours, -1, /*largest=*/false).indices;
  // labels[q, j] = known_labels[nearest[q, j]]
  Tensor labels =
      kolam::squeeze(kolam::gather(known_labels, kolam::expand_dims(nearest, -1), {0}, {1}), -1);
  // votes[q, labels[q, j]] += 1
  Tensor rows = kolam::broadcast_to(
      kolam::expand_dims(kolam::arange(queries, kolam::DType::i32), 1), {queries, kNeighbours});
  Tensor votes = kolam::scatter(kolam::zeros({queries, kClasses}, kolam::DType::i32),
                                kolam::ones({queries, kNeighbours, 1, 1}, kolam::DType::i32),
                                kolam::stack({rows, labels}, -1), {0, 1}, "kAdd");
  return {kolam::argmax(votes, 1), nearest};
}

/// The rows of `images` whose number modulo kEvery is 0 (the first kHeldOut of them), or the
/// others.
Array rows_of(const Array& array, bool held_out) {
  int64_t width = array.rank() > 1 ? kPixels : 1;
  std::vector<float> values;
  auto source = array.values<float>();
  int64_t rows = 0;
  for (int64_t i = 0; i < array.extent(0); ++i) {
    bool is_held_out = i % kEvery == 0 && i / kEvery < kHeldOut;
    if (is_held_out != held_out)
      continue;
    values.insert(values.end(), source.begin() + i * width, source.begin() + (i + 1) * width);
    ++rows;
  }
  return array.rank() > 1 ? Array::of<float>(values, {rows, width}) : Array::of<float>(values);
}

void draw(const Array& images, const std::vector<int64_t>& numbers) {
  for (int64_t row = 0; row < 8; ++row) {
    for (int64_t number : numbers) {
      for (int64_t column = 0; column < 8; ++column) {
        float ink = images.values<float>()[number * kPixels + row * 8 + column]; // 0 to 16
        std::cout << " .:-=+*#%@"[std::min(9, static_cast<int>(ink * 10 / 17))];
      }
      std::cout << "   ";
    }
    std::cout << "\n";
  }
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

void run(const std::string& path) {
  Array images, labels;
  for (const auto& [name, array] : kolam::runtime::load_npz(path)) {
    Array as_float = kolam::astype(array, kolam::DType::f32).array();
    (name == "labels" ? labels : images) = as_float;
  }
  images = images.reshaped({images.extent(0), kPixels});
  Array queries = rows_of(images, true), known = rows_of(images, false);
  Array truth = rows_of(labels, true);
  Array known_labels = kolam::astype(rows_of(labels, false), kolam::DType::i32).array();

  auto classifier = kolam::jit(classify);
  auto start = std::chrono::steady_clock::now();
  classifier.lower(queries, known, known_labels).compile();
  double compile_time = milliseconds_since(start);
  classifier(queries, known, known_labels);
  start = std::chrono::steady_clock::now();
  Answer answer = classifier(queries, known, known_labels);
  double run_time = milliseconds_since(start);

  auto guesses = answer.labels.array().values<int32_t>();
  auto nearest = answer.neighbours.array().values<int32_t>();
  int64_t right = 0;
  for (int64_t i = 0; i < kHeldOut; ++i)
    right += guesses[i] == static_cast<int32_t>(truth.values<float>()[i]);
  std::cout << std::fixed << std::setprecision(1);
  std::cout << right << " of " << kHeldOut << " right: " << 100.0 * right / kHeldOut << " %\n"
            << "compile " << compile_time << " ms, run " << run_time << " ms\n";
  for (int64_t i : {3, 11, 42}) {
    std::cout << "\nimage " << i << " looks like " << (guesses[i] == 8 ? "an " : "a ") << guesses[i]
              << "; its neighbours:\n";
    draw(queries, {i});
    std::cout << "\n";
    draw(known,
         {nearest[i * kNeighbours], nearest[i * kNeighbours + 1], nearest[i * kNeighbours + 2]});
  }
  std::cout << "\nthe first loop nest of explain(), which holds the distances:\n";
  std::istringstream lines(classifier.explain(queries, known, known_labels));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("nest0"))
      std::cout << line << "\n";
}

} // namespace

int main(int count, char** words) {
  try {
    run(count > 1 ? words[1] : "examples/data/digits.npz");
  } catch (const std::exception& error) {
    std::cerr << "digits: " << error.what() << "\n";
    return 1;
  }
}
